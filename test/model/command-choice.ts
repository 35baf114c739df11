import type { ActorAtWork } from './actor-at-work.ts'
import type { Dice } from './dice.ts'
import type { Facts, ReferenceTask } from './reference-task.ts'
import type { Program } from './request.ts'
import * as tasks from './task-programs.ts'
import * as trunk from './trunk-programs.ts'

export type Command = {
  readonly title: string
  readonly actor: ActorAtWork
  readonly program: Program<unknown>
}

const TASKS_MAX = 3

type Name =
  | 'claim'
  | 'record'
  | 'comment'
  | 'checkpoint'
  | 'submit'
  | 'handoff'
  | 'resolve'
  | 'abandon'
  | 'approve'
  | 'request-changes'
  | 'merge'
  | 'undo'
  | 'revert'
  | 'sync'

type Weights = Readonly<Partial<Record<Name, number>>>

/** What one does with a task as it is, more or less: histories are to get somewhere. */
function sensible({ state, isTold, approval, isReverted }: ReferenceTask): Weights {
  switch (state) {
    case 'open':
      return isTold
        ? { submit: 50, claim: 12, handoff: 8, checkpoint: 8, record: 3, comment: 1, abandon: 1 }
        : { record: 50, claim: 10, checkpoint: 6, submit: 1, handoff: 1 }
    case 'handed_off':
      return { claim: 40, record: 3, checkpoint: 3, comment: 1, abandon: 1, sync: 1 }
    case 'in_review':
      return approval === null
        ? { approve: 60, checkpoint: 5, 'request-changes': 6, merge: 3, comment: 1, sync: 1 }
        : { merge: 60, checkpoint: 12, 'request-changes': 3, approve: 2, comment: 1, sync: 1 }
    case 'conflicted':
      return { resolve: 30, checkpoint: 6, claim: 6, record: 2, sync: 1 }
    case 'merged':
      return isReverted
        ? { sync: 1, comment: 1, undo: 1, revert: 1 }
        : { undo: 30, revert: 14, sync: 2, comment: 1, record: 1, merge: 2, claim: 1 }
    default:
      return { comment: 3, record: 2, claim: 2, checkpoint: 2, merge: 1 }
  }
}

const ANY: Weights = {
  ...{ claim: 4, record: 2, comment: 1, checkpoint: 3, submit: 3, handoff: 2, resolve: 2 },
  ...{ abandon: 1, approve: 2, 'request-changes': 1, merge: 5, undo: 2, revert: 2, sync: 3 },
}
const OWNERS: ReadonlySet<Name> = new Set([
  'record',
  'checkpoint',
  'submit',
  'handoff',
  'resolve',
  'abandon',
])

/** A command that somebody begins, mostly one that makes sense for the task as it is. */
export function commandOf(dice: Dice, actors: readonly ActorAtWork[], facts: Facts): Command {
  const known = [...facts.tasks.values()]
  const begins = known.length === 0 || (known.length < TASKS_MAX && dice.percent(7))
  if (begins) return begin(dice, actors, `t${known.length + 1}-${dice.below(1_000_000)}`)
  const live = known.filter(({ state, isReverted }) => state !== 'abandoned' && !isReverted)
  const task = dice.pick(live.length > 0 && dice.percent(90) ? live : known)
  const weights = dice.percent(92) ? sensible(task) : ANY
  const name = dice.weighted(Object.entries(weights) as [Name, number][])
  const actor = actorFor(dice, actors, task, name)
  const program = programOf(dice, actor, task, name)
  return { title: `${actor.name}: ${name} ${task.id}`, actor, program }
}

/** A command that takes the slot: for a task that is ready for one, where there is one. */
export function trunkCommandOf(
  dice: Dice,
  actors: readonly ActorAtWork[],
  facts: Facts,
  care: trunk.Care,
): Command {
  const actor = dice.pick(actors)
  const ready = [...facts.tasks.values()].filter(
    ({ state, approval, isReverted }) =>
      (state === 'in_review' && approval !== null) || (state === 'merged' && !isReverted),
  )
  if (ready.length === 0 || dice.percent(15)) {
    return { title: `${actor.name}: sync`, actor, program: trunk.sync(actor) }
  }
  const { id, state } = dice.pick(ready)
  const name = state === 'in_review' ? 'merge' : dice.percent(60) ? 'undo' : 'revert'
  const begun = { merge: trunk.merge, undo: trunk.undo, revert: trunk.revert }[name]
  return { title: `${actor.name}: ${name} ${id}`, actor, program: begun(actor, id, care) }
}

