export const ACTOR_KINDS = ['human', 'agent'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

/** Who calls. Names are not authenticated: whoever reaches the socket is trusted with them. */
export type Caller = {
  readonly actor: string
  readonly kind: ActorKind
  /** The agent's conversation; null is a session of its own. */
  readonly session: string | null
  /** The generation this caller was granted for the task it writes to; null when it holds none. */
  readonly generation: number | null
}

export const ACTOR_NAME_MAX = 64
