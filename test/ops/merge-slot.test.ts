import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { BACKENDS, countRows, freshStore, onEach, type TestStore } from '../support/stores.ts'
import { agent, human, idOf, Office, refusalIn, TRUNK } from './office.ts'

setDefaultTimeout(60_000)
let opened: TestStore
let office: Office
beforeEach(async () => {
  opened = await freshStore()
  office = await Office.open(opened.store)
})

const ADA = agent('ada')
const RAE = human('rae')
const approved = (goal: string, content = goal) => office.approved(goal, ADA, RAE, content)
const free = (slot: number) => office.call('slot.free', { repo: office.repo, slot })
const trunk = async () =>
  (await office.call('status', { repo: office.repo, task: null })).trunkCommit

/** A landing written down and not closed, as by a client that died. */
async function died(task: string, tree: string, patch: string, to = idOf(`to ${task}`)) {
  const { slot, verdict } = await office.takeSlot('merge', task)
  const merge = { verdict: verdict?.position ?? 0, tree, carried: null }
  await office.call('landing.open', {
    ...{ repo: office.repo, slot, task, kind: 'merge', old: TRUNK, new: to, patch, merge },
    files: ['src/login.ts'],
  })
  return slot
}

const lapse = () => opened.query(`update repo set slot_expires_at = av_now() - interval '1 second'`)

describe('the slot is not given', () => {
  test('for a task that nobody approved', async () => {
    const { task } = await office.submitted('Fix it', ADA)
    const before = await countRows(opened.query)
    const fault = await refusalIn(office.takeSlot('merge', task))
    expect(fault).toMatchObject({ status: 422, detail: { reason: 'not_approved' } })
    expect(await countRows(opened.query)).toEqual(before)
  })

  test('for files that are not those approved', async () => {
    const { task, seen } = await approved('Fix it')
    const before = await countRows(opened.query)
    const fault = await refusalIn(office.takeSlot('merge', task, ADA, { tree: idOf('other') }))
    expect(fault?.detail).toEqual({
      ...{ reason: 'tree_changed', approved: seen.tree, found: idOf('other') },
    })
    expect(await countRows(opened.query)).toEqual(before)
    const { slot } = await office.takeSlot('merge', task, ADA, { tree: seen.tree })
    await free(slot)
  })

  test('in another clone, as long as no remote holds trunk', async () => {
    const { task } = await approved('Fix it')
    for (const kind of ['merge', 'sync'] as const) {
      const there = office.takeSlot(kind, task, ADA, { clone: 'clone-2' })
      expect((await refusalIn(there))?.detail.reason).toBe('trunk_elsewhere')
    }
    const shared = { clone: 'clone-2', remote: 'origin' }
    const { slot } = await office.takeSlot('merge', task, ADA, shared)
    await free(slot)
  })

  test('while somebody has it, who is named', async () => {
    const { task } = await approved('Fix it')
    const { slot } = await office.takeSlot('merge', task, ADA)
    const fault = await refusalIn(office.takeSlot('sync', null, RAE))
    expect(fault).toMatchObject({
      status: 409,
      detail: { reason: 'slot_taken', slot, actor: 'ada', task },
    })
    await free(slot)
    expect((await office.takeSlot('sync', null, RAE)).slot).toBe(slot + 1)
  })

  test('to revert what was reverted', async () => {
    const { task, seen } = await approved('Fix it')
    const landed = await office.merge(task, seen)
    const { slot } = await office.takeSlot('revert', task)
    await office.call('landing.open', {
      ...{ repo: office.repo, slot, task, kind: 'revert', old: landed, new: idOf('back') },
      ...{ patch: '1:back', merge: null, files: ['src/login.ts'] },
    })
    const close = { repo: office.repo, slot, landing: slot, landed: true }
    const view = await office.call('landing.close', close)
    expect(view).toMatchObject({ state: 'merged', flags: ['reverted'] })
    const fault = await refusalIn(office.takeSlot('revert', task))
    expect(fault?.detail.reason).toBe('already_reverted')
  })
})

