import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SLOT_SECS } from '../../src/domain/landing.ts'
import { seededWorld } from '../../src/world.ts'
import { ADA, BEN, type RunOptions } from '../support/machine.ts'
import { edit } from '../workspace/sandbox.ts'
import { type Call, CallWay } from './call-way.ts'
import { Town, WHY_NO_CLOCK } from './town.ts'
import { source } from './town-refusal.ts'

const LONG_MS = 180_000
/** More calls than any move of trunk makes. */
const CALLS_MAX = 30
const RANDOM_KILLS = 10

type Verb = 'merge' | 'undo' | 'revert'
type Moment = 'before' | 'after'

describe.skipIf(WHY_NO_CLOCK !== '')(
  `a client that dies while it moves trunk${WHY_NO_CLOCK}`,
  () => {
    let town: Town
    let way: CallWay
    let task: string
    let bystander: string
    beforeAll(async () => {
      town = await Town.found()
      task = (await town.approved('Count the sessions', { 'src/count.ts': source('count') })).id
      bystander = (await town.approved('Name the shop', { 'src/name.ts': source('name') })).id
      way = await CallWay.to(town.machine)
    }, LONG_MS)
    afterAll(async () => {
      await way[Symbol.asyncDispose]()
      await town[Symbol.asyncDispose]()
    })

    /** Runs a command and kills it where `isTime`; whether it came to that. */
    async function killed(words: readonly string[], isTime: (call: Call, at: Moment) => boolean) {
      const child = town.machine.start([...words, '--json'], { ...town.mei, env: way.env })
      let hit = false
      const kill = async (call: Call, at: Moment) => {
        if (hit || !isTime(call, at)) return
        hit = true
        child.kill('SIGKILL')
        await child.exited
      }
      way.watch({
        before: async (call) => {
          await kill(call, 'before')
          return hit ? 'lose_request' : 'pass'
        },
        after: (call) => kill(call, 'after'),
      })
      await child.exited
      way.open()
      return hit
    }

    /** Dies at its n-th call, before or after the daemon has it; whatever it was, trunk is old or new. */
    async function dieAt(verb: Verb, of: string, count: number, at: Moment): Promise<boolean> {
      const old = town.trunk()
      const hit = await killed([verb, of], (call, now) => call.count === count && now === at)
      if (hit) expectOldOrNew(verb, old)
      town.expectCheckoutClean()
      await town.wait(SLOT_SECS + 1)
      return hit
    }

    /** Where it moved, it moved by one commit: onto the old trunk, or back off it. */
    function expectOldOrNew(verb: Verb, old: string): void {
      const now = town.trunk()
      if (now === old) return
      const [upper, lower] = verb === 'undo' ? [old, now] : [now, old]
      expect(town.git('rev-parse', `${upper}~`).trim()).toBe(lower)
    }

    /** The same command again, or another that has to do with trunk; then the task is where it was to go. */
    async function mend(verb: Verb, of: string, by: Verb | 'sync', goal: string): Promise<void> {
      if (by === 'sync') {
        await town.machine.data('sync', [], town.mei)
        town.expectCheckoutClean()
      }
      if ((await town.stateOf(of)) !== goal || verb === 'revert')
        await town.machine.run([verb, of], town.mei)
      town.expectCheckoutClean()
      expect(await town.stateOf(of)).toBe(goal)
    }

    for (const at of ['before', 'after'] as const) {
      test(
        `killed ${at} each call of a merge, and of its undo: trunk is old or new, and a repeat ends right`,
        async () => {
          let calls = 0
          for (let count = 1; count < CALLS_MAX; count++) {
            const before = town.trunk()
            const by = count % 2 === 0 ? 'sync' : 'merge'
            const merge = await dieAt('merge', task, count, at)
            await mend('merge', task, by, 'merged')
            expect(town.landingsOf(task)).toBe(1)
            expect(town.git('rev-parse', 'main~').trim()).toBe(before)
            const undo = await dieAt('undo', task, count, at)
            await mend('undo', task, by, 'in_review')
            expect(town.landingsOf(task)).toBe(0)
            expect(town.trunk()).toBe(before)
            if (!merge && !undo) break
            calls = count
          }
          expect(calls).toBeGreaterThan(4)
          expect(calls).toBeLessThan(CALLS_MAX - 1)
        },
        LONG_MS,
      )
    }

    test(
      'killed at each call of a revert, trunk is old or new, and a repeat ends right',
      async () => {
        let count = 0
        for (let isOver = false; !isOver; ) {
          const { id } = await town.approved(`Add part ${count}`, {
            [`src/p${count}.ts`]: source(`p${count}`),
          })
          await town.machine.data('merge', [id], town.mei)
          const merged = town.trunk()
          count++
          isOver = !(await dieAt('revert', id, count, count % 2 === 0 ? 'before' : 'after'))
          await mend('revert', id, count % 3 === 0 ? 'sync' : 'revert', 'merged')
          const { flags } = await town.machine.data('task.show', [id], town.mei)
          expect(flags).toContain('reverted')
          expect(town.git('rev-parse', 'main~').trim()).toBe(merged)
          expect(town.git('rev-parse', 'main^{tree}')).toBe(town.git('rev-parse', 'main~2^{tree}'))
          expect(count).toBeLessThan(CALLS_MAX)
        }
        expect(count).toBeGreaterThan(4)
      },
      LONG_MS,
    )

    for (const at of ['before', 'after'] as const) {
      test(
        `killed ${at} it told of a conflict, the files hold it, and the next merge tells of it`,
        async () => {
          const other = await town.approved(`Answer ${at}`, { 'src/legacy.ts': source(at) })
          const { id, cwd } = await town.approved(`Answer otherwise ${at}`, {
            'src/legacy.ts': source(`not_${at}`),
          })
          await town.machine.data('merge', [other.id], town.mei)
          const trunk = town.trunk()
          const hit = await killed(
            ['merge', id],
            (call, now) => call.route === 'landing.conflict' && now === at,
          )
          expect([hit, town.trunk()]).toEqual([true, trunk])
          expect(await town.stateOf(id)).toBe(at === 'before' ? 'in_review' : 'conflicted')
          await town.wait(SLOT_SECS + 1)
          expect((await town.machine.run(['merge', id], town.mei)).code).toBe(5)
          const { state, conflicted } = await town.machine.data('task.show', [id], town.mei)
          expect([state, conflicted]).toEqual(['conflicted', ['src/legacy.ts']])
          expect(readFileSync(join(cwd, 'src/legacy.ts'), 'utf8')).toContain('<<<<<<<')
          edit(cwd, { 'src/legacy.ts': source(`both_${at}`) })
          await town.machine.data('resolve', [], { cwd, as: ADA })
          expect(town.trunk()).toBe(trunk)
          town.expectCheckoutClean()
        },
        LONG_MS,
      )
    }

    test(
      `killed ${RANDOM_KILLS} times somewhere in git's own work, the next merge of it or of another mends it`,
      async () => {
        const chance = seededWorld(33)
        for (let count = 0; count < RANDOM_KILLS; count++) {
          const before = town.trunk()
          const delayMs = Number.parseInt(chance.randomHex(1), 16) / 2
          await killLater(['merge', task], count % 2 === 0 ? 'slot.take' : 'landing.open', delayMs)
          expectOldOrNew('merge', before)
          await town.wait(SLOT_SECS + 1)
          if (count === RANDOM_KILLS - 1) break
          await mend('merge', task, count % 4 < 2 ? 'merge' : 'sync', 'merged')
          expect(town.landingsOf(task)).toBe(1)
          await town.machine.data('undo', [task], town.mei)
          expect(town.trunk()).toBe(before)
        }
        await town.machine.data('merge', [bystander], town.mei)
        await mend('merge', task, 'merge', 'merged')
        expect([town.landingsOf(task), town.landingsOf(bystander)]).toEqual([1, 1])
      },
      LONG_MS,
    )

    /** Killed so many milliseconds after the reply to its call of this route, or not at all when it was faster. */
    async function killLater(
      words: readonly string[],
      route: string,
      delayMs: number,
    ): Promise<void> {
      const child = town.machine.start([...words, '--json'], { ...town.mei, env: way.env })
      way.watch({
        before: () => 'pass',
        after: async (call) => {
          if (call.route === route) setTimeout(() => child.kill('SIGKILL'), delayMs)
        },
      })
      await child.exited
      way.open()
    }

    test(
      'the daemon killed between the opening and the closing: told with exit 7, and a repeat finishes it',
      async () => {
        const { id } = await town.approved('Outlive the daemon', { 'src/out.ts': source('out') })
        way.watch({
          before: async ({ route }) => {
            if (route !== 'landing.close') return 'pass'
            await town.machine.killDaemon()
            return 'lose_request'
          },
        })
        const lost = await town.machine.refusal(['merge', id], { ...town.mei, env: way.env })
        way.open()
        expect(lost).toMatchObject({ exit: 7, code: 'daemon_unreachable' })
        expect(lost.detail).toMatchObject({ reason: 'outcome_unknown', route: 'landing.close' })
        await town.wait(SLOT_SECS + 1)
        const { code, out } = await town.machine.run(['merge', id, '--json'], town.mei)
        expect([code, out]).toEqual([0, expect.stringContaining(`The merge of ${id}, left open`)])
        expect([await town.stateOf(id), town.landingsOf(id)]).toEqual(['merged', 1])
        town.expectCheckoutClean()
      },
      LONG_MS,
    )

    for (const fate of ['lose_request', 'lose_reply'] as const) {
      test(
        `the connection lost in each write (${fate}): told with exit 7, and a repeat ends right`,
        async () => {
          const writes = [
            'task.start',
            'record',
            'checkpoint',
            'submit',
            'approve',
            'slot.take',
            'landing.open',
            'landing.close',
            'handoff',
            'claim',
            'abandon',
          ]
          const goal = `Lose it: ${fate}`
          const file = fate.replace('_', '-')
          const lost = async (route: string, words: readonly string[], options: RunOptions) => {
            way.watch({ before: (call) => (call.route === route ? fate : 'pass') })
            const refused = await town.machine.refusal(words, { ...options, env: way.env })
            way.open()
            expect(refused).toMatchObject({ exit: 7, code: 'daemon_unreachable' })
            expect(refused.detail).toMatchObject({ reason: 'outcome_unknown', route })
            writes.splice(writes.indexOf(route), 1)
          }
          await lost('task.start', ['task', 'start', goal], { cwd: town.root, as: ADA })
          const { id, cwd } = await town.begin(goal, { [`src/${file}.ts`]: source('lost') })
          await lost('record', ['record', 'note', 'Said once or twice'], { cwd, as: ADA })
          await lost('checkpoint', ['checkpoint'], { cwd, as: ADA })
          await lost('submit', ['submit'], { cwd, as: ADA })
          await town.machine.run(['submit'], { cwd, as: ADA })
          expect(await town.stateOf(id)).toBe('in_review')
          await lost('approve', ['approve', id], town.mei)
          await town.machine.data('approve', [id], town.mei)
          for (const route of ['slot.take', 'landing.open', 'landing.close']) {
            await lost(route, ['merge', id], town.mei)
            town.expectCheckoutClean()
            await town.wait(SLOT_SECS + 1)
          }
          await town.machine.run(['merge', id], town.mei)
          expect([await town.stateOf(id), town.landingsOf(id)]).toEqual(['merged', 1])
          const given = await town.begin(`Give away: ${fate}`, { 'src/given.ts': source('given') })
          await lost('handoff', ['handoff', '--done', 'it'], { cwd: given.cwd, as: ADA })
          await town.machine.run(['handoff', '--done', 'it'], { cwd: given.cwd, as: ADA })
          expect(await town.stateOf(given.id)).toBe('handed_off')
          const ben = { cwd: town.root, as: BEN }
          await lost('claim', ['claim', given.id], ben)
          const taken = await town.machine.data('claim', [given.id], ben)
          expect([taken.owner, taken.workspace]).toEqual(['ben', expect.stringContaining('.g')])
          await lost('abandon', ['abandon', given.id, '--yes'], ben)
          await town.machine.run(['abandon', given.id, '--yes'], ben)
          expect(await town.stateOf(given.id)).toBe('abandoned')
          expect(writes).toEqual([])
        },
        LONG_MS,
      )
    }
  },
)
