import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Caller } from '../../src/domain/actor.ts'
import { countRows, freshStore, type TestStore } from '../support/stores.ts'
import { agent, human, idOf, Office, refusalIn, type Snapshot, TRUNK } from './office.ts'

setDefaultTimeout(120_000)
let opened: TestStore
let office: Office
beforeAll(async () => {
  opened = await freshStore()
  office = await Office.open(opened.store)
})

/** A task that bo held first and ada holds now. */
type Held = { readonly task: string; readonly owner: Caller; readonly seen: Snapshot }

const REVIEWER = human('rae')
const CALLERS = {
  owner: { ...agent('ada', 's1'), generation: 2 },
  'other session': { ...agent('ada', 's2'), generation: 2 },
  'former owner': { ...agent('bo', 's1'), generation: 1 },
  'never held': human('cy'),
} as const satisfies Record<string, Caller>

let count = 0

async function open(): Promise<Held> {
  const goal = `Goal ${count++}`
  const { task, owner: bo } = await office.work(goal, agent('bo', 's1'))
  await office.record(task, bo, 'Why')
  await office.call('handoff', { repo: office.repo, task, commit: null, done: ['half'] }, bo)
  await office.call('claim', { repo: office.repo, task, base: null }, agent('ada', 's1'))
  const { owner } = CALLERS
  return { task, owner, seen: await office.checkpoint(task, owner, goal) }
}

const after =
  (step: (held: Held) => Promise<unknown>, from = open) =>
  async () => {
    const held = await from()
    await step(held)
    return held
  }
const about = ({ task, seen }: Held) => ({ repo: office.repo, task, commit: seen.commit })

const inReview = after((held) => office.call('submit', about(held), held.owner))
const approved = after(
  ({ task, seen }) => office.call('approve', office.reviewed(task, seen), REVIEWER),
  inReview,
)
const merged = after(({ task, seen }) => office.merge(task, seen), approved)
const handedOff = after((held) =>
  office.call('handoff', { ...about(held), done: ['half'] }, held.owner),
)
const lapsed = after(({ task }) =>
  opened.query(`update task set lease_expires_at = av_now() - interval '1 second' where id = $1`, [
    task,
  ]),
)
const conflicted = after(async ({ task }) => {
  const { slot } = await office.takeSlot('sync', null)
  const input = { slot, task, conflicted: ['src/login.ts'], checkpoint: null }
  await office.call('landing.conflict', { repo: office.repo, ...input })
  await office.call('slot.free', { repo: office.repo, slot })
}, inReview)

const withSlot = (kind: 'merge' | 'undo' | 'revert') => (held: Held, by: Caller) =>
  slotted(kind, held.task, by, async () => {})

async function slotted(
  kind: 'merge' | 'undo' | 'revert' | 'sync',
  task: string | null,
  by: Caller,
  work: (slot: number) => Promise<unknown>,
): Promise<void> {
  const { slot } = await office.takeSlot(kind, task, by)
  await work(slot).finally(() => office.call('slot.free', { repo: office.repo, slot }, by))
}

const record = (kind: 'decision' | 'note' | 'review') => (held: Held, by: Caller) =>
  office.record(held.task, by, 'Said', { kind })
const claim = ({ task }: Held, by: Caller) =>
  office.call('claim', { repo: office.repo, task, base: null }, by)
const approve = ({ task, seen }: Held, by: Caller) =>
  office.call('approve', office.reviewed(task, seen), by)
const requestChanges = ({ task, seen }: Held, by: Caller) =>
  office.call('request-changes', { ...office.reviewed(task, seen), message: 'Hm', anchors: [] }, by)

/** Closes a thread that somebody began on the task. */
const resolveThreadOf = (author: Caller) => async (held: Held, by: Caller) => {
  const anchors = [{ path: 'src/login.ts', symbol: null, hash: null }]
  const { id } = await office.record(held.task, author, 'Why so?', { kind: 'note', anchors })
  return office.call('review.resolve', { repo: office.repo, record: id }, by)
}

