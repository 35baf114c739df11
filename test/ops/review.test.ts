import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { countRows, freshStore, type TestStore } from '../support/stores.ts'
import { agent, human, idOf, Office, refusalIn, type Snapshot } from './office.ts'

setDefaultTimeout(60_000)
let opened: TestStore
let office: Office
beforeEach(async () => {
  opened = await freshStore()
  office = await Office.open(opened.store)
})

const ADA = agent('ada')
const RAE = human('rae')
const AT = { path: 'src/login.ts', symbol: 'login', hash: null }
const showOf = (task: string) => ({ repo: office.repo, task, view: null })

describe('an approval', () => {
  test('is of what was looked at, byte for byte', async () => {
    const { task, seen } = await office.submitted('Fix it', ADA)
    const before = await countRows(opened.query)
    const others = { base: idOf('b'), tip: idOf('t'), tree: idOf('r'), patch: '1:p' }
    for (const [field, value] of Object.entries(others)) {
      const input = { ...office.reviewed(task, seen), [field]: value }
      const fault = await office.refusal('approve', input, RAE)
      expect([field, fault?.status, fault?.detail.reason]).toEqual([field, 422, 'changed'])
    }
    expect(await countRows(opened.query)).toEqual(before)
    const view = await office.call('approve', office.reviewed(task, seen), RAE)
    expect(view).toMatchObject({ state: 'in_review', approvedBy: 'rae', approvalVoid: null })
  })

  test('of a task that changed a second ago is refused', async () => {
    const { task, owner, seen } = await office.submitted('Fix it', ADA)
    await office.checkpoint(task, owner, 'a second ago')
    const fault = await office.refusal('approve', office.reviewed(task, seen), RAE)
    expect(fault).toMatchObject({ code: 'refused_rule', detail: { reason: 'changed' } })
    expect(fault?.remediation).toContain('av review show')
  })

  test('does not outlive a change of the files, and says so', async () => {
    const { task, owner, seen } = await office.approved('Fix it', ADA, RAE)
    const same = { ...seen, commit: idOf('again') }
    await office.checkpoint(task, owner, 'x', same)
    const kept = await office.call('review.show', showOf(task))
    expect(kept).toMatchObject({ approvedBy: 'rae', head: same.commit })
    await office.checkpoint(task, owner, 'other files')
    const lost = await office.call('review.show', showOf(task))
    expect(lost.approvedBy).toBeNull()
    expect(lost.verdicts.map(({ result, counts }) => [result, counts])).toEqual([
      ['approve', false],
    ])
    const fault = await refusalIn(office.takeSlot('merge', task))
    expect(fault?.detail.reason).toBe('not_approved')
    expect(fault?.message).toContain(lost.approvalVoid ?? 'why it was lost')
  })

  test("of one's own task is for who is alone, and only as long", async () => {
    const mia = human('mia')
    const alone = await office.submitted('Fix it', mia)
    await office.call('approve', office.reviewed(alone.task, alone.seen), mia)
    const { verdicts } = await office.call('review.show', showOf(alone.task))
    expect(verdicts).toMatchObject([{ by: 'mia', isSelf: true, counts: true }])
    const company = await office.submitted('And more', mia)
    await office.record(company.task, RAE, 'Hello', { kind: 'note' })
    const input = office.reviewed(company.task, company.seen)
    expect((await office.refusal('approve', input, mia))?.detail.reason).toBe('own_task')
    await office.merge(alone.task, alone.seen)
  })
})

describe('a request for changes', () => {
  test('sends the task back with a review that opens a thread', async () => {
    const { task, owner, seen } = await office.submitted('Fix it', ADA)
    const message = '\nThe token leaks\r\n\nUse ghp_'.concat('a1B2'.repeat(9), ' never.\n')
    const view = await office.call(
      'request-changes',
      { ...office.reviewed(task, seen), message, anchors: [AT] },
      RAE,
    )
    expect(view).toMatchObject({ state: 'open', owner: 'ada', approvedBy: null })
    const shown = await office.call('review.show', showOf(task))
    expect(shown.verdicts).toMatchObject([{ result: 'request_changes', by: 'rae', counts: false }])
    expect(shown.threads).toMatchObject([
      { isOpen: true, replies: [], root: { kind: 'review', author: 'rae', redacted: 1 } },
    ])
    const [thread] = shown.threads
    expect(thread?.root).toMatchObject({
      ...{ summary: 'The token leaks', body: 'Use [redacted:github-token] never.' },
      anchors: [{ path: 'src/login.ts', symbol: 'login' }],
    })
    const packed = await office.call(
      'pack',
      { repo: office.repo, task, view: null, changed: [], indexing: false },
      owner,
    )
    expect(packed.text).toContain('changes asked for by rae')
  })

  test('that says nothing is refused', async () => {
    const { task, seen } = await office.submitted('Fix it', ADA)
    const input = { ...office.reviewed(task, seen), message: ' \n ', anchors: [] }
    const fault = await office.refusal('request-changes', input, RAE)
    expect(fault).toMatchObject({ code: 'bad_input', detail: { reason: 'empty_message' } })
  })

  test('whose first line is too long for a summary keeps all of it in the body', async () => {
    const { task, seen } = await office.submitted('Fix it', ADA)
    const message = `${'ä'.repeat(300)}\nand more`
    await office.call('approve', { ...office.reviewed(task, seen), message }, RAE)
    const { records } = await office.call('review.show', showOf(task))
    expect(records[0]).toMatchObject({ summary: `${'ä'.repeat(199)}…`, body: message })
  })
})

