import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RepoKind } from '../../src/workspace/detect.ts'
import { ADA, BEN, Machine, makeRepo } from '../support/machine.ts'
import { edit, humanView } from '../workspace/sandbox.ts'
import { doMainJob, type Job, SHOP } from './shop.ts'

/** The fields that cli.md promises at the top of `data`. */
const TASK_FIELDS = [
  ...['id', 'goal', 'kind', 'state', 'owner', 'generation', 'leaseExpiresAt'],
  ...['base', 'head', 'workspace', 'flags'],
]
const RECORD_FIELDS = ['id', 'task', 'kind', 'summary', 'anchors', 'redacted', 'position']
const ITEM_FIELDS = [...RECORD_FIELDS, 'body', 'author', 'at', 'marks']

const KINDS = ['plain', 'colocated', 'purejj'] as const satisfies readonly RepoKind[]
const LONG_MS = 120_000

describe.each(KINDS)('the main job on a %s repository', (kind) => {
  let machine: Machine
  let root: string
  let before: Record<string, string>
  let job: Job
  beforeAll(async () => {
    machine = new Machine()
    root = makeRepo(machine.box, kind, SHOP)
    // What a person has under way: nothing of it may be touched.
    edit(root, { 'notes.txt': 'mine\n', 'src/stock.py': 'def count():\n    return 2\n' })
    // Their jj notices now, so that looking at it later changes nothing.
    if (kind !== 'plain') machine.box.sh(root, 'jj', 'status')
    before = humanView(machine.box, kind, root)
    job = await doMainJob(machine, root)
  }, LONG_MS)
  afterAll(() => machine[Symbol.asyncDispose]())

  test('init makes the repo, and again joins it', async () => {
    expectFields(job.init, ['repo', 'trunk', 'trunkCommit'])
    expect(job.init).toMatchObject({ repo: 'shop', trunk: 'main', created: true, dryRun: false })
    expect(job.init.trunkCommit).toMatch(/^[0-9a-f]{40}$/)
    const again = await machine.data('init', [], { cwd: join(root, 'src') })
    expect(again).toMatchObject({ id: job.init.id, repo: 'shop', created: false })
  })

  test('task start gives the task a folder with the files of trunk', () => {
    expectFields(job.task, TASK_FIELDS)
    expect(job.task).toMatchObject({
      ...{ goal: 'Refresh sessions before they expire', kind: 'work', state: 'open' },
      ...{ owner: 'ada', generation: 1, base: job.init.trunkCommit, head: null, flags: [] },
    })
    expect(job.task.id).toMatch(/^refresh-sessions-before-they-expire-[a-z2-7]{4}$/)
    expect(job.task.workspace).toBe(join(machine.workspaces, 'shop', job.task.id))
    expect(Date.parse(job.task.leaseExpiresAt ?? '')).toBeGreaterThan(0)
    const folder = job.task.workspace ?? ''
    expect(readFileSync(join(folder, 'src/stock.py'), 'utf8')).toBe('def count():\n    return 1\n')
    expect(existsSync(join(folder, 'notes.txt'))).toBe(false)
  })

  test('task list, show and path tell the same task', async () => {
    const list = await machine.data('task.list', [], { cwd: root })
    expect(list.more).toBe(false)
    expect(list.items.map(({ id }) => id)).toEqual([job.other.id, job.task.id])
    for (const item of list.items) expectFields(item, TASK_FIELDS)
    const mine = await machine.data('task.list', ['--mine'], { cwd: root, as: ADA })
    expect(mine.items.map(({ id }) => id)).toEqual([job.task.id])
    const shown = await machine.data('task.show', [job.task.id.slice(0, 12)], { cwd: root })
    expectFields(shown, TASK_FIELDS)
    expect(shown).toMatchObject({ id: job.task.id, head: job.checkpoint.commit })
    // In a workspace, however deep, the task need not be named.
    const deep = join(job.task.workspace ?? '', 'src/api')
    expect(await machine.text(['task', 'path'], { cwd: deep })).toBe(`${job.task.workspace}\n`)
  })

  test('record keeps what was said, its anchors and the hash of their code', () => {
    for (const record of [job.decision, job.attempt, job.note]) {
      expectFields(record, RECORD_FIELDS)
      expect(record.id).toMatch(/^r:[0-9a-f]{8}$/)
      expect(record.task).toBe(job.task.id)
    }
    expect(job.decision).toMatchObject({
      ...{ kind: 'decision', summary: 'Refresh 30 s early: the clocks of our hosts drift apart' },
      anchors: [{ path: 'src/session.ts', symbol: 'Session.refresh' }],
      redacted: 0,
    })
    expect(job.attempt.anchors).toMatchObject([{ path: 'src/session.ts', symbol: null }])
    // Named from where she stood, kept from the root.
    expect(job.note.anchors).toMatchObject([{ path: 'src/api/login.ts', symbol: 'login' }])
    for (const { anchors } of [job.decision, job.attempt, job.note]) {
      expect(anchors[0]?.hash).toMatch(/^[0-9a-f]{32}$/)
    }
    const positions = [job.decision, job.attempt, job.note].map(({ position }) => position)
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
  })

  test('record finds the code of the task it is for, wherever one stands', async () => {
    const at = ['--task', job.task.id.slice(0, 12), '--at', 'src/sweep.ts:sweep']
    const note = await machine.data('record', ['note', 'It sweeps', ...at], { cwd: root, as: ADA })
    expect(note).toMatchObject({ task: job.task.id, anchors: [{ symbol: 'sweep' }] })
    expect(note.anchors[0]?.hash).not.toBeNull()
  })

  test('checkpoint says which files and symbols differ from the base', () => {
    expectFields(job.checkpoint, [
      ...['task', 'commit', 'change', 'files', 'symbols', 'patch', 'incomplete'],
    ])
    expect(job.checkpoint).toMatchObject({
      task: job.task.id,
      files: [
        { path: 'src/legacy.ts', status: 'removed', from: null },
        { path: 'src/session.ts', status: 'modified', from: null },
        { path: 'src/sweep.ts', status: 'added', from: null },
      ],
      symbols: [
        'src/legacy.ts:oldLogin',
        'src/session.ts:Session',
        'src/session.ts:Session.refresh',
        'src/sweep.ts:sweep',
      ],
      incomplete: { tooLarge: [], badNames: [], nested: [] },
    })
    expect(job.checkpoint.commit).toMatch(/^[0-9a-f]{40}$/)
    expect(job.checkpoint.change).toMatch(/^[k-z]{32}$/)
    expect(job.checkpoint.patch).toMatch(/^\S+$/)
  })

  test('diff is the git diff of that', async () => {
    const { diff } = await machine.data('diff', [job.task.id], { cwd: root })
    expect(diff).toContain('diff --git a/src/session.ts b/src/session.ts\n')
    expect(diff).toContain('\n-    if (now >= this.expiresAt) {\n')
    expect(diff).toContain('\n+    if (now >= this.expiresAt - 30_000) {\n')
    expect(diff).toContain('\n+export function sweep(): void {}\n')
    expect(await machine.text(['diff'], { cwd: job.task.workspace ?? '' })).toBe(diff)
  })

  test('log tells the records, newest first, and what became of their code', () => {
    expectFields(job.log, ['items', 'more'])
    expect(job.log.items.map(({ id }) => id)).toEqual([
      job.note.id,
      job.attempt.id,
      job.decision.id,
    ])
    for (const item of job.log.items) expectFields(item, ITEM_FIELDS)
    const [note, attempt, decision] = job.log.items
    expect(attempt).toMatchObject({ body: 'A sweep does the same.\n', author: 'ada' })
    expect(attempt?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/)
    expect(note?.marks).toEqual([])
    expect(decision?.marks).toEqual(['changed since recorded'])
  })

  test('why answers for a file, a symbol and a line', () => {
    const { path, symbol, line } = job.why
    for (const view of [path, symbol, line]) expectFields(view, ['items', 'more'])
    expect(path.items.map(({ id }) => id)).toEqual([job.attempt.id, job.decision.id])
    expect(symbol.items.map(({ id }) => id)).toEqual([job.attempt.id, job.decision.id])
    expect(line.items).toEqual(symbol.items)
    expect(job.why.other.items.map(({ id }) => id)).toEqual([job.attempt.id])
  })

  test('conventions are added and accepted by people, proposed by agents, and retired', () => {
    expectFields(job.required, ['id', 'glob', 'required'])
    expect(job.required).toMatchObject({ glob: 'src/api/**', required: true, state: 'active' })
    expect(job.proposed).toMatchObject({ glob: 'src/*.ts', state: 'proposed', author: 'ada' })
    expect(job.accepted).toMatchObject({ id: job.proposed.id, state: 'active' })
    expect(job.retired).toMatchObject({ glob: '**/*.py', state: 'retired' })
    expect(job.rules.items.map(({ id }) => id).sort()).toEqual(
      [job.required.id, job.proposed.id].sort(),
    )
    expect(job.rulesAtPath.items.map(({ id }) => id)).toEqual([job.required.id])
  })

  test('an agent may not make a rule count', async () => {
    const refused = await machine.refusal(['convention', 'accept', job.proposed.id], {
      ...{ cwd: root, as: ADA },
    })
    expect(refused).toMatchObject({ exit: 5, code: 'refused_rule' })
    expect(refused.remediation).toContain('ask a human')
  })

  test('status says where one stands', async () => {
    const outside = await machine.data('status', [], { cwd: root })
    expectFields(outside, [
      ...['repo', 'trunk', 'trunkCommit', 'task', 'actor', 'session', 'degraded', 'daemon'],
    ])
    expect(outside).toMatchObject({ repo: 'shop', task: null, actor: 'mei', session: null })
    const inside = await machine.data('status', [], { cwd: job.task.workspace ?? '', as: ADA })
    expect(inside).toMatchObject({ actor: 'ada', session: 'ada-1', degraded: [] })
    expect(inside.task).toMatchObject({ id: job.task.id, workspace: job.task.workspace })
    expect(inside.daemon).toMatchObject({ running: true, store: 'pglite' })
  })

  test('pack prints what its JSON holds, within the budget, rules first of all', () => {
    const { pack, packText } = job
    expectFields(pack, ['text', 'receipt', 'tokens', 'budget', 'degraded', 'items', 'omitted'])
    expect(pack.text).toBe(packText)
    expect(pack).toMatchObject({ budget: 800, degraded: [] })
    expect(pack.tokens).toBeLessThanOrEqual(800)
    expect(pack.text).toStartWith(`# av pack ${job.other.id}\nreceipt: ${pack.receipt}\n## Task\n`)
    expect([...(pack.text.match(/^## .*/gm) ?? [])]).toEqual([
      ...['## Task', '## Map', '## Decisions & dead ends', '## Code', '## Conventions'],
      '## Live work',
    ])
    expect(pack.text).toContain(`- ${job.decision.id} decision: Refresh 30 s early`)
    expect(pack.text).toContain(`- ${job.attempt.id} dead end: One timer per session`)
    expect(pack.text).toContain('refresh(now: number): boolean')
    // The second one also is at src/api/login.ts, the third at no TypeScript file.
    expect(pack.text).toContain(`- ${job.required.id} src/api/**: Handlers answer with a Result`)
    expect(pack.text).toContain(`- ${job.proposed.id} src/*.ts: No default exports.`)
    expect(pack.text).not.toContain(job.retired.id)
    expect(pack.text).toContain(`- ${job.task.id} (open, ada)`)
    for (const item of pack.items)
      expect(Object.keys(item).sort()).toEqual(['id', 'section', 'tier'])
  })

  test('a required rule is in the smallest pack, which says how far it is over', async () => {
    const cwd = job.other.workspace ?? ''
    const words = ['--budget', '50', '--focus', 'src/api/login.ts', '--fresh']
    const pack = await machine.data('pack', words, { cwd, as: BEN })
    expect(pack.tokens).toBeGreaterThan(50)
    expect(pack.text).toContain(`${job.required.id} src/api/**: Handlers answer with a Result`)
    expect(pack.text).not.toContain(job.proposed.id)
    expect(pack.text).toContain(`over budget: ${pack.tokens - 50} tokens more than 50`)
  })

  test('expand opens every id of the pack', async () => {
    const ids = job.pack.items.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(10)
    const cwd = job.other.workspace ?? ''
    const opened = await machine.data('expand', ids, { cwd, as: BEN })
    expectFields(opened, ['items'])
    expect(opened.items.map(({ id }) => id)).toEqual(ids)
    for (const { text } of opened.items) expect(text).toEndWith('\n')
    const record = opened.items.find(({ id }) => id === job.attempt.id)
    expect(record?.text).toContain('A sweep does the same.')
    const folder = opened.items.find(({ id }) => id === 'map:src/')
    expect(folder?.text).toContain('src/session.ts, 5 symbols\n')
    expect(folder?.text).toContain('src/api/ 1 file\n')
  })

  test('the receipt recomputes the pack from what it kept', async () => {
    const cwd = job.other.workspace ?? ''
    const receipt = await machine.data('receipt', [job.pack.receipt], { cwd })
    expectFields(receipt, ['id', 'manifest'])
    expect(receipt.manifest).toMatchObject({
      inputs: { task: job.other.id, focus: ['src/session.ts', 'login'], budget: 800 },
    })
    const explained = await machine.text(['receipt', job.pack.receipt, '--explain'], { cwd })
    expect(explained).toEndWith(
      'recomputed from the manifest: score and tier of every line agree\n',
    )
    for (const { id, tier } of job.pack.items) expect(explained).toContain(`${id} ${tier} `)
    const list = await machine.data('receipt.list', ['--task', job.other.id], { cwd })
    expect(list.items.map(({ id }) => id)).toContain(job.pack.receipt)
  })

  test('every command says in words what it says as JSON', async () => {
    const cwd = job.task.workspace ?? ''
    expect(await machine.text(['task', 'show'], { cwd })).toStartWith(`${job.task.id} open`)
    expect(await machine.text(['log'], { cwd })).toContain(`${job.decision.id} decision, ada`)
    expect(await machine.text(['convention', 'list'], { cwd })).toContain(job.required.id)
    expect(await machine.text(['status'], { cwd })).toContain(job.task.id)
    expect(await machine.text(['receipt', 'list'], { cwd })).toContain(job.pack.receipt)
  })

  test('purge takes the text of a record away, and leaves its place', async () => {
    const cwd = job.task.workspace ?? ''
    const asked = await machine.refusal(['purge', job.note.id], { cwd })
    expect(asked).toMatchObject({ exit: 2, code: 'bad_input' })
    const purged = await machine.data('purge', [job.note.id, '--yes'], { cwd })
    expect(purged.id).toBe(job.note.id)
    expect(purged.remains.length).toBeGreaterThan(0)
    const { items } = await machine.data('log', ['--all'], { cwd })
    const left = items.find(({ id }) => id === job.note.id)
    expect(left).toMatchObject({ position: job.note.position, kind: 'note', author: 'ada' })
    expect(left?.summary).not.toContain('lower case')
    expect(left?.marks).toContain('purged')
    expect(await machine.text(['pack', job.other.id], { cwd: root })).not.toContain('lower case')
  })

  test('config and migrate say how av is set up', async () => {
    const [first] = (await machine.data('config')).items
    expect(first).toMatchObject({ key: 'home', value: machine.home.folder, from: 'env' })
    await machine.text(['config', 'set', 'session', 'from-the-file'])
    expect(await machine.data('config.get', ['AV_SESSION'])).toMatchObject({
      ...{ key: 'session', value: 'from-the-file', from: 'file' },
    })
    expect((await machine.data('status', [], { cwd: root })).session).toBe('from-the-file')
    await machine.text(['config', 'set', 'session', ''])
    expect((await machine.data('config.get', ['session'])).value).toBe('')
    expect(await machine.data('migrate')).toMatchObject({ store: 'pglite' })
    const daemon = await machine.data('daemon.status')
    expectFields(daemon, ['running', 'pid', 'version', 'home', 'store', 'rssBytes', 'startedAt'])
    expect(daemon).toMatchObject({ running: true, home: machine.home.folder, store: 'pglite' })
  })

  test("it all leaves the person's checkout as it was, byte for byte", () => {
    expect(humanView(machine.box, kind, root)).toEqual(before)
  })
})

/** That these fields are at the top, whatever else is. */
function expectFields(value: object, fields: readonly string[]): void {
  expect(Object.keys(value)).toEqual(expect.arrayContaining([...fields]))
}