describe('a repo that knew of no clone whose branch is trunk', () => {
  test('learns it from the first that moves it', async () => {
    await opened.query('update repo set trunk_home = null')
    const { task } = await approved('Fix it')
    const { slot } = await office.takeSlot('merge', task, ADA, { clone: 'clone-2' })
    await free(slot)
    const there = refusalIn(office.takeSlot('merge', task, ADA))
    expect((await there)?.detail).toEqual({ reason: 'trunk_elsewhere', trunkHome: 'clone-2' })
  })
})

describe('a merge', () => {
  test('goes by what the slot tells: trunk, the approval, message and author', async () => {
    const { task, owner, seen } = await approved('Fix the login')
    await office.record(task, owner, 'Tried a cookie', { kind: 'attempt' })
    const old = await office.record(task, owner, 'Retry three times')
    await office.record(task, owner, 'Retry once', { supersedes: [old.id] })
    const view = await office.takeSlot('merge', task, RAE)
    expect(view).toMatchObject({
      ...{ trunk: TRUNK, open: null, discarded: [], author: 'ada' },
      verdict: { by: 'rae', counts: true, tree: seen.tree, patch: seen.patch, trunk: TRUNK },
    })
    expect(view.message.split('\n')[0]).toBe('Fix the login')
    expect(view.message).toContain(`\nAv-Task: ${task}\n`)
    expect(view.message.indexOf('Why: Fix the login')).toBeLessThan(
      view.message.indexOf('Retry once'),
    )
    expect(view.message).toContain('Tried a cookie')
    expect(view.message).not.toContain('Retry three times')
  })

  test('moves trunk and the task together, and is undone so', async () => {
    const { task, seen } = await approved('Fix it')
    const landed = await office.merge(task, seen)
    const shown = () => office.call('task.show', { repo: office.repo, task })
    expect(await shown()).toMatchObject({ state: 'merged', landed })
    expect(await trunk()).toBe(landed)
    const { slot, message } = await office.takeSlot('undo', task)
    expect(message).toBe('')
    await office.call('landing.open', {
      ...{ repo: office.repo, slot, task, kind: 'undo', old: landed, new: TRUNK },
      ...{ patch: seen.patch, merge: null, files: ['src/login.ts'] },
    })
    await office.call('landing.close', { repo: office.repo, slot, landing: slot, landed: true })
    expect(await shown()).toMatchObject({ state: 'in_review', landed: null, approvedBy: 'rae' })
    expect(await trunk()).toBe(TRUNK)
    await office.merge(task, seen)
  })

  test('under a number that was granted to somebody else since is refused', async () => {
    const { task, seen } = await approved('Fix it')
    const slot = await died(task, seen.tree, seen.patch)
    await lapse()
    const { slot: newer, open } = await office.takeSlot('sync', null, RAE)
    expect(open).toMatchObject({ slot, task, kind: 'merge', state: 'open' })
    const close = { repo: office.repo, slot, landing: slot, landed: true }
    const late = await office.refusal('landing.close', close)
    expect(late).toMatchObject({ status: 409, detail: { reason: 'slot_lost' } })
    const view = await office.call('landing.close', { ...close, slot: newer, landed: false }, RAE)
    expect(view).toMatchObject({ state: 'in_review', landed: null })
  })

  test('that a client died in is not judged again, but settled by whoever comes', async () => {
    const { task, seen } = await approved('Fix it')
    const slot = await died(task, seen.tree, seen.patch)
    await lapse()
    const other = { tree: idOf('other') }
    const view = await office.takeSlot('merge', task, RAE, other)
    expect([view.open?.slot, view.verdict]).toEqual([slot, null])
    const close = { repo: office.repo, slot: view.slot, landing: slot, landed: false }
    await office.call('landing.close', close, RAE)
    const fault = await refusalIn(office.takeSlot('merge', task, RAE, other))
    expect(fault?.detail.reason).toBe('tree_changed')
    const next = await office.takeSlot('merge', task, RAE)
    expect(next.discarded).toMatchObject([{ slot, task, state: 'discarded' }])
    // Should it turn up on trunk all the same: of a conflicted task that could not be said any more.
    await office.call('landing.conflict', {
      ...{ repo: office.repo, slot: next.slot, task, conflicted: ['src/login.ts'] },
      checkpoint: null,
    })
    await free(next.slot)
    expect((await office.takeSlot('sync', null, RAE)).discarded).toEqual([])
  })

  test('whose approval did not carry is told so, and asked about again', async () => {
    const { task } = await approved('Fix it')
    const { slot, verdict } = await office.takeSlot('merge', task)
    const why = 'trunk brought other lines into src/login.ts.'
    const stale = { repo: office.repo, slot, task, verdict: verdict?.position ?? 0, why }
    const view = await office.call('landing.stale', stale)
    expect(view).toMatchObject({ state: 'in_review', approvedBy: null, approvalVoid: why })
    await free(slot)
    const fault = await refusalIn(office.takeSlot('merge', task))
    expect(fault?.message).toContain(why)
  })
})

