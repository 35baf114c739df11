import type { Sent } from '../../src/api/routes.ts'
import type { TaskView } from '../../src/api/views.ts'
import { Fault } from '../../src/domain/fault.ts'
import type { ActorAtWork, Folder } from './actor-at-work.ts'
import type { Dice } from './dice.ts'
import { isCarried, type SimulatedRepository, treeOf } from './repository.ts'
import { call, local, type Program } from './request.ts'

/** What the client's commands on tasks send, in their order; see `src/client/`. */

export function* start(actor: ActorAtWork, task: string, goal: string): Program {
  const { repository } = actor.machine
  const base = repository.trunk
  const { generation } = yield* call('task.start', { goal, id: task, base }, actor.caller)
  actor.grant(task, generation)
  const lines = repository.linesOf(base)
  actor.stand(actor.makeFolder({ task, generation, base, lines, conflicts: [] }))
}

export function* file(actor: ActorAtWork, task: string, goal: string): Program {
  yield* call('task.file', { goal, id: task }, actor.caller)
}

/** As `claim-command.ts`: a folder of its own after another name, the same one after one's own. */
export function* claim(actor: ActorAtWork, task: string): Program {
  const { repository } = actor.machine
  const before = yield* call('task.show', { task }, actor.caller)
  const hasBegun = before.base !== null || before.head !== null
  const base = hasBegun ? null : repository.trunk
  const granted = yield* call('claim', { task, base }, actor.as(task, null))
  if (granted.isRenewal) return
  const { generation } = granted
  actor.grant(task, generation)
  yield* local('make the folder')
  const earlier = actor.foldersOf(task).at(-1)
  if (earlier !== undefined && granted.previous?.actor === granted.owner) {
    earlier.generation = generation
    actor.stand(earlier)
    return
  }
  if (earlier === undefined) {
    actor.stand(actor.makeFolder(folderAt(repository, granted)))
    return
  }
  const folder = actor.makeFolder({ ...earlier, generation })
  actor.stand(folder)
  const isEmpty = treeOf(folder.lines) === treeOf(repository.linesOf(folder.base))
  if (isEmpty && granted.head === null) return
  yield* keep(actor, folder, 'as it was taken over')
}

function folderAt(repository: SimulatedRepository, task: TaskView): Folder {
  const base = task.base ?? repository.root
  const lines = repository.linesOf(task.head ?? base)
  return { task: task.id, generation: task.generation, base, lines, conflicts: [] }
}

/** Works on some lines: mostly in one file; the last of three is one that approvals carry over. */
export function edit(actor: ActorAtWork, folder: Folder, dice: Dice): void {
  const lines = [...folder.lines]
  for (let changes = 1 + dice.below(2); changes > 0; changes--) {
    lines[dice.below(lines.length)] = dice.percent(15) ? 0 : actor.machine.fresh()
  }
  folder.lines = lines
  if (dice.percent(80)) folder.conflicts = []
}

export function* checkpoint(actor: ActorAtWork, folder: Folder): Program<string> {
  yield* call('task.check', { task: folder.task }, actor.as(folder.task, folder))
  yield* local('snapshot')
  return yield* keep(actor, folder, 'a step')
}

/** The claim is read when it is sent, and is whatever it was then when it arrives. */
function* keep(actor: ActorAtWork, folder: Folder, message: string): Program<string> {
  const fields = snapshotOf(actor, folder)
  const { task } = folder
  yield* call('checkpoint', { message, task, ...fields }, actor.as(task, folder))
  return fields.commit
}

export function snapshotOf(
  { machine: { repository } }: ActorAtWork,
  { task, base, lines, conflicts }: Folder,
) {
  const patch = repository.patchOf(base, lines)
  const files = [...patch.files.keys()].map(
    (path) => ({ path, status: 'modified', from: null }) as const,
  )
  return {
    ...{ commit: repository.commit(base, lines, task), change: 'kkkk', base, files },
    ...{ symbols: [], tree: treeOf(lines), conflicts, patch: patch.identity },
    incomplete: { tooLarge: [], badNames: [], nested: [] },
  }
}

export function* record(
  actor: ActorAtWork,
  task: string,
  kind: Sent<'record'>['kind'],
  summary: string,
): Program {
  const said = { kind, summary, task, at: [], supersedes: [], allowMissing: false }
  const by = actor.as(task, actor.place(task))
  yield* call('record', { ...said, workspaceTask: null, anchors: [] }, by)
}

export function* submit(actor: ActorAtWork, folder: Folder): Program {
  const commit = yield* checkpoint(actor, folder)
  yield* call('submit', { task: folder.task, commit }, actor.as(folder.task, folder))
}

export function* handoff(actor: ActorAtWork, folder: Folder, said: string): Program {
  const commit = yield* checkpoint(actor, folder)
  const notes = { done: [said], remaining: [], broken: [], open: [] }
  yield* call('handoff', { ...notes, task: folder.task, commit }, actor.as(folder.task, folder))
}

export function* resolve(actor: ActorAtWork, folder: Folder): Program {
  const commit = yield* checkpoint(actor, folder)
  yield* call('resolve', { task: folder.task, commit }, actor.as(folder.task, folder))
}

export function* abandon(actor: ActorAtWork, folder: Folder): Program {
  const { task } = folder
  const checked = yield* call('task.check', { task }, actor.as(task, folder))
  yield* local('snapshot')
  const commit =
    checked.state === 'handed_off'
      ? checked.head
      : yield* keep(actor, folder, 'as it was abandoned')
  yield* call('abandon', { task, yes: true, commit }, actor.as(task, folder))
}

/** Looks at the task as it is stored, and judges that, however long it takes. */
export function* review(
  actor: ActorAtWork,
  task: string,
  result: 'approve' | 'request-changes',
  message: string,
): Program {
  const { repository } = actor.machine
  const shown = yield* call('task.show', { task }, actor.caller)
  const { base, head } = shown
  const known = base === null || head === null ? null : repository.linesOf(head)
  yield* local('look at it')
  const reviewed = {
    ...{ task, base, tip: head ?? NOTHING, trunk: repository.trunk },
    tree: known === null ? NOTHING : treeOf(known),
    patch: known === null || base === null ? 'none' : repository.patchOf(base, known).identity,
  }
  if (result === 'approve') yield* call('approve', { ...reviewed, message }, actor.caller)
  else {
    const point = { at: [], allowMissing: false, anchors: [] }
    yield* call('request-changes', { ...reviewed, ...point, message }, actor.caller)
  }
}

const NOTHING = '0'.repeat(40)

/** Whether a task's patch on a newer trunk may stand for the one that was approved, and over which files. */
export function carriedOver(
  repository: SimulatedRepository,
  seen: { readonly base: string; readonly lines: readonly number[] },
  landing: { readonly onto: string; readonly lines: readonly number[] },
): { readonly patch: string; readonly over: readonly string[] } | null {
  const before = repository.patchOf(seen.base, seen.lines)
  const after = repository.patchOf(landing.onto, landing.lines)
  if (after.files.size === 0) return null
  const paths = new Set([...before.files.keys(), ...after.files.keys()])
  const over = [...paths].filter((path) => before.files.get(path) !== after.files.get(path))
  return over.every(isCarried) ? { patch: after.identity, over } : null
}

export function isFault(thrown: unknown, reason: string): boolean {
  return thrown instanceof Fault && thrown.detail.reason === reason
}
