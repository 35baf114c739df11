import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Clone } from './clone.ts'
import type { Host } from './host.ts'
import { readRevision } from './revision.ts'
import { runAside, type Trial, trialOf } from './trial.ts'

/**
 * What taking `landed` back comes to on `onto`, computed on the side. `nonce` (1 to 64 of
 * `A-Za-z0-9_-`) tells the outcome from other commits there: draw a new one for each call.
 * `empty` when nothing of `landed` is left to take back.
 */
export async function revertTrial(
  host: Host,
  clone: Clone,
  at: { readonly landed: CommitId; readonly onto: CommitId; readonly nonce: string },
): Promise<Trial> {
  const { landed, onto, nonce } = at
  if (!NONCE.test(nonce)) {
    throw new Fault('internal', 'A revert needs a nonce of plain characters.', 'Report it.', {
      detail: { reason: 'bad_nonce' },
    })
  }
  const description = `av-revert ${nonce}`
  // Twice: jj reads a setting that is a template, whose text is a string.
  const template = JSON.stringify(JSON.stringify(description))
  const setting = `templates.revert_description=${template}`
  const args = ['revert', '-r', landed, '-o', onto, '--config', setting]
  const operation = await runAside(host, clone, args)
  // Other tasks stand on `onto` as well.
  const made = `children(${onto}) & description(substring:${JSON.stringify(description)})`
  const revset = `at_operation(${operation}, ${made})`
  const { revision } = await readRevision(host, clone, revset, { ignoreFiles: true })
  return trialOf(host, clone, revision, onto)
}

const NONCE = /^[A-Za-z0-9_-]{1,64}$/
