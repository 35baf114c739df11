import type { ClaimView } from '../api/review-views.ts'
import { Fault } from '../domain/fault.ts'
import { assertLegal } from '../domain/lifecycle.ts'
import type { CommitId } from '../domain/repo.ts'
import type { TaskId } from '../domain/task.ts'
import { checkpoint } from '../workspace/checkpoint.ts'
import type { Clone } from '../workspace/clone.ts'
import { ignoredFiles } from '../workspace/ignored.ts'
import { isGone } from '../workspace/mend.ts'
import { bindGeneration, type Workspace } from '../workspace/registry.ts'
import { removeWorkspace } from '../workspace/remove.ts'
import { checkTools } from '../workspace/versions.ts'
import { workspaceOf } from './code-at-hand.ts'
import { type Command, taskGiven } from './command.ts'
import { keepSnapshot, snapshotFields } from './keep-snapshot.ts'
import { findPlace, needClone, type Place } from './place.ts'
import type { Session } from './session.ts'
import { showOne } from './task-commands.ts'
import { sendCommits } from './task-commits.ts'
import {
  type Beginning,
  currentFolder,
  folderOfClaim,
  makeFolder,
  warnOfEarlier,
} from './task-folder.ts'
import { trunkForWork } from './trunk-slot.ts'

/**
 * Makes a task the caller's. Nothing runs in anybody's folder before the claim is granted. Then the earlier owner's
 * folder, where it is on this machine, is snapshotted as it is, and the work goes on from that in a folder of its own;
 * the same name's next session keeps the folder.
 */
export const claim: Command<'claim'> = async (session, given) => {
  const place = await findPlace(session)
  const clone = needClone(place)
  await checkTools(session.host)
  const before = await showOne(session, place, String(given.task))
  const hasBegun = before.base !== null || before.head !== null
  const base = hasBegun ? null : await trunkForWork(session, clone)
  const granted = await session.callFor(
    { repo: place.repo, task: before.id, folder: null },
    'claim',
    { task: before.id, repo: place.repo, base },
  )
  if (!granted.isRenewal) await session.grant(place.repo, granted.id, granted.generation)
  // A renewal has its folder, but for one whose first try died before it was made.
  const there = granted.isRenewal ? currentFolder(place, granted) : null
  const folder = there ?? (await folderAfter(session, place, clone, granted))
  return { ...granted, workspace: folder.folder }
}

async function folderAfter(
  session: Session,
  place: Place,
  clone: Clone,
  granted: ClaimView,
): Promise<Workspace> {
  const { previous } = granted
  const earlier = previous === null ? null : folderOfClaim(place, granted.id, previous.generation)
  if (earlier === null || isGone(earlier)) {
    warnOfEarlier(session, place, granted.id)
    return makeFolder(session, place, clone, granted)
  }
  if (previous?.actor === granted.owner) {
    await bindGeneration(session.host, earlier, granted.generation)
    return { ...earlier, generation: granted.generation }
  }
  const left = await checkpoint(session.host, earlier)
  const beginning: Beginning = { base: left.base, tip: left.commit }
  const folder = await makeFolder(session, place, clone, granted, beginning)
  await keepFirst(session, place, clone, granted, folder)
  return folder
}

/** What the earlier owner had not checkpointed is part of the task from here on, and told as such. */
async function keepFirst(
  session: Session,
  place: Place,
  clone: Clone,
  { id, head }: ClaimView,
  folder: Workspace,
): Promise<void> {
  const snapshot = await checkpoint(session.host, folder)
  if (snapshot.empty && head === null) return
  const fields = await snapshotFields(session, clone, snapshot)
  const held = { repo: place.repo, task: id, folder: folder.generation }
  await sendCommits(session, clone, id, { base: snapshot.base, tip: snapshot.commit }, held)
  await session.callFor(held, 'checkpoint', {
    ...{ message: 'as it was taken over', repo: place.repo, task: id },
    ...fields,
  })
}

