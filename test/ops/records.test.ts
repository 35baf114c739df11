import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { freshStore } from '../support/stores.ts'
import { agent, human, Office } from './office.ts'

setDefaultTimeout(30_000)
let office: Office
beforeEach(async () => {
  office = await Office.open((await freshStore()).store)
})

describe('who may keep a record', () => {
  test('the owner, under the claim', async () => {
    const { task, owner } = await office.task('Fix the login', agent('ada'))
    const kept = await office.record(task, owner, 'Check the token first')
    expect(kept).toMatchObject({ task, kind: 'decision', redacted: 0 })
    expect(kept.id).toMatch(/^r:[0-9a-f]{8}$/)
  })

  test("the owner's name in another session has lost it", async () => {
    const { task } = await office.task('Fix the login', agent('ada', 's1'))
    const other = { ...agent('ada', 's2'), generation: 1 }
    const fault = await office.record(task, other, 'x').catch((thrown) => thrown)
    expect(fault).toMatchObject({ code: 'claim_lost', detail: { owner: 'ada', generation: 1 } })
  })

  test('whoever never held it may comment, and no more', async () => {
    const { task } = await office.task('Fix the login', agent('ada'))
    const fault = await office.record(task, human('mia'), 'x').catch((thrown) => thrown)
    expect(fault).toMatchObject({ code: 'refused_rule', detail: { reason: 'never_held' } })
    const note = await office.record(task, human('mia'), 'Mind the cache', { kind: 'note' })
    expect(note.kind).toBe('note')
  })

  test('a claim is told as lost before the work, too', async () => {
    const { task } = await office.task('Fix the login', agent('ada', 's1'))
    const other = { ...agent('ada', 's2'), generation: 1 }
    const input = { repo: office.repo, task }
    expect((await office.refusal('task.check', input, other))?.code).toBe('claim_lost')
    expect((await office.refusal('task.check', input, human('mia')))?.code).toBe('refused_rule')
  })
})

describe('what is kept', () => {
  test('secrets are replaced, counted, and nowhere in the store', async () => {
    const { store, query } = await freshStore()
    office = await Office.open(store)
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const { task, owner } = await office.task(`Use ${secret} for the mirror`, agent('ada'))
    const kept = await office.record(task, owner, `Token ${secret}`, { body: `again ${secret}` })
    expect(kept).toMatchObject({ redacted: 2, summary: 'Token [redacted:github-token]' })
    const { items } = await office.call('log', logOf(office))
    expect(items[0]?.body).toBe('again [redacted:github-token]')
    const tasks = JSON.stringify(await query('select * from task'))
    expect(tasks).toContain('[redacted:github-token]')
    expect(tasks).not.toContain(secret)
  })

  test('a newer record supersedes an older one, which stays readable', async () => {
    const { task, owner } = await office.task('Fix the login', agent('ada'))
    const old = await office.record(task, owner, 'Retry three times')
    const fresh = await office.record(task, owner, 'Retry once', {
      supersedes: [old.id.slice(0, 6)],
    })
    const current = await office.call('log', logOf(office))
    expect(current.items.map(({ id }) => id)).toEqual([fresh.id])
    const all = await office.call('log', { ...logOf(office), all: true })
    expect(all.items.map(({ id, marks }) => [id, marks])).toEqual([
      [fresh.id, []],
      [old.id, ['superseded']],
    ])
    expect(all.items[1]?.supersededBy).toEqual([fresh.id])
  })

  test('a purged one keeps its place and says so', async () => {
    const { task, owner } = await office.task('Fix the login', agent('ada'))
    const { id, position } = await office.record(task, owner, 'The key is under the mat')
    await office.call('purge', { repo: office.repo, id, yes: true })
    const { items } = await office.call('log', logOf(office))
    expect(items.map((item) => [item.id, item.position, item.marks])).toEqual([
      [id, position, ['purged']],
    ])
    expect(JSON.stringify(items)).not.toContain('mat')
  })
})

describe('an id', () => {
  test('may be cut short as long as it is the only one', async () => {
    const { task, owner } = await office.task('Fix the login', agent('ada'))
    const { id } = await office.record(task, owner, 'Retry once')
    const ids = [id.slice(0, 7)]
    const { items } = await office.call('expand', { repo: office.repo, ids, view: null })
    expect(items[0]?.id).toBe(id)
  })

  test('that could be several names them', async () => {
    await office.task('Fix the login', agent('ada'))
    await office.task('Fix the logout', agent('ada'))
    const fault = await office.refusal('task.show', { repo: office.repo, task: 'fix-the' })
    expect(fault?.code).toBe('bad_input')
    expect(fault?.detail.candidates).toHaveLength(2)
  })
})

function logOf({ repo }: Office) {
  return { repo, all: false, limit: 50, path: null, view: null }
}
