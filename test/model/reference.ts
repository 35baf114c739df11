import type { Caller } from '../../src/domain/actor.ts'
import { SlotReference } from './reference-slot.ts'
import {
  type Expected,
  type Facts,
  freshTask,
  type Holder,
  LANDING,
  LEASE,
  type ReferenceTask,
  WRONG_STATE,
} from './reference-task.ts'
import type { Request, RequestOf } from './request.ts'

/**
 * What the pages of the project promise, as a table small enough to be read in one go. It shares no line with the code
 * it judges: every call is either allowed, and then changes this, or is refused for the first reason that holds.
 */
export class Reference {
  constructor(readonly facts: Facts) {}

  copy(): Reference {
    return new Reference(structuredClone(this.facts))
  }

  /** Equal for two that know the same. */
  fingerprint(): string {
    return JSON.stringify(this.facts, (_, value: unknown) =>
      value instanceof Map || value instanceof Set ? [...value] : value,
    )
  }

  /** The refusal, as `code reason`; or what an answer must tell. */
  judge(request: Request): string | Expected {
    switch (request.name) {
      case 'task.start':
      case 'task.file':
        return this.create(request)
      case 'task.list':
        return {}
      case 'task.show':
        return this.seen(this.task(request.input.task))
      case 'task.check':
        return this.withTask(request, (task) => notHeld(task, request.by))
      case 'claim':
        return this.claim(request)
      case 'record':
        return this.record(request)
      case 'checkpoint':
        return this.checkpoint(request)
      case 'submit':
      case 'handoff':
      case 'resolve':
      case 'abandon':
        return this.ownStep(request)
      case 'approve':
      case 'request-changes':
        return this.verdict(request)
      default:
        return new SlotReference(this).judge(request)
    }
  }

  task(id: string | null | undefined): ReferenceTask {
    const found = this.facts.tasks.get(id ?? '')
    if (found === undefined) throw new TypeError(`a call names ${id}, which nobody made`)
    return found
  }

  /** One more fact in the log. */
  note(by: Caller, positions = 1): number {
    this.facts.actors.add(by.actor)
    this.facts.position += positions
    return this.facts.position
  }

  seen(task: ReferenceTask): Expected {
    const { id, state, owner, generation, base, head, landed, approval } = task
    return {
      ...{ id, state, owner: owner?.actor ?? null, generation, base, head, landed },
      approvedBy: approval?.by ?? null,
    }
  }

  private withTask(
    { input }: RequestOf<'task.check' | 'abandon'>,
    refusal: (task: ReferenceTask) => string | null,
  ): string | Expected {
    const task = this.task(input.task)
    return refusal(task) ?? this.seen(task)
  }

  private create({
    name,
    input,
    by,
  }: RequestOf<'task.start'> | RequestOf<'task.file'>): string | Expected {
    const id = input.id ?? ''
    if (this.facts.tasks.has(id)) return 'conflict taken'
    const isStarted = name === 'task.start'
    const task = freshTask(id, isStarted ? input.base : null)
    this.facts.tasks.set(id, task)
    if (isStarted) this.give(task, by)
    this.note(by)
    return this.seen(task)
  }

  private give(task: ReferenceTask, by: Caller): void {
    task.owner = holderOf(by)
    task.holders.add(by.actor)
    task.generation += 1
    task.leaseEnd = this.facts.now + LEASE
  }

  private claim({ input, by }: RequestOf<'claim'>): string | Expected {
    const task = this.task(input.task)
    const { state, owner } = task
    const isWaiting = state === 'open' || state === 'conflicted'
    if (isWaiting && isHeld(task, by)) {
      task.leaseEnd = this.facts.now + LEASE
      return { ...this.seen(task), isRenewal: true }
    }
    if (!isWaiting && state !== 'handed_off') return WRONG_STATE
    const isLapsed = task.leaseEnd === null || task.leaseEnd <= this.facts.now
    const isOwnName = state === 'open' && owner?.actor === by.actor
    if (state !== 'handed_off' && owner !== null && !isLapsed && !isOwnName) {
      return 'refused_rule lease_running'
    }
    if (state === 'handed_off') task.state = 'open'
    if (task.base === null && task.head === null) task.base = input.base
    this.give(task, by)
    this.note(by)
    return { ...this.seen(task), isRenewal: false }
  }

  private record({ input, by }: RequestOf<'record'>): string | Expected {
    const task = this.task(input.task)
    if (task.holders.has(by.actor)) {
      const refusal = notHeld(task, by) ?? (LIVE.has(task.state) ? null : WRONG_STATE)
      if (refusal !== null) return refusal
      task.leaseEnd = this.facts.now + LEASE
    } else {
      if (input.kind !== 'note' && input.kind !== 'review') return NEVER_HELD
      if (task.state === 'abandoned') return WRONG_STATE
    }
    if (input.kind !== 'review' && input.kind !== 'intent') task.isTold = true
    return { task: task.id, summary: input.summary, position: this.note(by) }
  }