/** Gives a task up: its last state is kept as a checkpoint, then its folder goes. */
export const abandon: Command<'abandon'> = async (session, given) => {
  const place = await findPlace(session)
  const id = taskGiven(session, given.task, place.workspace?.task ?? null)
  const shown = await showOne(session, place, id)
  // Who stands in the folder of an earlier claim writes as that claim does: it is lost.
  const standing = place.workspace?.task === shown.id ? place.workspace : null
  const workspace = standing ?? currentFolder(place, shown)
  const claim = { repo: place.repo, task: shown.id, folder: workspace?.generation ?? null }
  const task = await session.callFor(claim, 'task.check', { repo: place.repo, task: shown.id })
  assertLegal({ ...task, id: shown.id as TaskId }, 'abandon')
  const here = workspace === null || isGone(workspace) ? null : workspace
  await confirmAbandon(session, task.id, here, given.yes === true)
  let { head } = task
  if (here !== null && task.state !== 'handed_off') {
    const held = { place, clone: needClone(place), workspace: here, claim, task }
    const { checkpoint: kept } = await keepSnapshot(session, held, 'as it was abandoned')
    refuseUnsnapshotted(kept.incomplete)
    head = kept.commit as CommitId
  }
  const view = await session.callFor(claim, 'abandon', {
    ...{ task: task.id, repo: place.repo, yes: true, commit: head },
  })
  if (workspace !== null) await removeOrWarn(session, workspace)
  return { ...view, workspace: workspaceOf({ ...place, workspace: null }, task.id)?.folder ?? null }
}

const IGNORED_SHOWN = 10

async function confirmAbandon(
  session: Session,
  task: string,
  workspace: Workspace | null,
  isSure: boolean,
): Promise<void> {
  if (isSure) return
  const ignored =
    workspace === null
      ? { paths: [], total: 0 }
      : await ignoredFiles(session.host, workspace, IGNORED_SHOWN)
  const what =
    workspace === null
      ? 'Its records stay.'
      : `Its records and its last state stay; the folder ${workspace.folder} goes${ignoredWords(ignored)}.`
  const { confirm } = session.invocation
  if (confirm === null) {
    throw new Fault(
      'bad_input',
      `Nobody can be asked whether to abandon ${task}. ${what}`,
      'Say --yes if you mean it.',
      { detail: { reason: 'not_confirmed', ignored: ignored.paths, ignoredTotal: ignored.total } },
    )
  }
  if (await confirm(`Abandon ${task} for good? ${what}`)) return
  throw new Fault('bad_input', 'Nothing was abandoned.', 'Answer yes if you mean it.', {
    detail: { reason: 'not_confirmed' },
  })
}

function ignoredWords({ paths, total }: { readonly paths: readonly string[]; total: number }) {
  if (total === 0) return ''
  const more = total > paths.length ? ` and ${total - paths.length} more` : ''
  return `, and with it what git ignores there: ${paths.join(', ')}${more}`
}

function refuseUnsnapshotted(incomplete: {
  readonly tooLarge: readonly string[]
  readonly badNames: readonly string[]
  readonly nested: readonly string[]
}): void {
  const paths = [...incomplete.tooLarge, ...incomplete.badNames, ...incomplete.nested]
  if (paths.length === 0) return
  throw new Fault(
    'refused_rule',
    `The folder holds what no snapshot can take in: ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ', …' : ''}.`,
    'Move it out of the folder, or away, and repeat the command. Nothing was abandoned.',
    { detail: { reason: 'unsnapshotted', paths: paths.slice(0, 100) } },
  )
}

/** The task is abandoned by now: a folder that cannot be removed stays, and that is said. */
async function removeOrWarn(session: Session, workspace: Workspace): Promise<void> {
  try {
    await removeWorkspace(session.host, workspace, { dropIgnored: true })
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    session.warnings.push(`The folder ${workspace.folder} stays: ${thrown.message}`)
  }
}