describe('a conflict', () => {
  test('lists both sides of each file, with their records', async () => {
    const anchors = [{ path: 'src/login.ts', symbol: 'login', hash: null }]
    const early = await approved('Early', 'early')
    const base = await office.merge(early.task, early.seen)
    const mine = await office.call(
      'task.start',
      { goal: 'Mine', repo: office.repo, base },
      agent('bo'),
    )
    const bo = { ...agent('bo'), generation: mine.generation }
    const own = await office.record(mine.id, bo, 'Mine must be sorted', { anchors })
    const { commit } = await office.checkpoint(mine.id, bo, 'mine', { base })
    await office.call('submit', { repo: office.repo, task: mine.id, commit }, bo)
    const theirs = await approved('Theirs', 'theirs')
    const their = await office.record(theirs.task, theirs.owner, 'Never sort', { anchors })
    await office.record(theirs.task, theirs.owner, 'Elsewhere', {
      anchors: [{ path: 'src/other.ts', symbol: null, hash: null }],
    })
    await office.merge(theirs.task, theirs.seen)
    const { slot } = await office.takeSlot('sync', null)
    const conflicted = ['src/login.ts', 'src/new.ts']
    const told = await office.call('landing.conflict', {
      ...{ repo: office.repo, slot, task: mine.id, conflicted, checkpoint: null },
    })
    expect(told.task).toMatchObject({ state: 'conflicted', conflicted, approvedBy: null })
    expect(told.conflicts).toEqual([
      {
        path: 'src/login.ts',
        tasks: [
          { id: mine.id, goal: 'Mine', isOwn: true },
          { id: theirs.task, goal: 'Theirs', isOwn: false },
        ],
        records: [
          { id: their.id, task: theirs.task, kind: 'decision', summary: 'Never sort' },
          { id: own.id, task: mine.id, kind: 'decision', summary: 'Mine must be sorted' },
        ],
      },
      { path: 'src/new.ts', tasks: [{ id: mine.id, goal: 'Mine', isOwn: true }], records: [] },
    ])
  })
})

describe('a conflict where the workspace is at hand', () => {
  test('goes on from what is in it, and names nobody whose merge was undone', async () => {
    const undone = await approved('Undone')
    const landed = await office.merge(undone.task, undone.seen)
    const { slot } = await office.takeSlot('undo', undone.task)
    await office.call('landing.open', {
      ...{ repo: office.repo, slot, task: undone.task, kind: 'undo', old: landed, new: TRUNK },
      ...{ patch: undone.seen.patch, merge: null, files: ['src/login.ts'] },
    })
    await office.call('landing.close', { repo: office.repo, slot, landing: slot, landed: true })
    const { task, owner } = await approved('Mine')
    const next = await office.takeSlot('merge', task)
    const conflicted = ['src/login.ts']
    const base = idOf('newer trunk')
    const checkpoint = {
      ...{ message: 'onto trunk', commit: idOf('rebased'), change: 'kkkk', base, tree: null },
      ...{ files: [], symbols: [], conflicts: conflicted, patch: 'none' },
      incomplete: { tooLarge: [], badNames: [], nested: [] },
    }
    const told = await office.call('landing.conflict', {
      ...{ repo: office.repo, slot: next.slot, task, conflicted, checkpoint },
    })
    expect(told.task).toMatchObject({ state: 'conflicted', base, head: idOf('rebased') })
    expect(told.conflicts[0]?.tasks.map(({ id }) => id)).toEqual([task])
    const early = { repo: office.repo, task, commit: idOf('rebased') }
    expect((await office.refusal('resolve', early, owner))?.detail.reason).toBe('conflicts_left')
  })
})

