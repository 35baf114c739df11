import type { Reference } from './reference.ts'
import {
  type Expected,
  type Facts,
  LANDING,
  LEASE,
  type ReferenceTask,
  WRONG_STATE,
} from './reference-task.ts'
import type { Request, RequestOf } from './request.ts'

/** What moves trunk, and what whoever holds the slot finds out. */
export class SlotReference {
  private readonly facts: Facts

  constructor(private readonly reference: Reference) {
    this.facts = reference.facts
  }

  judge(request: SlotRequest): string | Expected {
    switch (request.name) {
      case 'slot.take':
        return this.take(request)
      case 'slot.free':
        if (request.input.slot === this.facts.slot) this.facts.slotEnd = null
        return {}
      case 'landing.open':
        return this.open(request)
      case 'landing.close':
        return this.close(request)
      case 'landing.conflict':
      case 'landing.stale':
      case 'trunk.landed':
        return this.find(request)
      case 'trunk.note': {
        const { slot, old, new: to } = request.input
        const refusal = this.lost(slot) ?? (this.facts.trunk === old ? null : TRUNK_MOVED)
        if (refusal !== null) return refusal
        this.facts.trunk = to
        return { position: this.reference.note(request.by) }
      }
    }
  }

  private take({ input }: RequestOf<'slot.take'>): string | Expected {
    const { kind } = input
    const task = input.task === null ? null : this.reference.task(input.task)
    if (task !== null && kind !== 'sync' && task.landing === null) {
      if (task.state !== (kind === 'merge' ? 'in_review' : 'merged')) return WRONG_STATE
      if (kind !== 'merge' && task.isReverted) return 'refused_rule already_reverted'
      if (kind === 'merge' && task.approval === null) return 'refused_rule not_approved'
      if (kind === 'merge' && input.tree !== null && input.tree !== task.approval?.tree) {
        return 'refused_rule tree_changed'
      }
    }
    if (this.facts.slotEnd !== null && this.facts.slotEnd > this.facts.now) {
      return 'conflict slot_taken'
    }
    this.facts.slot += 1
    this.facts.slotEnd = this.facts.now + SLOT
    const { open } = this.facts
    return {
      ...{ slot: this.facts.slot, trunk: this.facts.trunk },
      'open.slot': open?.slot,
      'verdict.position': kind === 'merge' && open === null ? task?.approval?.position : undefined,
    }
  }

  /** Null where the slot is still one's own. */
  private lost(slot: number): string | null {
    const { slot: newest, slotEnd, now } = this.facts
    return slot === newest && slotEnd !== null && slotEnd > now ? null : 'conflict slot_lost'
  }

  private open({ input, by }: RequestOf<'landing.open'>): string | Expected {
    const task = this.reference.task(input.task)
    const { kind, slot, old, new: to, merge } = input
    const refusal =
      (task.state === (kind === 'merge' ? 'in_review' : 'merged') ? null : WRONG_STATE) ??
      brokenRule(task, input) ??
      (task.landing === null ? null : LANDING) ??
      this.lost(slot) ??
      (this.facts.trunk === old ? null : TRUNK_MOVED) ??
      (this.facts.open === null ? null : LANDING)
    if (refusal !== null) return refusal
    this.facts.slotEnd = this.facts.now + SLOT
    this.facts.open = { slot, task: task.id, kind, old, new: to }
    this.facts.landings.set(slot, 'open')
    task.landing = slot
    const given = task.approval
    if (kind === 'merge' && merge !== null && merge.carried !== null && given !== null) {
      const { base, tree, patch } = merge.carried
      const position = this.reference.note(by)
      task.approval = { position, by: given.by, tree, patch, base, carriedFrom: given }
    }
    return { slot, state: 'open' }
  }

