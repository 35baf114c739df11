import type { Delivered, Sent } from '../domain/ledger.ts'
import type { Instant, RepoId } from '../domain/repo.ts'

/**
 * The part of the store that knows what readers have; what `Store` promises holds here too, but that nothing takes a
 * position: a ledger is no fact of a repo, and losing it costs tokens only. Of a reader at most `ENTRIES_MAX` items are
 * kept, those of the newest deliveries; sessions of which nothing was heard for 30 days are forgotten by `maintain`.
 */
export interface SessionLedger {
  /** What a reader has, in no promised order; and how often its session lost its context so far. */
  sentTo(
    repo: RepoId,
    reader: Reader,
  ): Promise<{ readonly resets: number; readonly items: readonly SentItem[] }>
  /**
   * Notes what was delivered; again, it changes nothing. False, and nothing is noted, when the session lost its
   * context since the pack was made: `resets` is what `sentTo` said then.
   */
  noteSent(
    repo: RepoId,
    reader: Reader,
    delivery: {
      readonly receipt: string
      readonly resets: number
      readonly items: readonly Delivered[]
    },
  ): Promise<boolean>
  /** Forgets what a session was sent, and those below it (`S/…`); how many items that were. */
  resetSession(repo: RepoId, session: string): Promise<number>
  /** The last heard of first. */
  listSessions(
    repo: RepoId,
    filter: { readonly session?: string },
    limit: number,
  ): Promise<{ readonly items: readonly ReadingSession[]; readonly more: boolean }>
  /** What the readers of one session have, newest delivery first. */
  listSent(
    repo: RepoId,
    session: string,
    limit: number,
  ): Promise<{ readonly items: readonly SentTo[]; readonly more: boolean }>
}

/** Of one reader. */
export const ENTRIES_MAX = 2_000

/** Who reads packs: an actor in a session. A subagent's session has a name of its own, `S/agent-7`. */
export type Reader = { readonly session: string; readonly actor: string }

export type SentItem = Sent & { readonly id: string }
export type SentTo = SentItem & {
  readonly actor: string
  /** Of the pack that brought it last. */
  readonly receipt: string
  readonly at: Instant
}

export type ReadingSession = {
  readonly session: string
  /** Ordered by bytes. */
  readonly actors: readonly string[]
  readonly items: number
  readonly resets: number
  readonly seenAt: Instant
}
