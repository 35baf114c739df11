import type { Caller } from './actor.ts'
import { Fault } from './fault.ts'
import { isLegal, refusedTransition } from './lifecycle.ts'
import type { Instant } from './repo.ts'
import type { Task, TaskId, TaskState } from './task.ts'

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

/** The states in which who holds a task may prolong its lease. */
export const RENEWAL_STATES = ['open', 'conflicted'] as const satisfies readonly TaskState[]

/**
 * What a claim comes to: a renewal for who holds the task, a grant of the next generation for somebody else. A task
 * handed off goes to whoever asks; an open one to its owner's name, to anybody where nobody owns it or its lease has
 * lapsed; a conflicted one only in the last two cases, whoever asks.
 * @param isLapsed by the database's clock
 * @throws Fault `refused_transition`; `refused_rule` reason `lease_running`
 */
export function judgeClaim(task: Task, caller: Caller, isLapsed: boolean): 'renewal' | 'grant' {
  const isRenewable = (RENEWAL_STATES as readonly TaskState[]).includes(task.state)
  if (isRenewable && isHeldBy(task, caller)) return 'renewal'
  if (!isLegal(task, 'claim')) throw refusedTransition(task, 'claim')
  const isFree = task.state === 'handed_off' || task.owner === null || isLapsed
  const isOwnName = task.state === 'open' && task.owner === caller.actor
  if (isFree || isOwnName) return 'grant'
  throw leaseRunning(task)
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
  if (!everHeld(claims, caller)) return neverHeld(task, caller)
  const lost = { owner: task.owner, since: sinceOf(task, claims), generation: task.generation }
  return isOwnAgain(task, caller) ? oldFolder(task, caller, lost) : claimLost(task, lost)
}

type Lost = {
  readonly owner: string | null
  readonly since: Instant | null
  readonly generation: number
}

function sinceOf(task: Task, claims: readonly Claim[]): Instant | null {
  const newest = claims.at(-1)
  return newest?.generation === task.generation ? newest.at : null
}

/** The owner itself, writing as it could before its newest claim: from a folder of an earlier one. */
function isOwnAgain(task: Task, { actor, session, generation }: Caller): boolean {
  return task.owner === actor && task.ownerSession === session && generation !== null
}

function oldFolder({ id }: Task, { generation }: Caller, lost: Lost): Fault {
  return new Fault(
    'claim_lost',
    `claim lost: ${id} is not written from this folder any more, which is of generation ${generation}; ${holderOf(lost)}, in generation ${lost.generation} and another folder.`,
    `Nothing was stored. Go on in its present folder: cd "$(av task path ${id})".`,
    { detail: lost },
  )
}

function claimLost({ id }: Task, lost: Lost): Fault {
  return new Fault(
    'claim_lost',
    `claim lost: ${id} is no longer yours to write to; ${holderOf(lost)}, in generation ${lost.generation}.`,
    `Nothing was stored, and what you changed on disk stays where it is. See \`av task show ${id}\`.`,
    { detail: lost },
  )
}

function holderOf({ owner, since }: Lost): string {
  if (owner === null) return 'nobody holds it now'
  return `${owner} holds it${since === null ? '' : ` since ${since}`}`
}

function neverHeld(task: Task, caller: Caller): Fault {
  const owner = task.owner === null ? "nobody's" : `${task.owner}'s`
  return new Fault(
    'refused_rule',
    `${task.id} is ${owner} task, and ${caller.actor} never held it.`,
    `Claim it where that is possible (\`av claim ${task.id}\`), or leave a note or a review on it with --task.`,
    { detail: { reason: 'never_held', owner: task.owner, generation: task.generation } },
  )
}

function leaseRunning(task: Task): Fault {
  const { id, owner, leaseExpiresAt: until } = task
  return new Fault(
    'refused_rule',
    `${id} is ${task.state} and ${owner}'s until ${until}: a lease is running.`,
    `Wait until it lapses, or have ${owner} hand it off. See \`av task show ${id}\`.`,
    { detail: { reason: 'lease_running', owner, until } },
  )
}
