import type { CheckpointView } from '../api/views.ts'
import { Fault } from '../domain/fault.ts'
import { assertLegal } from '../domain/lifecycle.ts'
import type { CommitId } from '../domain/repo.ts'
import { diffText, diffTextOfConflict } from '../workspace/changes.ts'
import { checkpoint as snapshotWorkspace } from '../workspace/checkpoint.ts'
import { storeGit } from '../workspace/clone.ts'
import { attributeTrouble } from '../workspace/handed-filters.ts'
import { workspaceOf } from './code-at-hand.ts'
import { type Command, taskGiven } from './command.ts'
import { type Held, heldWorkspace, keepSnapshot } from './keep-snapshot.ts'
import { findPlace, needClone } from './place.ts'
import { noteSeen } from './seen.ts'
import type { Session } from './session.ts'
import { withFolder } from './task-commands.ts'
import { bringCommits } from './task-commits.ts'

export const checkpoint: Command<'checkpoint'> = async (session, given) => {
  const held = await heldWorkspace(session)
  const message = typeof given.message === 'string' ? given.message : null
  return (await keepSnapshot(session, held, message)).checkpoint
}

export const submit: Command<'submit'> = async (session) => {
  const held = await heldWorkspace(session)
  assertLegal({ ...held.task, id: held.workspace.task }, 'submit')
  const { checkpoint: kept } = await keepSnapshot(session, held, null)
  await refuseFiltered(session, held, kept)
  const { repo, task } = held.claim
  const view = await session.callFor(held.claim, 'submit', { repo, task, commit: kept.commit })
  warnUncovered(session, view.uncovered)
  return withFolder(held.place, view)
}

/** jj knows nothing of git's filters: what they would have changed would land as it is. */
async function refuseFiltered(
  session: Session,
  { clone }: Held,
  { files, commit }: CheckpointView,
): Promise<void> {
  const paths = files.map(({ path }) => path)
  const tip = commit as CommitId
  const { filtered, converted } = await attributeTrouble(session.host, clone, paths, tip)
  if (converted.length > 0) {
    session.warnings.push(
      `git would convert the line ends of ${named(converted)}; they land as they are.`,
    )
  }
  if (filtered.length === 0) return
  throw new Fault(
    'refused_rule',
    `A git filter (LFS, or the like) is set for ${named(filtered)}, and av would land it unfiltered.`,
    'Take these files out of the task, and commit them to trunk by git.',
    { detail: { reason: 'filtered', paths: filtered.slice(0, PATHS_MAX) } },
  )
}

const PATHS_MAX = 100

function named(paths: readonly string[]): string {
  const more = paths.length > 5 ? `, and ${paths.length - 5} more` : ''
  return `${paths.slice(0, 5).join(', ')}${more}`
}

function warnUncovered(session: Session, uncovered: readonly string[]): void {
  if (uncovered.length === 0) return
  session.warnings.push(`No record says why these changed: ${named(uncovered)}.`)
}

export const handoff: Command<'handoff'> = async (session, given) => {
  const held = await heldWorkspace(session)
  assertLegal({ ...held.task, id: held.workspace.task }, 'handoff')
  const { checkpoint: kept } = await keepSnapshot(session, held, null)
  const { repo, task } = held.claim
  const view = await session.callFor(held.claim, 'handoff', {
    ...given,
    ...{ repo, task, commit: kept.commit },
  })
  warnUncovered(session, view.uncovered)
  return withFolder(held.place, view)
}

export const showHandoff: Command<'handoff.show'> = async (session, given) => {
  const place = await findPlace(session)
  const task = taskGiven(session, given.task, place.workspace?.task ?? null)
  return session.call('handoff.show', { ...given, task, repo: place.repo })
}

export const resolve: Command<'resolve'> = async (session) => {
  const held = await heldWorkspace(session)
  assertLegal({ ...held.task, id: held.workspace.task }, 'resolve')
  const { checkpoint: kept } = await keepSnapshot(session, held, null)
  const { repo, task } = held.claim
  const view = await session.callFor(held.claim, 'resolve', { repo, task, commit: kept.commit })
  return withFolder(held.place, view)
}

export const diff: Command<'diff'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const task = await session.call('task.show', { task: id, repo: place.repo })
  const workspace = workspaceOf(place, task.id)
  const { actor } = await session.tools.caller()
  const store = { gitDir: storeGit(clone) }
  if (workspace === null || task.owner !== actor) {
    const { base, head } = task as { base: CommitId | null; head: CommitId | null }
    if (head === null) return { task: task.id, base, diff: '' }
    await bringCommits(session, clone, task.id, [base, head])
    await noteSeen(session, { repo: place.repo, task: task.id }, head)
    const span = { base, tip: head }
    const text =
      task.conflicted.length > 0
        ? await diffTextOfConflict(session.host, clone, span)
        : await diffText(session.host, store, span)
    return { task: task.id, base, diff: text }
  }
  const { base, commit: tip, conflict } = await snapshotWorkspace(session.host, workspace)
  const text = conflict
    ? await diffTextOfConflict(session.host, clone, { base, tip })
    : await diffText(session.host, store, { base, tip })
  return { task: task.id, base, diff: text }
}