  private checkpoint({ input, by }: RequestOf<'checkpoint'>): string | Expected {
    const task = this.task(input.task)
    const refusal =
      notHeld(task, by) ??
      (CHECKPOINTED.has(task.state) ? null : WRONG_STATE) ??
      (task.landing === null ? null : LANDING)
    if (refusal !== null) return refusal
    const { approval } = task
    const base = input.base ?? task.base
    const isSame = approval?.tree === input.tree && approval.base === base
    if (task.state === 'in_review' && !isSame) task.approval = null
    this.keepSnapshot(task, input)
    task.leaseEnd = this.facts.now + LEASE
    return { task: task.id, commit: input.commit, position: this.note(by) }
  }

  keepSnapshot(task: ReferenceTask, sent: Omit<RequestOf<'checkpoint'>['input'], 'task'>): void {
    const { commit, base, tree, patch, conflicts, files } = sent
    task.head = commit
    if (base !== null) task.base = base
    task.last = { commit, base, tree, patch, conflicts: conflicts.length, files: files.length }
  }

  private ownStep(
    request:
      | RequestOf<'submit'>
      | RequestOf<'handoff'>
      | RequestOf<'resolve'>
      | RequestOf<'abandon'>,
  ): string | Expected {
    const { name, by } = request
    const task = this.task(request.input.task)
    const isLanding = task.landing !== null
    const refusal =
      notHeld(task, by) ??
      (STEPS[name].from.has(task.state) ? null : WRONG_STATE) ??
      (isLanding ? LANDING : unready(task, request))
    if (refusal !== null) return refusal
    task.state = STEPS[name].to
    if (name === 'submit' || name === 'abandon') task.approval = null
    task.leaseEnd = name === 'abandon' ? null : this.facts.now + LEASE
    this.note(by, name === 'handoff' ? 2 : 1)
    return this.seen(task)
  }

  private verdict({
    name,
    input,
    by,
  }: RequestOf<'approve'> | RequestOf<'request-changes'>): string | Expected {
    const task = this.task(input.task)
    if (task.state !== 'in_review') return WRONG_STATE
    const { actors } = this.facts
    const isAlone = actors.size === 1 && actors.has(by.actor)
    const isOwn = task.holders.has(by.actor)
    if (isOwn && !(name === 'approve' && isAlone)) return 'refused_rule own_task'
    const { last } = task
    const isAt = task.head === input.tip && task.base === input.base && last?.commit === input.tip
    const hasConflicts = last !== null && last.conflicts > 0
    if (isAt && hasConflicts && name === 'approve') return 'refused_rule conflicts_left'
    const isSame = last?.tree === input.tree && last.patch === input.patch
    if (!isAt || !(isSame || hasConflicts)) return 'refused_rule changed'
    if (task.landing !== null) return LANDING
    const said = name === 'request-changes' || (input.message ?? '') !== ''
    const position = this.note(by, said ? 2 : 1)
    if (name === 'approve') {
      const { tree, patch, base } = input
      task.approval = { position, by: by.actor, tree, patch, base, carriedFrom: null }
    } else {
      task.state = 'open'
      task.approval = null
      task.leaseEnd = this.facts.now + LEASE
    }
    return this.seen(task)
  }
}

const NEVER_HELD = 'refused_rule never_held'
const LIVE = new Set(['open', 'in_review', 'handed_off', 'conflicted'])
const CHECKPOINTED = new Set(['open', 'in_review', 'conflicted'])
const STEPS = {
  submit: { from: new Set(['open']), to: 'in_review' },
  handoff: { from: new Set(['open']), to: 'handed_off' },
  resolve: { from: new Set(['conflicted']), to: 'open' },
  abandon: { from: LIVE, to: 'abandoned' },
} as const
function holderOf({ actor, session }: Caller): Holder {
  return { actor, session }
}

function isHeld({ owner, generation }: ReferenceTask, by: Caller): boolean {
  return owner?.actor === by.actor && owner.session === by.session && generation === by.generation
}

function notHeld(task: ReferenceTask, by: Caller): string | null {
  if (isHeld(task, by)) return null
  return task.holders.has(by.actor) ? 'claim_lost' : NEVER_HELD
}

/** What is wanted of a task before its owner may take the step. */
function unready(
  { last, head, isTold }: ReferenceTask,
  {
    name,
    input,
  }: RequestOf<'submit'> | RequestOf<'handoff'> | RequestOf<'resolve'> | RequestOf<'abandon'>,
): string | null {
  const untold = isTold ? null : 'refused_rule no_why'
  const moved = 'conflict head_moved'
  if (name === 'abandon') return (input.commit ?? head) === head ? null : moved
  if (name === 'handoff') return untold ?? ((input.commit ?? head) === head ? null : moved)
  if (last?.commit !== input.commit || head !== input.commit) return moved
  if (last.conflicts > 0) return 'refused_rule conflicts_left'
  if (name === 'resolve') return null
  return last.files === 0 ? 'refused_rule no_changes' : untold
}
