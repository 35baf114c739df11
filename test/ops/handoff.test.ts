import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { countRows, freshStore, type TestStore } from '../support/stores.ts'
import { agent, human, Office } from './office.ts'

setDefaultTimeout(60_000)
let opened: TestStore
let office: Office
beforeEach(async () => {
  opened = await freshStore()
  office = await Office.open(opened.store)
})

const begun = async () => {
  const { task, owner } = await office.work('Fix the login', agent('ada'))
  await office.record(task, owner, 'Check the token first')
  const { commit } = await office.checkpoint(task, owner, 'half')
  return { task, owner, input: { repo: office.repo, task, commit } }
}

describe('a handoff', () => {
  test('keeps what was said as a record, and answers with what the next one needs', async () => {
    const { task, owner, input } = await begun()
    const said = { done: ['the form'], remaining: ['the server'], open: ['Which store?'] }
    const view = await office.call('handoff', { ...input, ...said }, owner)
    expect(view).toMatchObject({
      ...{ state: 'handed_off', owner: 'ada', uncovered: ['src/login.ts:login'] },
      record: expect.stringMatching(/^r:[0-9a-f]{8}$/),
    })
    for (const text of ['Fix the login', 'Check the token first', 'the server', 'Which store?']) {
      expect(view.bundle).toContain(text)
    }
    const log = { repo: office.repo, task, all: false, limit: 1, path: null, view: null }
    const { items } = await office.call('log', log)
    expect(items).toMatchObject([{ id: view.record, kind: 'handoff', author: 'ada' }])
    const shown = await office.call('handoff.show', { repo: office.repo, task })
    expect(shown).toMatchObject({ task, budget: 2_000, bundle: view.bundle })
    const again = await office.call('handoff.show', { repo: office.repo, task })
    expect(again).toEqual(shown)
  })

  test('is read from Markdown, or from flags, not from both', async () => {
    const { owner, input } = await begun()
    const notes = '# Done\n- the form\n# Open questions\n- Which store?\n'
    const both = await office.refusal('handoff', { ...input, notes, done: ['x'] }, owner)
    expect(both).toMatchObject({ code: 'bad_input', detail: { reason: 'notes_twice' } })
    const neither = await office.refusal('handoff', input, owner)
    expect(neither?.detail.reason).toBe('empty_handoff')
    const view = await office.call('handoff', { ...input, notes }, owner)
    expect(view.bundle).toContain('Which store?')
  })

  test('wants a why from before: its own record does not count', async () => {
    const { task, owner } = await office.work('Fix the login', agent('ada'))
    const before = await countRows(opened.query)
    const input = { repo: office.repo, task, commit: null, done: ['nothing'] }
    const fault = await office.refusal('handoff', input, owner)
    expect(fault).toMatchObject({ status: 422, detail: { reason: 'no_why', uncovered: [] } })
    expect(await countRows(opened.query)).toEqual(before)
  })

  test('of an older checkpoint is refused, and leaves no record', async () => {
    const { task, owner, input } = await begun()
    await office.checkpoint(task, owner, 'newer')
    const before = await countRows(opened.query)
    const fault = await office.refusal('handoff', { ...input, done: ['x'] }, owner)
    expect(fault).toMatchObject({ code: 'conflict', detail: { reason: 'head_moved' } })
    expect(await countRows(opened.query)).toEqual(before)
  })

  test('holds no secret anywhere', async () => {
    const { owner, input } = await begun()
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const said = { done: [`put ${secret} in`], broken: [`${secret} leaks`] }
    const view = await office.call('handoff', { ...input, ...said }, owner)
    expect(view.bundle).toContain('[redacted:github-token]')
    const rows = JSON.stringify(await opened.query('select summary, body, redacted from record'))
    expect(`${view.bundle}${rows}`).not.toContain(secret)
    expect(rows).toContain('"redacted":2')
  })
})

describe('what the next one is told', () => {
  test('stays within its budget, decisions and dead ends before notes', async () => {
    const { task, owner } = await begun()
    for (let at = 0; at < 30; at++) {
      const kind = at % 6 === 0 ? 'attempt' : 'note'
      await office.record(task, owner, `${kind} number ${at} about the login form`, { kind })
    }
    const show = (budget: number) =>
      office.call('handoff.show', { repo: office.repo, task, budget })
    const small = await show(300)
    expect(small.tokens).toBeLessThanOrEqual(300)
    expect(small.omitted).toBeGreaterThan(0)
    // The oldest decision is there before the oldest note.
    expect(small.bundle).toContain('Check the token first')
    expect(small.bundle).not.toContain('note number 1 ')
    expect((await show(100_000)).omitted).toBe(0)
  })

  test('holds open points, checks that fail and the verdict; of a task in any state', async () => {
    const { task, owner, seen } = await office.approved('Fix it', agent('ada'), human('rae'))
    const anchors = [{ path: 'src/login.ts', symbol: 'login', hash: null }]
    const point = await office.record(task, human('rae'), 'Why so?', { kind: 'note', anchors })
    const report = { repo: office.repo, task, commit: seen.commit, dirty: false, excerpt: '' }
    await office.call('attest', { ...report, name: 'unit', exit: 1 }, owner)
    const show = () => office.call('handoff.show', { repo: office.repo, task })
    const open = (await show()).bundle
    expect(open).toContain('approved by rae')
    expect(open).toContain('unit')
    expect(open).toContain(`${point.id}`)
    await office.call('abandon', { repo: office.repo, task, commit: null }, owner)
    expect((await show()).bundle).toContain('abandoned')
  })

  test('reads a handoff record that is no list as a record', async () => {
    const { task, owner } = await begun()
    await office.record(task, owner, 'Over to you', { kind: 'handoff', body: 'Good luck.' })
    const { bundle } = await office.call('handoff.show', { repo: office.repo, task })
    expect(bundle).toContain('Over to you')
  })
})
