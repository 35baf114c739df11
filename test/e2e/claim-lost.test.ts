import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Actor, ADA, BEN } from '../support/machine.ts'
import { edit, walk } from '../workspace/sandbox.ts'
import { CallWay, type Fate } from './call-way.ts'
import { Town, WHY_NO_CLOCK } from './town.ts'
import { source } from './town-refusal.ts'

const LONG_MS = 120_000
const LEASE_SECS = 1800
const ADA_AGAIN: Actor = { ...ADA, AV_SESSION: 'ada-2' }

type Task = { readonly id: string; readonly cwd: string }
type Holder = { readonly owner: string; readonly generation: number }

/** Every command that writes under a claim. */
const WRITES: readonly (readonly string[])[] = [
  ['record', 'note', 'Late'],
  ['record', 'decision', 'Late', '--at', 'src/session.ts'],
  ['checkpoint', '-m', 'late'],
  ['submit'],
  ['handoff', '--done', 'all of it'],
  ['resolve'],
  ['abandon', '--yes'],
]

describe.skipIf(WHY_NO_CLOCK !== '')(`a claim lost${WHY_NO_CLOCK}`, () => {
  let town: Town
  beforeAll(async () => {
    town = await Town.found()
  }, LONG_MS)
  afterAll(() => town[Symbol.asyncDispose]())

  /** A task with a checkpoint of Ada's, and an edit of hers that is in none. */
  async function begun(goal: string): Promise<Task> {
    const task = await town.begin(goal, { 'src/kept.ts': source('kept') })
    await town.machine.data('checkpoint', [], { cwd: task.cwd, as: ADA })
    edit(task.cwd, { 'src/unkept.ts': source('unkept'), 'src/legacy.ts': null })
    return task
  }

  async function takenOver(task: Task, by: Actor): Promise<string> {
    await town.wait(LEASE_SECS + 1)
    const claim = await town.machine.data('claim', [task.id], { cwd: town.root, as: by })
    return claim.workspace ?? ''
  }

  /** What may not change when a write is refused: every table, every ref of every repository, what jj did. */
  async function everything() {
    return { rows: await town.rows(), refs: refsOf(town), ops: opHeadsOf(town) }
  }

  /** Each write is refused, says who has it and since when, and leaves no trace; the files stay. */
  async function expectAllLost(cwd: string, as: Actor, id: string, holder: Holder): Promise<void> {
    const before = await everything()
    const files = walk(cwd)
    for (const words of WRITES)
      expectLost(await town.machine.refusal(words, { cwd, as }), id, holder)
    expect(await everything()).toEqual(before)
    expect(walk(cwd)).toEqual(files)
  }

  test(
    'late writes of an owner whose lease lapsed are refused; the new one goes on from what lay in the folder',
    async () => {
      const task = await begun('Write late')
      const folder = await takenOver(task, BEN)
      expect(folder).toBe(`${task.cwd}.g2`)
      expect(readFileSync(join(folder, 'src/unkept.ts'), 'utf8')).toBe(source('unkept'))
      expect([
        existsSync(join(folder, 'src/kept.ts')),
        existsSync(join(folder, 'src/legacy.ts')),
      ]).toEqual([true, false])
      edit(task.cwd, { 'src/late.ts': source('late') })
      await expectAllLost(task.cwd, ADA, task.id, { owner: 'ben', generation: 2 })
      // Nor does her late edit get into his next checkpoint.
      const { files } = await town.machine.data('checkpoint', [], { cwd: folder, as: BEN })
      expect(files.map(({ path }) => path).sort()).toEqual([
        'src/kept.ts',
        'src/legacy.ts',
        'src/unkept.ts',
      ])
      expect(existsSync(join(task.cwd, 'src/late.ts'))).toBe(true)
    },
    LONG_MS,
  )

  test(
    'the new owner is refused in the old folder, and writes from the new one',
    async () => {
      const task = await begun('Stand in the wrong place')
      const folder = await takenOver(task, BEN)
      await expectAllLost(task.cwd, BEN, task.id, { owner: 'ben', generation: 2 })
      await town.machine.data('record', ['note', 'From the right place'], { cwd: folder, as: BEN })
    },
    LONG_MS,
  )

  test(
    'of one name in two sessions, the one that claimed last writes, in the same folder',
    async () => {
      const task = await begun('Two of one name')
      await expectAllLost(task.cwd, ADA_AGAIN, task.id, { owner: 'ada', generation: 1 })
      const claim = await town.machine.data('claim', [task.id], { cwd: task.cwd, as: ADA_AGAIN })
      expect([claim.workspace, claim.generation]).toEqual([task.cwd, 2])
      await expectAllLost(task.cwd, ADA, task.id, { owner: 'ada', generation: 2 })
      await town.machine.data('checkpoint', [], { cwd: task.cwd, as: ADA_AGAIN })
      // And back: the one that was refused claims it once more.
      await town.machine.data('claim', [task.id], { cwd: task.cwd, as: ADA })
      await expectAllLost(task.cwd, ADA_AGAIN, task.id, { owner: 'ada', generation: 3 })
      await town.machine.data('record', ['note', 'Mine again'], { cwd: task.cwd, as: ADA })
    },
    LONG_MS,
  )

  test(
    'an owner who comes back after a handoff and two claims is refused in the folder of old',
    async () => {
      const task = await begun('Come back')
      await town.machine.data('handoff', ['--remaining', 'the rest'], { cwd: task.cwd, as: ADA })
      const first = await town.machine.data('claim', [task.id], { cwd: town.root, as: BEN })
      const handed = { cwd: first.workspace ?? '', as: BEN }
      await town.machine.data('handoff', ['--remaining', 'the rest, still'], handed)
      const second = await town.machine.data('claim', [task.id], { cwd: town.root, as: ADA_AGAIN })
      const { generation } = second
      await expectAllLost(task.cwd, ADA, task.id, { owner: 'ada', generation })
      await expectAllLost(task.cwd, ADA_AGAIN, task.id, { owner: 'ada', generation })
      await expectAllLost(handed.cwd, BEN, task.id, { owner: 'ada', generation })
      await town.machine.data('checkpoint', [], { cwd: second.workspace ?? '', as: ADA_AGAIN })
    },
    LONG_MS,
  )

  test(
    'a claim that was cut off is had by a repeat, which names the folder it does not go on from',
    async () => {
      const task = await begun('Cut off the claim')
      await town.wait(LEASE_SECS + 1)
      await using way = await CallWay.to(town.machine)
      way.watch({ before: ({ route }) => (route === 'claim' ? 'lose_reply' : 'pass') })
      const ben = { cwd: town.root, as: BEN }
      const lost = await town.machine.refusal(['claim', task.id], { ...ben, env: way.env })
      expect(lost).toMatchObject({ exit: 7, detail: { reason: 'outcome_unknown' } })
      const { out } = await town.machine.run(['claim', task.id, '--json'], ben)
      const { data, warnings } = JSON.parse(out)
      expect([data.owner, data.generation, data.workspace]).toEqual(['ben', 3, `${task.cwd}.g3`])
      expect(warnings).toEqual([expect.stringContaining(`${task.cwd} is of an earlier claim`)])
      await expectAllLost(task.cwd, ADA, task.id, { owner: 'ben', generation: 3 })
      await town.machine.data('checkpoint', [], { cwd: data.workspace, as: BEN })
    },
    LONG_MS,
  )

  for (const route of ['task.check', 'bundle.state', 'bundle.put', 'checkpoint']) {
    test(
      `a claim while a checkpoint is at its ${route}: nothing of it is kept`,
      async () => {
        const task = await begun(`Meet at ${route}`)
        await using way = await CallWay.to(town.machine)
        let folder = ''
        const before: Awaited<ReturnType<typeof everything>>[] = []
        way.watch({
          before: async (call): Promise<Fate> => {
            if (call.route !== route || folder !== '') return 'pass'
            folder = await takenOver(task, BEN)
            before.push(await everything())
            return 'pass'
          },
        })
        const options = { cwd: task.cwd, as: ADA, env: way.env }
        const lost = await town.machine.refusal(['checkpoint'], options)
        expect(way.seen).toContain(route)
        expectLost(lost, task.id, { owner: 'ben', generation: 2 })
        expect(before).toEqual([await everything()])
        expect(readFileSync(join(folder, 'src/unkept.ts'), 'utf8')).toBe(source('unkept'))
        expect(existsSync(join(task.cwd, 'src/unkept.ts'))).toBe(true)
      },
      LONG_MS,
    )
  }
})

