import { z } from 'zod'
import { HomeFacts } from './home-facts.ts'
import type { Session } from './session.ts'

/**
 * Which checkpoint of a task somebody looked at last, by actor and session: an approval is of that one, and not of
 * what its owner has made of it since.
 */
export async function noteSeen(session: Session, task: SeenTask, head: string): Promise<void> {
  factsOf(session).write(await keyOf(session, task), { head })
}

/** Null: it was not looked at by `review show` or `diff`. */
export async function seenHead(session: Session, task: SeenTask): Promise<string | null> {
  return factsOf(session).read(await keyOf(session, task))?.head ?? null
}

export type SeenTask = { readonly repo: string; readonly task: string }

const factsOf = ({ host }: Session) =>
  new HomeFacts(host.home, 'seen', z.object({ head: z.string() }))

async function keyOf(session: Session, { repo, task }: SeenTask): Promise<readonly unknown[]> {
  const { actor, session: conversation } = await session.tools.caller()
  return [actor, conversation, repo, task]
}