  private close({ input, by }: RequestOf<'landing.close'>): string | Expected {
    const { open, landings } = this.facts
    const known = landings.get(input.landing)
    if (known === undefined) return 'not_found landing'
    if (open === null || open.slot !== input.landing) {
      return known === (input.landed ? 'landed' : 'discarded') ? {} : 'conflict landing_closed'
    }
    const isThere = this.facts.trunk === open.old || this.facts.trunk === open.new
    const refusal = this.lost(input.slot) ?? (input.landed && !isThere ? TRUNK_MOVED : null)
    if (refusal !== null) return refusal
    const task = this.reference.task(open.task)
    landings.set(open.slot, input.landed ? 'landed' : 'discarded')
    this.facts.open = null
    this.facts.slotEnd = null
    task.landing = null
    if (input.landed) {
      this.facts.trunk = open.new
      this.reference.note(by)
    }
    this.follow(task, open, input.landed)
    return this.reference.seen(task)
  }

  private follow(task: ReferenceTask, open: NonNullable<Facts['open']>, hasLanded: boolean): void {
    const asGiven = task.approval?.carriedFrom ?? task.approval
    if (!hasLanded) {
      if (open.kind === 'merge') task.approval = asGiven
    } else if (open.kind === 'merge') {
      task.state = 'merged'
      task.landed = open.new
      task.leaseEnd = null
      task.undoable = { from: open.new, to: open.old }
    } else if (open.kind === 'revert') {
      task.isReverted = true
      task.undoable = null
    } else {
      task.state = 'in_review'
      task.landed = null
      task.leaseEnd = this.facts.now + LEASE
      task.approval = asGiven
      task.undoable = null
    }
  }

  private find(request: Finding): string | Expected {
    const { name, input, by } = request
    const task = this.reference.task(input.task)
    const refusal =
      (FOUND_IN[name].has(task.state) ? null : WRONG_STATE) ??
      (task.landing === null ? null : LANDING) ??
      (name === 'landing.stale' && task.approval?.position !== input.verdict
        ? 'conflict approval_changed'
        : null) ??
      this.lost(input.slot)
    if (refusal !== null) return refusal
    this.reference.note(by)
    if (name === 'trunk.landed') {
      task.state = 'merged'
      task.landed = input.commit
      task.leaseEnd = null
    } else {
      task.approval = null
    }
    if (name !== 'landing.conflict') return this.reference.seen(task)
    task.state = 'conflicted'
    task.leaseEnd = this.facts.now + LEASE
    if (input.checkpoint !== null) {
      this.reference.keepSnapshot(task, { ...input.checkpoint, message: '' })
      this.reference.note(by)
    }
    return {}
  }
}

type SlotRequest = Extract<
  Request,
  { readonly name: `slot.${string}` | `landing.${string}` | `trunk.${string}` }
>
type Finding =
  | RequestOf<'landing.conflict'>
  | RequestOf<'landing.stale'>
  | RequestOf<'trunk.landed'>

/** Seconds for which a slot is held. */
const SLOT = 60
const TRUNK_MOVED = 'conflict trunk_moved'
const FOUND_IN = {
  'landing.conflict': new Set(['in_review']),
  'landing.stale': new Set(['in_review']),
  'trunk.landed': new Set(['open', 'in_review', 'handed_off']),
}

function brokenRule(
  { approval, landed, isReverted, undoable }: ReferenceTask,
  { kind, old, new: to, merge, patch }: RequestOf<'landing.open'>['input'],
): string | null {
  if (kind === 'merge') {
    if (approval === null || approval.position !== merge?.verdict)
      return 'refused_rule not_approved'
    const isSame =
      approval.tree === merge.tree && (merge.carried !== null || approval.patch === patch)
    return isSame ? null : 'refused_rule tree_changed'
  }
  if (kind === 'undo') {
    const isTip = landed === old && undoable?.from === old && undoable.to === to
    return isTip ? null : 'refused_rule not_trunk_tip'
  }
  return landed !== null && !isReverted ? null : 'refused_rule already_reverted'
}