describe('trunk moved by others', () => {
  test('is noted under the slot, from where it was', async () => {
    const { slot } = await office.takeSlot('sync', null)
    const note = { repo: office.repo, slot, old: TRUNK, new: idOf('human'), forced: false }
    await office.call('trunk.note', note)
    expect(await trunk()).toBe(idOf('human'))
    const again = await office.refusal('trunk.note', note)
    expect(again).toMatchObject({ status: 409, detail: { reason: 'trunk_moved' } })
  })

  test('may hold a task’s patch already', async () => {
    const { task } = await office.submitted('Fix it', ADA)
    const { slot } = await office.takeSlot('sync', null)
    const landed = { repo: office.repo, slot, task, commit: idOf('squash') }
    const view = await office.call('trunk.landed', landed, RAE)
    expect(view).toMatchObject({ state: 'merged', landed: idOf('squash') })
  })
})

describe('commits on their way', () => {
  test('are kept in parts, and are there when all are', async () => {
    const { task, seen } = await office.submitted('Fix it', ADA)
    const id = new Bun.CryptoHasher('sha256').update('abcde').digest('hex')
    const part = (ordinal: number, text: string) => ({
      ...{ repo: office.repo, id, task, base: TRUNK, tip: seen.commit },
      ...{ size: 5, parts: 2, ordinal, data: Buffer.from(text).toString('base64') },
    })
    const state = { repo: office.repo, tip: seen.commit }
    expect(await office.call('bundle.put', part(0, 'abc'))).toEqual({ isComplete: false })
    expect((await office.call('bundle.state', state)).bundle).toBeNull()
    expect(await office.call('bundle.put', part(1, 'de'))).toEqual({ isComplete: true })
    expect(await office.call('bundle.state', state)).toMatchObject({
      isShared: false,
      bundle: { id, task, size: 5, parts: 2 },
    })
    const fetched = { repo: office.repo, id, ordinal: 1 }
    const { data } = await office.call('bundle.part', fetched)
    expect(Buffer.from(data, 'base64').toString()).toBe('de')
    const none = await office.refusal('bundle.part', { ...fetched, id: 'b'.repeat(64) })
    expect(none?.code).toBe('not_found')
    const huge = { ...part(0, 'abc'), size: 100_000_000 }
    expect((await office.refusal('bundle.put', huge))?.code).toBe('too_large')
  })
})

onEach('two at the same moment', BACKENDS.slice(0, 2), ({ open }) => {
  test('claim one task, or take the slot: one of them does', async () => {
    const store = await open()
    try {
      const here = await Office.open(store.store)
      const input = { goal: 'Later', repo: here.repo }
      const { id } = await here.call('task.file', input)
      const claim = { repo: here.repo, task: id, base: TRUNK }
      const names = ['ada', 'bo', 'cy', 'dee'].map((name) => agent(name))
      const claims = names.map((by) => refusalIn(here.call('claim', claim, by)))
      expect(reasons(await Promise.all(claims))).toEqual([
        ...['lease_running', 'lease_running', 'lease_running', 'ok'],
      ])
      const slots = names.map((by) => refusalIn(here.takeSlot('sync', null, by)))
      expect(reasons(await Promise.all(slots))).toEqual([
        ...['ok', 'slot_taken', 'slot_taken', 'slot_taken'],
      ])
    } finally {
      await store.close()
    }
  })
})

const reasons = (faults: readonly (Awaited<ReturnType<typeof refusalIn>> | null)[]) =>
  faults.map((fault) => String(fault === null ? 'ok' : fault.detail.reason)).sort()