/** Each command on a task in a state that has it: what the four callers are told. */
const ROWS: readonly {
  readonly command: string
  readonly on: () => Promise<Held>
  readonly run: (held: Held, by: Caller) => Promise<unknown>
  readonly told: readonly [string, string, string, string]
}[] = [
  row('record decision', open, record('decision'), 'ok', 'claim_lost', 'claim_lost', 'never_held'),
  row('record note', open, record('note'), 'ok', 'claim_lost', 'claim_lost', 'ok'),
  row('record review', open, record('review'), 'ok', 'claim_lost', 'claim_lost', 'ok'),
  row(
    'checkpoint',
    open,
    ({ task }, by) => office.checkpoint(task, by, 'more'),
    ...['ok', 'claim_lost', 'claim_lost', 'never_held'],
  ),
  row(
    'submit',
    open,
    (held, by) => office.call('submit', about(held), by),
    ...['ok', 'claim_lost', 'claim_lost', 'never_held'],
  ),
  row(
    'handoff',
    open,
    (held, by) => office.call('handoff', { ...about(held), done: ['all'] }, by),
    ...['ok', 'claim_lost', 'claim_lost', 'never_held'],
  ),
  row(
    'resolve',
    conflicted,
    (held, by) => office.call('resolve', about(held), by),
    ...['ok', 'claim_lost', 'claim_lost', 'never_held'],
  ),
  row(
    'abandon',
    open,
    (held, by) => office.call('abandon', about(held), by),
    ...['ok', 'claim_lost', 'claim_lost', 'never_held'],
  ),
  row('claim, open', open, claim, 'ok', 'ok', 'lease_running', 'lease_running'),
  row('claim, lapsed', lapsed, claim, 'ok', 'ok', 'ok', 'ok'),
  row('claim, handed off', handedOff, claim, 'ok', 'ok', 'ok', 'ok'),
  row('claim, in review', inReview, claim, 'state', 'state', 'state', 'state'),
  row('approve', inReview, approve, 'own_task', 'own_task', 'own_task', 'ok'),
  row('request-changes', inReview, requestChanges, 'own_task', 'own_task', 'own_task', 'ok'),
  row(
    "review resolve, another's",
    inReview,
    resolveThreadOf(REVIEWER),
    ...['ok', 'ok', 'not_yours', 'not_yours'],
  ),
  row(
    "review resolve, cy's",
    inReview,
    resolveThreadOf(human('cy')),
    'ok',
    'ok',
    'not_yours',
    'ok',
  ),
  row('merge', approved, withSlot('merge'), 'ok', 'ok', 'ok', 'ok'),
  row('undo', merged, withSlot('undo'), 'ok', 'ok', 'ok', 'ok'),
  row('revert', merged, withSlot('revert'), 'ok', 'ok', 'ok', 'ok'),
  row(
    'sync',
    inReview,
    ({ task }, by) =>
      slotted('sync', null, by, (slot) =>
        office.call('trunk.landed', { repo: office.repo, slot, task, commit: idOf('there') }, by),
      ),
    ...['ok', 'ok', 'ok', 'ok'],
  ),
  row(
    'attest',
    open,
    (held, by) =>
      office.call(
        'attest',
        { ...about(held), name: 'unit', exit: 0, dirty: false, excerpt: '' },
        by,
      ),
    ...['ok', 'ok', 'ok', 'ok'],
  ),
]

function row(
  command: string,
  on: () => Promise<Held>,
  run: (held: Held, by: Caller) => Promise<unknown>,
  ...told: string[]
) {
  const [owner = '', session = '', former = '', never = ''] = told
  return { command, on, run, told: [owner, session, former, never] as const }
}

describe('who may', () => {
  for (const { command, on, run, told } of ROWS) {
    test(`${command}: ${told.join(', ')}`, async () => {
      const found: string[] = []
      for (const by of Object.values(CALLERS)) {
        const held = await on()
        const before = await countRows(opened.query)
        const fault = await refusalIn(run(held, by))
        found.push(fault === null ? 'ok' : String(fault.detail.reason ?? fault.code))
        const writesFirst = command.startsWith('review resolve')
        if (fault !== null && !writesFirst) expect(await countRows(opened.query)).toEqual(before)
      }
      expect(found).toEqual([...told])
    })
  }
})

describe('a lost claim', () => {
  test('is told with who has it now, and since when', async () => {
    const { task } = await open()
    const fault = await office.refusal(
      'submit',
      { repo: office.repo, task, commit: idOf('x') },
      CALLERS['former owner'],
    )
    expect(fault).toMatchObject({ status: 409, detail: { owner: 'ada', generation: 2 } })
    expect(fault?.detail.since).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  test('comes before the state, and the state before the rule', async () => {
    const { task } = await merged()
    const submit = { repo: office.repo, task, commit: idOf('not the head') }
    const { owner, 'former owner': former } = CALLERS
    const told = [
      await office.refusal('submit', { ...submit, task: 'no-such' }, former),
      await office.refusal('submit', submit, former),
      await office.refusal('submit', submit, owner),
    ]
    expect(told.map((fault) => fault?.code)).toEqual([
      'not_found',
      'claim_lost',
      'refused_transition',
    ])
  })

  test('is not healed by a renewal: the owner’s claim changes the lease and nothing else', async () => {
    const { task, owner } = await open()
    const renewed = await claim({ task, owner, seen: snapshotless }, owner)
    expect(renewed).toMatchObject({ isRenewal: true, generation: 2, owner: 'ada' })
    const other = await claim({ task, owner, seen: snapshotless }, CALLERS['other session'])
    expect(other).toMatchObject({
      ...{ isRenewal: false, generation: 3 },
      previous: { actor: 'ada', session: 's1', generation: 2 },
    })
    const late = await refusalIn(office.record(task, owner, 'Late'))
    expect(late?.code).toBe('claim_lost')
  })
})

const snapshotless: Snapshot = { commit: '', base: TRUNK, tree: '', patch: '' }
