import { basename } from 'node:path'
import { Fault } from '../domain/fault.ts'
import type { RepoId } from '../domain/repo.ts'
import { attach, pull } from '../workspace/attach.ts'
import { type Clone, findClone, writeClone } from '../workspace/clone.ts'
import { type Detected, detect } from '../workspace/detect.ts'
import { identityOf } from '../workspace/identity.ts'
import { withLock } from '../workspace/lock.ts'
import { trunkCommit, trunkName } from '../workspace/trunk.ts'
import { checkTools } from '../workspace/versions.ts'
import { cloneName } from './clone-name.ts'
import { Code } from './code.ts'
import { codeHere } from './code-at-hand.ts'
import type { Command } from './command.ts'
import { syncIndex } from './index-sync.ts'
import { indexLock } from './index-wait.ts'
import { findPlace, needClone } from './place.ts'
import { readProjectFile } from './project-file.ts'
import type { Session } from './session.ts'
import { withFolder } from './task-commands.ts'

/** Joins or makes the repo, lays the private store beside it, and indexes trunk. */
export const initRepo: Command<'init'> = async (session, given) => {
  const { host, invocation } = session
  const detected = await detect(host, invocation.cwd)
  await checkTools(host)
  const project = await readProjectFile(detected.root)
  session.warnings.push(...project.warnings)
  const asked = typeof given.trunk === 'string' ? given.trunk : project.trunk
  const trunk = await trunkName(host, detected, asked)
  const commit = await trunkCommit(host, detected, trunk)
  const identity = await identityOf(host, detected, commit)
  const view = await session.call('init', {
    ...given,
    known: findClone(host, detected)?.repo ?? null,
    folder: basename(detected.root) || 'repo',
    rootCommits: identity.rootCommits,
    remotes: identity.remotes,
    trunkName: trunk,
    trunkCommit: commit,
    clone: cloneName(session, detected),
  })
  session.warnings.push(...view.warnings)
  if (!view.dryRun) await setUp(session, view.id as RepoId, detected, trunk)
  return view
}

async function setUp(
  session: Session,
  repo: RepoId,
  detected: Detected,
  trunk: string,
): Promise<void> {
  const { host } = session
  const clone = await writeClone(host, repo, detected, trunk)
  session.invocation.progress?.('setting up', 0, 1)
  await attach(host, clone)
  const pulled = await pull(host, clone)
  session.warnings.push(...pulled.warnings.map(({ message }) => message))
  await indexCheckout(session, clone, detected.root)
}

async function indexCheckout(session: Session, clone: Clone, root: string): Promise<void> {
  const { commit } = await pull(session.host, clone)
  const code = Code.ofCheckout(session.host, clone, root, commit)
  const { view } = await code.view()
  await syncIndex(session, clone.repo, code, view)
}

export const showStatus: Command<'status'> = async (session) => {
  const place = await findPlace(session)
  const { clone } = place
  const trunk = clone === null ? null : await trunkCommit(session.host, clone, clone.trunk)
  const task = session.tools.task || (place.workspace?.task ?? null)
  const shown = await session.call('status', { repo: place.repo, task })
  const view = clone === null ? shown : { ...shown, trunkCommit: trunk }
  return view.task === null ? view : { ...view, task: withFolder(place, view.task) }
}

/** One at a time for a clone: who comes second finds nothing left to do. */
export const runIndex: Command<'index.run'> = async (session) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const code = await codeHere(session.host, place)
  if (code === null) return { ...NOTHING, symbols: 0 }
  const { view } = await code.view()
  const done = await withLock(
    session.host,
    indexLock(clone),
    () => syncIndex(session, place.repo, code, view),
    INDEX_WAIT_MS,
  )
  const state = await session.call('index.state', { repo: place.repo, view, countSymbols: true })
  return { ...done, symbols: state.symbols ?? 0 }
}

const INDEX_WAIT_MS = 30 * 60_000
const NOTHING = { files: 0, indexed: 0, bytes: 0, unparsable: 0, leftOut: 0 } as const

/** Destructive: asks first, and does nothing where nobody can be asked. */
export const purge: Command<'purge'> = async (session, given) => {
  const { repo } = await findPlace(session)
  const id = String(given.id)
  if (given.yes !== true) {
    const { confirm } = session.invocation
    const question = `Replace the text of ${id} by a mark, for good?`
    if (confirm === null) {
      throw new Fault(
        'bad_input',
        `Nobody can be asked: ${question}`,
        'Say --yes if you mean it.',
        {
          detail: { reason: 'not_confirmed' },
        },
      )
    }
    if (!(await confirm(question))) {
      throw new Fault('bad_input', 'Nothing was purged.', 'Answer yes if you mean it.', {
        detail: { reason: 'not_confirmed' },
      })
    }
  }
  return session.call('purge', { id, yes: true, repo })
}
