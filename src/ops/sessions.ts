import type { Input } from '../api/routes.ts'
import type { SessionView } from '../api/views.ts'
import type { Caller } from '../domain/actor.ts'
import { Fault } from '../domain/fault.ts'
import { deliveredBy, type Ledger } from '../domain/ledger.ts'
import type { Manifest } from '../domain/receipt.ts'
import type { RepoId } from '../domain/repo.ts'
import type { Reader, ReadingSession } from '../store/session-ledger.ts'
import type { Store } from '../store/store.ts'
import type { Handler } from './deps.ts'
import { findReceipt, findRepo } from './lookup.ts'

/** What a pack is made for: its reader, and what that has. Null: no session is told, nothing is noted. */
export async function readingOf(
  store: Store,
  repo: RepoId,
  input: Pick<Input<'pack'>, 'session' | 'fresh'>,
  caller: Caller,
): Promise<Reading | null> {
  const session = input.session ?? caller.session
  if (session === null) return null
  const reader = { session, actor: caller.actor }
  const { resets, items } = await store.sentTo(repo, reader)
  const sent = input.fresh ? [] : items
  return { reader, resets, ledger: new Map(sent.map(({ id, tier, hash }) => [id, { tier, hash }])) }
}

export type Reading = { readonly reader: Reader; readonly resets: number; readonly ledger: Ledger }

/** What was sent stands in the receipt; who made it out, or for whom, does not matter here. */
export const acknowledgePack: Handler<'pack.ack'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const { id, manifest } = await findReceipt(store, repo.id, input.receipt)
  const { session, resets } = input
  const reader = { session, actor: caller.actor }
  const items = deliveredBy(manifest as Manifest)
  return { noted: await store.noteSent(repo.id, reader, { receipt: id, resets, items }) }
}

export const listSessions: Handler<'session.list'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const { items, more } = await store.listSessions(repo.id, {}, input.limit)
  return { items: items.map(viewOf), more }
}

export const showSession: Handler<'session.show'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const named = sessionGiven(input.session, caller)
  const [found] = (await store.listSessions(repo.id, { session: named }, 1)).items
  if (found === undefined) {
    throw new Fault(
      'not_found',
      `No pack was delivered to a session ${named}.`,
      'See `av session list`.',
      { detail: { reason: 'session_unknown', session: named } },
    )
  }
  const { items, more } = await store.listSent(repo.id, named, input.limit)
  const sent = items.map(({ id, tier, actor, receipt, at }) => ({ id, tier, actor, receipt, at }))
  return { ...viewOf(found), sent, more }
}

/** For a session that nothing is known of as well: a pack may be under way to it. */
export const resetSession: Handler<'session.reset'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const session = sessionGiven(input.session, caller)
  return { session, forgotten: await store.resetSession(repo.id, session) }
}

function sessionGiven(named: string | undefined, { session }: Caller): string {
  const given = named ?? session
  if (given !== null) return given
  throw new Fault(
    'bad_input',
    'No session is named, and this process belongs to none.',
    'Name one (`av session list`), or set AV_SESSION.',
    { detail: { reason: 'no_session' } },
  )
}

function viewOf({ session, actors, items, resets, seenAt }: ReadingSession): SessionView {
  return { session, actors, items, resets, at: seenAt }
}
