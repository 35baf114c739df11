import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import type { Caller } from '../../src/domain/actor.ts'
import type { Position, RepoId } from '../../src/domain/repo.ts'
import type { Task, TaskId } from '../../src/domain/task.ts'
import type { Store } from '../../src/store/store.ts'
import type { NewVerdict } from '../../src/store/task-life.ts'
import { faultOf } from '../support/faults.ts'
import {
  ada,
  bob,
  commit,
  newCheckpoint,
  newMerge,
  newTask,
  newVerdict,
  repoInReview,
  slotOf,
  withRecord,
} from '../support/store-facts.ts'
import { BACKENDS, onEach, refusedWhole, shiftClock, type TestStore } from '../support/stores.ts'

setDefaultTimeout(60_000)

onEach('verdicts', BACKENDS, ({ open }) => {
  let opened: TestStore
  let store: Store
  let repo: RepoId
  let task: Task
  beforeAll(async () => {
    opened = await open()
    store = opened.store
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    const fresh = await repoInReview(store)
    repo = fresh.repo
    task = fresh.task
  })

  const setTask = (change: string) =>
    opened.query(`UPDATE task SET ${change} WHERE repo = $1 AND id = $2`, [repo, task.id])
  const judge = (given: Partial<NewVerdict> = {}, by: Caller = bob) =>
    store.addVerdict(repo, newVerdict(task.id, given), by)
  const refused = (work: () => Promise<unknown>) => refusedWhole(opened.query, work)
  const eventsAfter = async (after: number) =>
    (
      await opened.query(
        'SELECT event, subject FROM fact WHERE repo = $1 AND position > $2 ORDER BY position',
        [repo, after],
      )
    ).map(({ event }) => event)

  test('of approval are bound to what was looked at', async () => {
    await setTask(`approval_void = 'the files changed after it'`)
    const { task: judged, verdict, record } = await judge()
    const { leaseSecs: _lease, ...given } = newVerdict(task.id)
    expect<unknown>(verdict).toEqual({
      ...given,
      repo,
      position: 4,
      isSelf: false,
      carriedFrom: null,
      carriedOver: [],
      record: null,
      actor: 'bob',
      session: null,
      at: verdict.at,
    })
    expect(record).toBe(null)
    expect(judged).toMatchObject({ state: 'in_review', approvedBy: 'bob', approvalVoid: null })
    expect(judged.approval).toBe(verdict.position)
    expect(judged.leaseExpiresAt).toBe(task.leaseExpiresAt)
    const again = await judge({}, { ...bob, actor: 'eve' })
    expect(await store.verdicts(repo, task.id)).toEqual([verdict, again.verdict])
    expect<unknown>(again.task).toMatchObject({ approval: 5, approvedBy: 'eve' })
    expect(await eventsAfter(3)).toEqual(['verdict.added', 'verdict.added'])
    expect(await store.actorsOf(repo)).toEqual(['ada', 'bob', 'eve'])
  })

  test('that ask for changes give the task back to its owner, with a new lease and the reason', async () => {
    await judge()
    await shiftClock(opened.query, 7200)
    const record = withRecord({ kind: 'review', summary: 'Check the token first' })
    const asked = await judge({ result: 'request_changes', record, leaseSecs: 60 })
    await shiftClock(opened.query, 0)
    expect(asked.task).toMatchObject({
      state: 'open',
      owner: 'ada',
      approval: null,
      approvedBy: null,
      approvalVoid: null,
    })
    const laterMs = Date.parse(asked.task.leaseExpiresAt!) - Date.parse(asked.task.createdAt)
    expect(Math.round(laterMs / 60_000)).toBe(121)
    expect(asked.record).toMatchObject({
      kind: 'review',
      author: 'bob',
      summary: 'Check the token first',
    })
    expect(asked.verdict.record).toBe(asked.record!.id)
    expect(await eventsAfter(4)).toEqual(['record.added', 'verdict.added'])
  })

  describe('on one’s own task', () => {
    const own: readonly (readonly [string, Caller])[] = [
      ['its owner', ada],
      ['its owner in another session', { ...ada, session: null, generation: null }],
    ]
    test.each(own)(
      'are allowed to %s while nobody else ever wrote to the repo',
      async (_who, by) => {
        expect(await refused(() => judge({ result: 'request_changes' }, by))).toBe(
          'refused_rule/own_task',
        )
        const first = await judge({}, by)
        expect([first.verdict.isSelf, first.task.approvedBy]).toEqual([true, 'ada'])
        await store.createTask(repo, newTask({ owned: false }), bob)
        expect(await refused(() => judge({}, by))).toBe('refused_rule/own_task')
        expect((await store.task(repo, task.id))?.approval).toBe(first.verdict.position)
      },
    )

    test('are refused to who held it before', async () => {
      await setTask(`state = 'handed_off'`)
      await store.claimTask(repo, { task: task.id, leaseSecs: 60, base: null }, bob)
      await setTask(`state = 'in_review'`)
      for (const by of [ada, bob, { ...ada, session: 's-2', generation: null }])
        expect(await refused(() => judge({}, by))).toBe('refused_rule/own_task')
      expect((await judge({}, { ...bob, actor: 'eve' })).verdict.isSelf).toBe(false)
    })
  })

  describe('on what the task is not any more', () => {
    test.each([
      ['another tip', { tip: commit('e') }],
      ['another base', { base: commit('e') }],
      ['no base', { base: null }],
      ['another tree', { tree: '8'.repeat(40) }],
      ['another patch', { patch: 'v1:9999' }],
      ['a patch of another version', { patch: 'v2:0123' }],
    ])('are refused: %s', async (_what, given) => {
      expect(await refused(() => judge(given))).toBe('refused_rule/changed')
      expect(await refused(() => judge({ ...given, result: 'request_changes' }))).toBe(
        'refused_rule/changed',
      )
    })

    test('are refused when a checkpoint came in a second ago', async () => {
      await store.addCheckpoint(repo, newCheckpoint(task.id, { commit: commit('e') }), ada)
      const fault = await faultOf(judge())
      expect(fault.detail).toMatchObject({ reason: 'changed', head: commit('e'), tip: commit('b') })
    })

    test.each([
      ['the files cannot be told', { tree: null }, 'not_comparable'],
      ['the patch cannot be told', { patch: 'none' }, 'not_comparable'],
      ['conflicts are left', { tree: null, conflicts: ['src/login.ts'] }, 'conflicts_left'],
    ])('where %s, it is not approved, and can be sent back', async (_what, given, reason) => {
      const seen = { tip: commit('e') }
      await store.addCheckpoint(repo, newCheckpoint(task.id, { ...given, commit: seen.tip }), ada)
      expect(await refused(() => judge(seen))).toBe(`refused_rule/${reason}`)
      const sent = await judge({ ...seen, result: 'request_changes' })
      expect(sent.task.state).toBe('open')
    })
  })

  test('are judged by the task, the state, whose it is, what changed, then what moves it', async () => {
    await judge()
    const slot = await slotOf(store, repo, bob)
    await store.openLanding(repo, newMerge((await store.task(repo, task.id))!, slot), bob)
    const stale = { tip: commit('e') }
    expect(await refused(() => store.addVerdict(repo, newVerdict('nobody' as TaskId), ada))).toBe(
      'not_found/task',
    )
    await setTask(`state = 'open'`)
    expect(await refused(() => judge(stale, ada))).toBe('refused_transition/state')
    await setTask(`state = 'in_review'`)
    expect(await refused(() => judge(stale, ada))).toBe('refused_rule/own_task')
    expect(await refused(() => judge(stale))).toBe('refused_rule/changed')
    expect(await refused(() => judge())).toBe('conflict/landing')
  })

  describe('and a later checkpoint', () => {
    const VOID = { approval: null, approvedBy: null, approvalVoid: 'the files changed after it' }
    test.each([
      ['other files void an approval', { tree: '8'.repeat(40) }, VOID],
      ['files that cannot be told void it', { tree: null }, VOID],
      ['another base voids it', { base: commit('e') }, VOID],
      [
        'another message does not',
        { message: 'nicer', commit: commit('e') },
        { approvedBy: 'bob', approvalVoid: null },
      ],
      ['no word of the base does not', { base: null }, { approvedBy: 'bob', approvalVoid: null }],
    ] as const)('%s', async (_what, given, becomes) => {
      await judge()
      const { task: after } = await store.addCheckpoint(repo, newCheckpoint(task.id, given), ada)
      expect(after).toMatchObject(becomes)
      expect(after.state).toBe('in_review')
    })

    test('a task that is not in review, or has no approval, has none to lose', async () => {
      const other = newCheckpoint(task.id, { tree: '8'.repeat(40) })
      expect((await store.addCheckpoint(repo, other, ada)).task.approvalVoid).toBe(null)
      await setTask(`state = 'open'`)
      expect((await store.addCheckpoint(repo, other, ada)).task.approvalVoid).toBe(null)
    })

    test('tells the conflicts that are left, while the task is conflicted', async () => {
      const left = newCheckpoint(task.id, { conflicts: ['a.ts', 'b\n".ts'] })
      const { task: calm, checkpoint } = await store.addCheckpoint(repo, left, ada)
      expect([calm.conflicted, checkpoint.conflicts]).toEqual([[], ['a.ts', 'b\n".ts']])
      await setTask(`state = 'conflicted'`)
      expect((await store.addCheckpoint(repo, left, ada)).task.conflicted).toEqual([
        'a.ts',
        'b\n".ts',
      ])
      expect(
        (await store.addCheckpoint(repo, newCheckpoint(task.id), ada)).task.conflicted,
      ).toEqual([])
    })
  })

  test('leave nothing behind when what they say cannot be stored', async () => {
    const record = withRecord({ kind: 'review', receipt: 'rcp:none' })
    expect(await refused(() => judge({ record }))).toBe('not_found/receipt')
    expect((await store.verdicts(repo, task.id)).length).toBe(0)
    expect(await store.verdicts(repo, 'nobody' as TaskId)).toEqual([])
    expect<Position | null>((await store.task(repo, task.id))!.approval).toBe(null)
  })
})
