import type { ReindexView } from '../api/reindex-view.ts'
import type { BlobId } from '../domain/code.ts'
import { applyOverlay, type CodeView } from '../domain/code-view.ts'
import { INDEX_VERSION } from '../source/version.ts'
import { withLock } from '../workspace/lock.ts'
import { dropScans } from '../workspace/scan-copies.ts'
import { allCode, type CodeFolder, forEachFolder } from './all-code.ts'
import type { Command } from './command.ts'
import { checkIndex } from './index-check.ts'
import { syncIndex } from './index-sync.ts'
import { indexLock } from './index-wait.ts'
import { findPlace, needClone, type Place } from './place.ts'
import type { Session } from './session.ts'

/**
 * Builds everything derived anew. One at a time for a clone; whoever is killed half-way leaves an index that
 * packs complete when they need it, and that the next run begins again. `--check` only compares: exit 5 when
 * something differs.
 */
export const reindex: Command<'reindex'> = async (session, given) => {
  const place = await findPlace(session)
  const lock = indexLock(needClone(place))
  const work = given.check === true ? check : rebuild
  return withLock(session.host, lock, () => work(session, place), WAIT_MS)
}

const WAIT_MS = 30 * 60_000
/** As a refusal by a rule: the index broke one. */
const DIFFERS_EXIT = 5

async function check(session: Session, place: Place): Promise<ReindexView> {
  const checked = await checkIndex(session, place, await allCode(session.host, place))
  if (checked.differences.length > 0) session.exit = DIFFERS_EXIT
  return checked
}

async function rebuild(session: Session, place: Place): Promise<ReindexView> {
  const dropped = await drop(session, place)
  const sums = { files: 0, bytes: 0, leftOut: 0 }
  const paths = new Map<BlobId, string>()
  let here: CodeView | null = null
  await forEachFolder(session, await allCode(session.host, place), async ({ code, isHere }) => {
    const { view } = await code.view()
    if (isHere) here = view
    const done = await syncIndex(session, place.repo, code, view)
    sums.files += done.indexed
    sums.bytes += done.bytes
    sums.leftOut += done.leftOut
    if (done.unparsable > 0) await addPaths(paths, code, view)
  })
  session.invocation.progress?.('loading', 0, 0)
  const { symbols, records } = await session.call('index.load', { repo: place.repo, view: here })
  const failed = await session.call('index.unparsable', {
    repo: place.repo,
    version: INDEX_VERSION,
  })
  return {
    ...{ checked: false, dropped, ...sums, symbols, records, unparsable: failed.count },
    asText: failed.blobs.flatMap((blob) => paths.get(blob as BlobId) ?? []),
    ...{ pending: 0, unseen: 0, differences: [] },
  }
}

/** Rows, listings and private git indexes, all before anything is built. */
async function drop(session: Session, { repo, clone }: Place): Promise<number> {
  let dropped = clone === null ? 0 : await dropScans(session.host, clone)
  for (;;) {
    const step = await session.call('index.drop', { repo })
    dropped += step.dropped
    session.invocation.progress?.('deleting', dropped, dropped + step.left)
    if (step.left === 0) return dropped
  }
}

async function addPaths(paths: Map<BlobId, string>, code: CodeFolder['code'], view: CodeView) {
  for (const { path, blob } of applyOverlay(await code.listing(), view.overlay)) {
    if (blob !== null && !paths.has(blob)) paths.set(blob, path)
  }
}
