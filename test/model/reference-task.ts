/** What the reference knows of one repo. */
export type Facts = {
  /** Seconds since the history began. */
  now: number
  position: number
  trunk: string | null
  slot: number
  /** When the slot lapses; null: nobody holds it. */
  slotEnd: number | null
  open: {
    readonly slot: number
    readonly task: string
    readonly kind: 'merge' | 'undo' | 'revert'
    readonly old: string | null
    readonly new: string | null
  } | null
  readonly landings: Map<number, 'open' | 'landed' | 'discarded'>
  readonly actors: Set<string>
  readonly tasks: Map<string, ReferenceTask>
}

export type Holder = { readonly actor: string; readonly session: string | null }

export type ReferenceTask = {
  readonly id: string
  state: string
  owner: Holder | null
  generation: number
  readonly holders: Set<string>
  leaseEnd: number | null
  base: string | null
  head: string | null
  last: {
    readonly commit: string
    readonly base: string | null
    readonly tree: string | null
    readonly patch: string
    readonly conflicts: number
    readonly files: number
  } | null
  /** Whether a record tells why it is as it is. */
  isTold: boolean
  approval: ReferenceVerdict | null
  landing: number | null
  landed: string | null
  isReverted: boolean
  /** The move of trunk that an undo takes back. */
  undoable: { readonly from: string | null; readonly to: string | null } | null
}

export type ReferenceVerdict = {
  readonly position: number
  readonly by: string
  readonly tree: string
  readonly patch: string
  readonly base: string | null
  readonly carriedFrom: ReferenceVerdict | null
}

export function freshFacts(trunk: string, position: number, actors: readonly string[]): Facts {
  return {
    ...{ now: 0, position, trunk, slot: 0, slotEnd: null, open: null },
    ...{ landings: new Map(), actors: new Set(actors), tasks: new Map() },
  }
}

export function freshTask(id: string, base: string | null): ReferenceTask {
  return {
    ...{ id, state: 'open', owner: null, generation: 0, holders: new Set(), leaseEnd: null },
    ...{ base, head: null, last: null, isTold: false, approval: null, landing: null },
    ...{ landed: null, isReverted: false, undoable: null },
  }
}

/** What an answer must hold, by the field's path. */
export type Expected = Readonly<Record<string, unknown>>

/** Seconds, as the daemons are started with. */
export const LEASE = 1_800
export const WRONG_STATE = 'refused_transition state'
export const LANDING = 'conflict landing'
