import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ADA, BEN, type RunOptions } from '../support/machine.ts'
import { edit, walk } from '../workspace/sandbox.ts'
import { Town } from './town.ts'
import { expectRefused, source } from './town-refusal.ts'

const LONG_MS = 120_000

let town: Town
beforeAll(async () => {
  town = await Town.found()
}, LONG_MS)
afterAll(() => town[Symbol.asyncDispose]())

const own = (cwd: string): RunOptions => ({ cwd, as: ADA })

describe('a task that ended', () => {
  test(
    'is not claimed when it was merged',
    async () => {
      const { id, cwd } = await town.approved('End well', { 'src/well.ts': source('well') })
      await town.machine.data('merge', [id], town.mei)
      for (const options of [{ cwd: town.root, as: BEN }, own(cwd)]) {
        const refused = await expectRefused(town, ['claim', id], options, {
          ...{ code: 'refused_transition', reason: 'state' },
          says: `The task ${id} is merged: claim cannot happen to it now.`,
          next: `av task show ${id}`,
        })
        expect(refused.detail).toMatchObject({ state: 'merged', legal: ['undo', 'revert'] })
      }
    },
    LONG_MS,
  )

  test(
    'takes no record when it was abandoned, and no other step; what it was can be had back',
    async () => {
      const { id, cwd } = await town.begin('Give it up', { 'src/up.ts': source('up') })
      await town.machine.data('abandon', ['--yes'], own(cwd))
      expect(existsSync(cwd)).toBe(false)
      for (const words of [
        ['record', 'note', 'Too late', '--task', id],
        ['claim', id],
        ['abandon', id, '--yes'],
        ['merge', id],
      ]) {
        await expectRefused(
          town,
          words,
          { cwd: town.root, as: ADA },
          {
            ...{ code: 'refused_transition', reason: 'state' },
            says: `The task ${id} is abandoned`,
            next: `It is final. See \`av task show ${id}\``,
          },
        )
      }
      const { head } = await town.machine.data('task.show', [id], town.mei)
      expect(await town.machine.text(['task', 'show', id], town.mei)).toContain(
        String(head).slice(0, 12),
      )
      expect(await town.machine.text(['diff', id], town.mei)).toContain('+export function up()')
    },
    LONG_MS,
  )
})

describe('an abandonment', () => {
  test(
    'is refused while the folder holds what no snapshot takes in; ignored files are named first',
    async () => {
      const { id, cwd } = await town.begin('Hold on', { 'src/hold.ts': source('hold') })
      const mei = town.mei
      edit(cwd, { 'big.bin': new Uint8Array(25 * 1024 * 1024) })
      mkdirSync(join(cwd, 'nested'))
      town.machine.box.sh(join(cwd, 'nested'), 'git', 'init', '-q')
      edit(cwd, { 'nested/file.txt': 'theirs\n' })
      for (const path of ['big.bin', 'nested']) {
        const files = walk(cwd)
        const refused = await town.machine.refusal(['abandon', '--yes'], own(cwd))
        expect(refused).toMatchObject({ exit: 5, code: 'refused_rule' })
        expect(refused.detail).toMatchObject({ reason: 'unsnapshotted' })
        expect(refused.message).toContain(path)
        expect(refused.remediation).toContain('Nothing was abandoned')
        expect([await town.stateOf(id), walk(cwd)]).toEqual(['open', files])
        rmSync(join(cwd, path), { recursive: true })
      }
      edit(cwd, { 'debug.log': 'ignored\n' })
      const refused = await expectRefused(town, ['abandon'], own(cwd), {
        ...{ code: 'bad_input', reason: 'not_confirmed' },
        says: 'what git ignores there: debug.log',
        next: 'if you mean it',
      })
      expect(refused.detail).toMatchObject({ ignored: ['debug.log'], ignoredTotal: 1 })
      expect(existsSync(join(cwd, 'debug.log'))).toBe(true)
      await town.machine.data('abandon', ['--yes'], own(cwd))
      expect([existsSync(cwd), (await town.machine.data('task.show', [id], mei)).state]).toEqual([
        false,
        'abandoned',
      ])
    },
    LONG_MS,
  )
})

test(
  'a folder that was deleted: each step says how it is made again, and nothing is lost',
  async () => {
    const { id, cwd } = await town.begin('Lose the folder', { 'src/lost.ts': source('lost') })
    await town.machine.data('checkpoint', [], own(cwd))
    rmSync(cwd, { recursive: true })
    const options = { cwd: town.root, as: { ...ADA, AV_TASK: id } }
    for (const words of [['checkpoint'], ['submit'], ['handoff', '--done', 'it']]) {
      await expectRefused(town, words, options, {
        ...{ code: 'not_found', reason: 'folder_missing' },
        says: `The workspace folder of ${id} was deleted`,
        next: 'av task path',
      })
    }
    await town.machine.data('task.path', [id], { cwd: town.root, as: ADA })
    expect(readFileSync(join(cwd, 'src/lost.ts'), 'utf8')).toBe(source('lost'))
    await town.machine.data('submit', [], own(cwd))
    await town.machine.data('approve', [id], town.mei)
    // A merge needs no folder.
    rmSync(cwd, { recursive: true })
    await town.machine.data('merge', [id], town.mei)
    expect(town.landingsOf(id)).toBe(1)
  },
  LONG_MS,
)