function expectLost(
  refused: {
    readonly exit: number
    readonly code: string
    readonly message: string
    readonly detail: object
  },
  id: string,
  { owner, generation }: Holder,
): void {
  expect(refused).toMatchObject({ exit: 6, code: 'claim_lost', detail: { owner, generation } })
  const { since } = refused.detail as { readonly since?: unknown }
  expect(String(since)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)
  expect(refused.message).toMatch(
    new RegExp(`^claim lost: ${id} .*${owner} holds it since ${since}`),
  )
}

/** All refs of Mei's repository and of each that av keeps. */
function refsOf({ machine, root }: Town): Readonly<Record<string, string>> {
  const heads = machine.box.sh(
    machine.home.folder,
    'find',
    '.',
    '-name',
    'HEAD',
    '-not',
    '-path',
    '*/logs/*',
  )
  const kept = heads
    .trim()
    .split('\n')
    .map((head) => join(machine.home.folder, dirname(head)))
  return Object.fromEntries(
    [join(root, '.git'), ...kept].sort().map((dir) => {
      return [dir, machine.box.sh('/', 'git', '--git-dir', dir, 'for-each-ref')]
    }),
  )
}

function opHeadsOf({ machine }: Town): readonly string[] {
  const repos = join(machine.home.folder, 'repos')
  return readdirSync(repos)
    .filter((repo) => existsSync(join(repos, repo, 'jj')))
    .flatMap((repo) => readdirSync(join(repos, repo, 'jj/.jj/repo/op_heads/heads')))
}