describe('a thread', () => {
  test('is answered, and closed by its author or the owner', async () => {
    const { task, owner } = await office.submitted('Fix it', ADA)
    const point = await office.record(task, RAE, 'Why so?', { kind: 'review', anchors: [AT] })
    await office.record(task, owner, 'Because', { kind: 'note', replyTo: point.id })
    const resolve = { repo: office.repo, record: point.id.slice(0, 6) }
    const other = await office.refusal('review.resolve', resolve, human('cy'))
    expect(other?.detail.reason).toBe('not_yours')
    expect((await office.call('review.list', { repo: office.repo })).items[0]?.openThreads).toBe(1)
    await office.call('review.resolve', resolve, RAE)
    await office.call('review.resolve', resolve, owner)
    const { threads } = await office.call('review.show', showOf(task))
    const [only] = threads
    expect([only?.isOpen, only?.replies.map(({ summary }) => summary)]).toEqual([
      false,
      ['Because'],
    ])
  })

  test('is begun by a point at code only', async () => {
    const { task } = await office.submitted('Fix it', ADA)
    const { id } = await office.record(task, RAE, 'Nice', { kind: 'note' })
    const fault = await office.refusal('review.resolve', { repo: office.repo, record: id }, RAE)
    expect(fault?.detail.reason).toBe('not_a_thread')
  })
})

describe('what waits for a review', () => {
  test('comes oldest first, with what is open and what failed', async () => {
    const one = await office.submitted('One', ADA)
    const two = await office.submitted('Two', ADA)
    await office.submitted('Three', ADA)
    const report = { repo: office.repo, commit: one.seen.commit, dirty: false, excerpt: '' }
    await office.call('attest', { ...report, task: one.task, name: 'unit', exit: 1 }, ADA)
    const list = await office.call('review.list', { repo: office.repo, limit: 2 })
    expect(list.items.map(({ id }) => id)).toEqual([one.task, two.task])
    expect(list.more).toBe(true)
    expect(list.items[0]).toMatchObject({
      ...{ files: 1, symbols: 1, openThreads: 0, failing: ['unit'], state: 'in_review' },
    })
  })
})

describe('an attestation', () => {
  test('keeps the end of the output without secrets, on a checkpoint of the task', async () => {
    const { task, seen } = await office.submitted('Fix it', ADA)
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const report = { repo: office.repo, task, name: 'unit', exit: 1, dirty: true }
    const stored = await office.call(
      'attest',
      {
        ...{ ...report, commit: seen.commit, command: `TOKEN=${secret} make test` },
        excerpt: `${'é'.repeat(5_000)}\0 ${secret} x`,
      },
      RAE,
    )
    expect(stored).toMatchObject({ task, name: 'unit', exit: 1, by: 'rae', dirty: true })
    expect(stored.redacted).toBe(2)
    const end = '\ufffd [redacted:github-token] x'
    expect(stored.log.endsWith(end)).toBe(true)
    expect(stored.log).toMatch(/^é+\ufffd /)
    expect(Buffer.byteLength(stored.log)).toBe(4_096 - ((4_096 - Buffer.byteLength(end)) % 2))
    const rows = JSON.stringify(await opened.query('select * from attestation'))
    expect(rows).toContain('[redacted:github-token] make test')
    expect(rows).not.toContain(secret)
  })

  test('of a commit that is none of its checkpoints is refused', async () => {
    const { task } = await office.submitted('Fix it', ADA)
    const report = { repo: office.repo, task, name: 'unit', exit: 0, dirty: false, excerpt: '' }
    const fault = await office.refusal('attest', { ...report, commit: idOf('elsewhere') }, RAE)
    expect(fault?.code).toBe('not_found')
  })

  test('that failed counts until a newer one on the same commit, or a newer commit', async () => {
    const { task, owner, seen } = await office.submitted('Fix it', ADA)
    const attest = (name: string, exit: number) =>
      office.call(
        'attest',
        {
          ...{ repo: office.repo, task, name, exit, commit: seen.commit },
          ...{ dirty: false, excerpt: '' },
        },
        RAE,
      )
    const failing = async () => (await office.call('review.show', showOf(task))).failing
    await attest('unit', 1)
    await attest('lint', 2)
    expect(await failing()).toEqual(['lint', 'unit'])
    await attest('unit', 0)
    expect(await failing()).toEqual(['lint'])
    const packed = await office.call(
      'pack',
      { repo: office.repo, task, view: null, changed: [], indexing: false },
      owner,
    )
    expect(packed.text).toContain('failing: lint')
    await office.checkpoint(task, owner, 'newer')
    expect(await failing()).toEqual([])
  })
})

test('a review shows the why, what changed, and what no record covers', async () => {
  const { task, seen } = await office.approved('Fix it', ADA, RAE)
  const view = await office.call('review.show', showOf(task))
  expect(view).toMatchObject({
    ...{ id: task, patch: seen.patch, symbols: ['src/login.ts:login'], approvedBy: 'rae' },
    files: [{ path: 'src/login.ts', status: 'modified', from: null }],
    uncovered: ['src/login.ts:login'],
    records: [{ summary: 'Why: Fix it', kind: 'decision' }],
    verdicts: [{ ...snapshotted(seen), by: 'rae', isCarried: false, counts: true }],
  })
  const packed = await office.call(
    'pack',
    { repo: office.repo, task, view: null, changed: [], indexing: false },
    RAE,
  )
  expect(packed.text).toContain('approved by rae')
})

const snapshotted = ({ commit: tip, base, tree, patch }: Snapshot) => ({ tip, base, tree, patch })
