import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Output, Sent } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { linesOf } from '../support/pack-input.ts'
import { freshStore } from '../support/stores.ts'
import { agent, human, Office } from './office.ts'

setDefaultTimeout(60_000)

const ada = agent('ada')

let office: Office
let task: string
let owner: Caller
beforeEach(async () => {
  office = await Office.open((await freshStore()).store)
  ;({ task, owner } = await office.task('Refresh the session token', ada))
})

type Pack = Output<'pack'>

const pack = (by: Caller = ada, more: Partial<Sent<'pack'>> = {}): Promise<Pack> =>
  office.call(
    'pack',
    {
      ...{ repo: office.repo, task, focus: [], budget: 800, view: null, changed: [] },
      ...{ indexing: false, ...more },
    },
    by,
  )
const acknowledge = ({ receipt, reader }: Pack, by: Caller = ada) =>
  office.call('pack.ack', { repo: office.repo, receipt, ...reader! }, by)
const read = async (by: Caller = ada, more: Partial<Sent<'pack'>> = {}): Promise<Pack> => {
  const made = await pack(by, more)
  await acknowledge(made, by)
  return made
}
const decide = (summary: string, more: Partial<Sent<'record'>> = {}) =>
  office.record(task, owner, summary, more)
const historyOf = ({ text }: Pack) => linesOf(text, 'history').join('\n')

describe('a pack for a session', () => {
  test('refers back to what was delivered to its reader, and shows what is new', async () => {
    const first = await decide('Session token lives an hour')
    expect(historyOf(await read())).toContain(first.id)
    const second = await decide('Session token is opaque')
    const later = await read()
    expect(historyOf(later)).toContain(second.id)
    expect(historyOf(later)).not.toContain(first.id)
    expect(later.text).toContain(`\nsent before: ${first.id}\n`)
    expect(later.sentBefore).toContain(first.id)
    const last = await pack()
    expect(last.items).toEqual([])
    expect(last.text).toContain(`\nsent before: ${second.id}, ${first.id}\n`)
    // What it refers to is obtained by the name it gives.
    const { items } = await office.call(
      'expand',
      { repo: office.repo, ids: [first.id], view: null },
      ada,
    )
    expect(items[0]?.text).toContain('Session token lives an hour')
  })

  test('that was not acknowledged counts for nothing', async () => {
    const { id } = await decide('Session token lives an hour')
    await pack()
    expect(historyOf(await pack())).toContain(id)
  })

  test('acknowledged twice is delivered once', async () => {
    await decide('Session token lives an hour')
    const made = await read()
    const after = await pack()
    expect(await acknowledge(made)).toEqual({ noted: true })
    expect((await pack()).text).toBe(after.text)
  })

  test('is another one for another actor, another session, a subagent', async () => {
    const { id } = await decide('Session token lives an hour')
    await read()
    for (const by of [agent('ben'), agent('ada', 's2'), agent('ada', 's1/agent-7')]) {
      const made = await pack(by)
      expect([by, historyOf(made), made.sentBefore]).toEqual([by, expect.stringContaining(id), []])
    }
    expect(historyOf(await pack(ada))).toBe('')
    // By `--session` as by the environment.
    expect(historyOf(await pack(human('ada'), { session: 's1' }))).toBe('')
  })

  test('is not deduplicated without a session', async () => {
    const { id } = await decide('Session token lives an hour')
    const made = await pack(human('ada'))
    expect(made.reader).toBeNull()
    expect(historyOf(await pack(human('ada')))).toContain(id)
    expect((await pack(human('ada'))).text).toBe(made.text)
  })

  test('is the same bytes after a restart of the daemon, and explains itself', async () => {
    await decide('Session token lives an hour')
    await read()
    await decide('Session token is opaque')
    const made = await pack(ada, { explain: true })
    office.restart()
    expect(await pack(ada, { explain: true })).toEqual(made)
    expect(made.explanation).toContain(
      'recomputed from the manifest: score and tier of every line agree',
    )
    expect(made.explanation).toContain('sent before to this reader:')
    const { explanation } = await office.call('receipt', {
      ...{ repo: office.repo, id: made.receipt, explain: true },
    })
    expect(explanation).toBe(made.explanation)
  })

  test('is sent what changed, and what it supersedes is gone', async () => {
    const old = await decide('Session token lives an hour')
    await read()
    const next = await decide('Session token lives a day', { supersedes: [old.id] })
    const made = await pack()
    expect(historyOf(made)).toContain(next.id)
    expect(made.sentBefore).not.toContain(old.id)
  })

  test('asked for afresh holds all of it, and that counts as sent', async () => {
    const { id } = await decide('Session token lives an hour')
    await read()
    const made = await pack(ada, { fresh: true })
    expect(historyOf(made)).toContain(id)
    expect(made.sentBefore).toEqual([])
    await office.call('session.reset', { repo: office.repo }, ada)
    await read(ada, { fresh: true })
    expect(historyOf(await pack())).toBe('')
  })
})

