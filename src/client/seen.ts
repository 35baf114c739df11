import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomic } from '../workspace/atomic.ts'
import type { Session } from './session.ts'

/**
 * Which checkpoint of a task somebody looked at last, by actor and session: an approval is of that one, and not of
 * what its owner has made of it since.
 */
export async function noteSeen(session: Session, task: SeenTask, head: string): Promise<void> {
  mkdirSync(folderOf(session), { recursive: true, mode: 0o700 })
  writeAtomic(await fileOf(session, task), `${JSON.stringify({ head })}\n`)
}

/** Null: it was not looked at by `review show` or `diff`. */
export async function seenHead(session: Session, task: SeenTask): Promise<string | null> {
  let text: string
  try {
    text = readFileSync(await fileOf(session, task), 'utf8')
  } catch {
    return null
  }
  const read = written.safeParse(JSON.parse(text))
  return read.success ? read.data.head : null
}

export type SeenTask = { readonly repo: string; readonly task: string }

const written = z.object({ head: z.string() })

const folderOf = ({ host }: Session) => join(host.home, 'seen')

async function fileOf(session: Session, { repo, task }: SeenTask): Promise<string> {
  const { actor, session: conversation } = await session.tools.caller()
  const key = JSON.stringify([actor, conversation, repo, task])
  const name = createHash('sha256').update(key).digest('hex').slice(0, 32)
  return join(folderOf(session), `${name}.json`)
}