/** Somebody of the owner's name and session who was granted another generation, or none, writes; null: nobody is. */
export function lateCommandOf(
  dice: Dice,
  actors: readonly ActorAtWork[],
  facts: Facts,
): Command | null {
  const late = [...facts.tasks.values()].flatMap((task) =>
    actors
      .filter(({ caller: { actor, session } }) => {
        return task.owner?.actor === actor && task.owner.session === session
      })
      .filter((actor) => actor.as(task.id, actor.place(task.id)).generation !== task.generation)
      .map((actor) => ({ actor, task })),
  )
  if (late.length === 0) return null
  const { actor, task } = dice.pick(late)
  const name = dice.pick(['claim', 'record', 'checkpoint', 'submit', 'handoff'] as const)
  const program = programOf(dice, actor, task, name)
  return { title: `${actor.name}, late: ${name} ${task.id}`, actor, program }
}

function begin(dice: Dice, actors: readonly ActorAtWork[], id: string): Command {
  const actor = dice.pick(actors)
  const isFiled = dice.percent(15)
  const program = isFiled ? tasks.file(actor, id, 'Later.') : tasks.start(actor, id, 'Now.')
  return { title: `${actor.name}: ${isFiled ? 'file' : 'start'} ${id}`, actor, program }
}

/** Its owner for what only an owner may do, somebody else for a verdict; and anybody at all now and then. */
function actorFor(
  dice: Dice,
  actors: readonly ActorAtWork[],
  { id, owner, holders, generation }: ReferenceTask,
  name: Name,
): ActorAtWork {
  const isOwnersPart = OWNERS.has(name)
  const isVerdict = name === 'approve' || name === 'request-changes'
  if (dice.percent(12) || !(isOwnersPart || isVerdict)) return dice.pick(actors)
  const right = actors.filter(({ caller }) => {
    if (isVerdict) return !holders.has(caller.actor)
    return caller.actor === owner?.actor && caller.session === owner.session
  })
  const holding = right.filter((actor) => actor.as(id, actor.place(id)).generation === generation)
  // One that held it before goes on as if nothing had happened, now and then.
  const best = isOwnersPart && holding.length > 0 && dice.percent(85) ? holding : right
  return best.length > 0 ? dice.pick(best) : dice.pick(actors)
}

function programOf(
  dice: Dice,
  actor: ActorAtWork,
  task: ReferenceTask,
  name: Name,
): Program<unknown> {
  const { id } = task
  // One that never had a folder of the task says what it would say from one.
  const folder = actor.place(id) ??
    actor.currentFolder(id, task.generation) ?? {
      ...{ task: id, generation: task.generation, base: actor.machine.repository.root },
      ...{ lines: actor.machine.repository.linesOf(actor.machine.repository.root), conflicts: [] },
    }
  const said = `said ${dice.below(1_000_000)}`
  const care = dice.weighted([
    ['careful', 80],
    ['unfollowing', 10],
    ['blind', 10],
  ] as const)
  if (name !== 'checkpoint' && name !== 'submit' && name !== 'resolve' && name !== 'handoff') {
    return otherProgram(dice, actor, id, folder, name, said, care)
  }
  const isBare = (task.last?.files ?? 0) === 0
  const chance = isBare ? 92 : task.state === 'in_review' ? 40 : 55
  if (dice.percent(chance)) tasks.edit(actor, folder, dice)
  if (name === 'submit') return tasks.submit(actor, folder)
  if (name === 'resolve') return tasks.resolve(actor, folder)
  if (name === 'handoff') return tasks.handoff(actor, folder, said)
  return tasks.checkpoint(actor, folder)
}

function otherProgram(
  dice: Dice,
  actor: ActorAtWork,
  id: string,
  folder: NonNullable<ReturnType<ActorAtWork['place']>>,
  name: Exclude<Name, 'checkpoint' | 'submit' | 'resolve' | 'handoff'>,
  said: string,
  care: trunk.Care,
): Program {
  switch (name) {
    case 'claim':
      return tasks.claim(actor, id)
    case 'record':
      return tasks.record(actor, id, dice.pick(['decision', 'attempt', 'note']), said)
    case 'comment':
      return tasks.record(actor, id, dice.pick(['note', 'review']), said)
    case 'abandon':
      return tasks.abandon(actor, folder)
    case 'approve':
      return tasks.review(actor, id, 'approve', dice.percent(20) ? said : '')
    case 'request-changes':
      return tasks.review(actor, id, 'request-changes', said)
    case 'merge':
      return trunk.merge(actor, id, care)
    case 'undo':
      return trunk.undo(actor, id, care)
    case 'revert':
      return trunk.revert(actor, id, care)
    case 'sync':
      return trunk.sync(actor)
  }
}