describe('a required convention', () => {
  test('is referred back to, and sent again when it changed', async () => {
    await office.checkpoint(task, owner, 'x')
    const add = (text: string) =>
      office.call('convention.add', {
        ...{ repo: office.repo, glob: 'src/**', text, required: true },
      })
    const rule = await add('Never throw.')
    expect((await read()).text).toContain('Never throw.')
    const later = await pack()
    expect(later.text).not.toContain('Never throw.')
    expect(later.text).toMatch(new RegExp(`\nsent before: (?:.*, )?${rule.id}(?:,|\n)`))
    await office.call('convention.retire', { repo: office.repo, id: rule.id })
    await add('Never throw, never.')
    expect((await pack()).text).toContain('Never throw, never.')
  })
})

describe('two packs of one reader', () => {
  test('made at the same moment both send, and both count', async () => {
    const { id } = await decide('Session token lives an hour')
    const [one, other] = await Promise.all([pack(), pack(ada, { budget: 100 })])
    expect(historyOf(one)).toContain(id)
    expect(historyOf(other)).toContain(id)
    await Promise.all([acknowledge(other), acknowledge(one)])
    expect(historyOf(await pack(ada, { budget: 2_000 }))).toBe('')
  })
})

describe('a session that lost its context', () => {
  test('is sent everything again', async () => {
    await decide('Session token lives an hour')
    const first = await read()
    const lost = await office.call('session.reset', { repo: office.repo }, ada)
    expect(lost).toEqual({ session: 's1', forgotten: first.items.length })
    expect((await pack()).text).toBe(first.text)
  })

  test('does not count a pack that was under way to it', async () => {
    const { id } = await decide('Session token lives an hour')
    const made = await pack()
    await office.call('session.reset', { repo: office.repo }, ada)
    expect(await acknowledge(made)).toEqual({ noted: false })
    expect(historyOf(await pack())).toContain(id)
  })

  test('is reset by its name from anywhere, with its subagents, and no other is', async () => {
    await decide('Session token lives an hour')
    const readers = [ada, agent('ben'), agent('ada', 's1/agent-7'), agent('ada', 's2')]
    for (const by of readers) await read(by)
    await office.call('session.reset', { repo: office.repo, session: 's1' }, human('mia'))
    const shown = await Promise.all(readers.map(async (by) => historyOf(await pack(by)) !== ''))
    expect(shown).toEqual([true, true, true, false])
  })
})

describe('sessions', () => {
  test('are listed and shown', async () => {
    const { id } = await decide('Session token lives an hour')
    const made = await read()
    const { items } = await office.call('session.list', { repo: office.repo })
    expect(items).toMatchObject([
      { session: 's1', actors: ['ada'], items: made.items.length, resets: 0 },
    ])
    const shown = await office.call('session.show', { repo: office.repo }, ada)
    expect(shown).toMatchObject({ session: 's1', more: false })
    expect(shown.sent.find((sent) => sent.id === id)).toMatchObject({
      ...{ tier: 'handle', actor: 'ada', receipt: made.receipt },
    })
  })

  test('that were never heard of are not found; none at all is a question', async () => {
    const refusal = async (...[name, input, by]: Parameters<Office['refusal']>) => {
      const fault = await office.refusal(name, input, by)
      return `${fault?.code}/${fault?.detail.reason}`
    }
    const there = { repo: office.repo }
    expect(await refusal('session.show', { ...there, session: 's9' })).toBe(
      'not_found/session_unknown',
    )
    expect(await refusal('session.show', there)).toBe('bad_input/no_session')
    expect(await refusal('session.reset', there)).toBe('bad_input/no_session')
    const unknown = { ...there, receipt: 'rcp:00000000', session: 's1', resets: 0 }
    expect(await refusal('pack.ack', unknown, ada)).toBe('not_found/receipt_unknown')
  })
})
