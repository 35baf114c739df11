import { Fault } from '../domain/fault.ts'
import { codeLine } from '../domain/sanitise.ts'
import { type Checkout, gitIn } from './checkout.ts'
import { splitNul } from './git.ts'
import type { Host } from './host.ts'
import { foldersAbove, shownPath, type TreeChange } from './tree-change.ts'

const SHOWN_MAX = 5
const LISTED_MAX = 100
const STATUS = [
  'status',
  '--porcelain',
  '-z',
  '--untracked-files=all',
  '--ignored=matching',
  '--no-renames',
  // Whether a submodule stands elsewhere, without running git in it.
  '--ignore-submodules=dirty',
]

/**
 * Faults with `refused_rule`, reason `checkout_dirty`, when something of the person's stands where
 * a change would write: edited, staged, deleted, untracked or ignored, at one of the paths, above
 * or below one. git alone would overwrite an ignored file, and bring a deleted one back.
 */
export async function refuseOverlap(
  host: Host,
  checkout: Checkout,
  index: string,
  changes: readonly TreeChange[],
): Promise<void> {
  const at = { folder: checkout.folder, index }
  await gitIn(host, at, ['update-index', '-q', '--refresh'], { answers: [1] })
  const ran = await gitIn(host, at, STATUS)
  const theirs = splitNul(ran.stdout).map((entry) =>
    entry.subarray(3).toString('latin1').replace(/\/+$/, ''),
  )
  const busy = overlapping(theirs, changes)
  if (busy.length > 0) throw dirty(checkout, busy)
}

function overlapping(theirs: readonly string[], changes: readonly TreeChange[]): string[] {
  const paths = new Set(changes.map((change) => change.path))
  const above = new Set([...paths].flatMap(foldersAbove))
  const isBusy = (path: string) =>
    paths.has(path) || above.has(path) || foldersAbove(path).some((folder) => paths.has(folder))
  // As Latin-1 the order of characters is the order of bytes.
  return [...new Set(theirs)].filter(isBusy).sort((a, b) => (a < b ? -1 : 1))
}

function dirty(checkout: Checkout, busy: readonly string[]): Fault {
  const shown = busy.slice(0, SHOWN_MAX).map((path) => codeLine(shownPath(path)))
  const more = busy.length > SHOWN_MAX ? `, and ${busy.length - SHOWN_MAX} more` : ''
  return new Fault(
    'refused_rule',
    `Work that is not committed is in the way in ${checkout.folder}: ${shown.join(', ')}${more}.`,
    'Commit or move them, then merge again.',
    {
      detail: {
        reason: 'checkout_dirty',
        folder: checkout.folder,
        paths: busy.slice(0, LISTED_MAX).map(shownPath),
        count: busy.length,
      },
    },
  )
}
