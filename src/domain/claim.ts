import type { Caller } from './actor.ts'
import { Fault } from './fault.ts'
import type { Instant } from './repo.ts'
import type { Task, TaskId } from './task.ts'

/** A generation of a task that was granted to somebody. */
export type Claim = {
  readonly task: TaskId
  readonly generation: number
  readonly actor: string
  readonly session: string | null
  readonly at: Instant
}

/** Whether the caller holds the task's current claim: actor, session and generation together. */
export function isHeldBy(task: Task, caller: Caller): boolean {
  return (
    task.owner === caller.actor &&
    task.ownerSession === caller.session &&
    task.generation === caller.generation
  )
}

/** Whether the caller's name ever held the task, in whatever session. */
export function everHeld(claims: readonly Claim[], caller: Caller): boolean {
  return claims.some(({ actor }) => actor === caller.actor)
}

/**
 * Why somebody who does not hold a task may not write to it: the claim was lost, or never had.
 * @param claims all that were ever granted for it, oldest first
 */
export function claimFault(task: Task, claims: readonly Claim[], caller: Caller): Fault {
  return everHeld(claims, caller) ? claimLost(task, claims.at(-1)) : neverHeld(task, caller)
}

function claimLost(task: Task, newest: Claim | undefined): Fault {
  const since = newest?.generation === task.generation ? newest.at : null
  const holder =
    task.owner === null
      ? 'nobody holds it now'
      : `${task.owner} holds it${since === null ? '' : ` since ${since}`}`
  return new Fault(
    'claim_lost',
    `claim lost: ${task.id} is no longer yours to write to; ${holder}, in generation ${task.generation}.`,
    `Nothing was stored, and what you changed on disk stays where it is. See \`av task show ${task.id}\`.`,
    { detail: { owner: task.owner, since, generation: task.generation } },
  )
}

function neverHeld(task: Task, caller: Caller): Fault {
  const owner = task.owner === null ? "nobody's" : `${task.owner}'s`
  return new Fault(
    'refused_rule',
    `${task.id} is ${owner} task, and ${caller.actor} never held it.`,
    'Start a task of your own, or leave a note or a review on this one with --task.',
    { detail: { reason: 'never_held', owner: task.owner, generation: task.generation } },
  )
}
