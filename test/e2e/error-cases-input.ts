import { expect } from 'bun:test'
import { closeSync, ftruncateSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../src/domain/actor.ts'
import { ADA, Machine, makeRepo } from '../support/machine.ts'
import { edit } from '../workspace/sandbox.ts'
import { clientOf } from './daemon-client.ts'
import type { Cases } from './error-case.ts'

const TWO_GB = 2 * 1024 ** 3
/** One character of two UTF-16 units, and of four bytes. */
const ASTRAL = '𝒮'

/** What people write, whose the task is, and what lies in the folder. */
export const inputCases = {
  'a summary of 201 characters': {
    is: 'refused',
    code: 'bad_input',
    says: ['The summary has 201 characters; the limit is 200.'],
    next: '--body',
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'note', ASTRAL.repeat(201)],
      options: { cwd: workspace, as: ADA },
    }),
    after: async ({ machine, workspace }) => {
      const words = [ASTRAL.repeat(200), '--task', 'refresh']
      const kept = await machine.data('record', ['note', ...words], { cwd: workspace, as: ADA })
      expect(kept.summary).toBe(ASTRAL.repeat(200))
    },
  },
  'a claim lost': {
    is: 'refused',
    code: 'claim_lost',
    says: [/^claim lost: refresh-sessions-\w{4} .*\bada\b.* since \d{4}-\d\d-\d\dT/],
    next: 'what you changed on disk stays',
    provoke: async ({ machine, workspace }) => {
      edit(workspace, { 'src/late.ts': 'export const late = 1\n' })
      const options = { cwd: workspace, as: { ...ADA, AV_SESSION: 'ada-2' } }
      return { machine, words: ['checkpoint'], options }
    },
    after: async ({ machine, task, workspace }, attempt) => {
      // A record is refused as well, and says who holds the task.
      const lost = await machine.refusal(['record', 'note', 'Late'], attempt.options)
      expect(lost).toMatchObject({ exit: 6, code: 'claim_lost' })
      expect(lost.detail).toMatchObject({ owner: 'ada', generation: 1 })
      expect(Date.parse(String(lost.detail.since))).toBeGreaterThan(0)
      // It was judged before anything ran: the holder's next checkpoint is the first to see the file.
      const jj = ['jj', '--ignore-working-copy', '-R', workspace, 'op', 'log', '--no-graph']
      const ops = machine.box.sh(workspace, ...jj, '-T', 'id ++ "\\n"')
      await machine.refusal(['checkpoint'], attempt.options)
      expect(machine.box.sh(workspace, ...jj, '-T', 'id ++ "\\n"')).toBe(ops)
      const { files } = await machine.data('checkpoint', [], { cwd: workspace, as: ADA })
      expect(files.map(({ path }) => path)).toContain('src/late.ts')
      expect((await machine.data('task.show', [task], { cwd: workspace })).generation).toBe(1)
    },
  },
  'a second merge at the same moment': {
    is: 'survived',
    prove: async ({ machine, root }) => {
      const mei = { cwd: root }
      const { id: task, workspace } = await machine.data('task.start', ['Come second'], {
        ...{ cwd: root, as: ADA },
      })
      const own = { cwd: workspace ?? '', as: ADA }
      edit(own.cwd, { 'src/second.ts': 'export function second(): void {}\n' })
      await machine.data('record', ['note', 'Why it comes second'], own)
      await machine.data('submit', [], own)
      await machine.data('approve', [task], mei)
      const { id: repo } = await machine.data('status', [], mei)
      const holder = await clientOf(machine, 900)
      const slots = { repo, clone: 'elsewhere', remote: 'origin' }
      const ben: Caller = { actor: 'ben', kind: 'agent', session: 'ben-1', generation: null }
      const want = { ...slots, kind: 'sync', task: null, tree: null } as const
      const held = await holder.call('slot.take', want, ben)
      // It waits for its turn, and says whose turn it is when that does not come.
      const refused = await machine.refusal(['merge', task], mei)
      expect(refused).toMatchObject({ exit: 6, code: 'conflict' })
      expect(refused.detail).toMatchObject({ reason: 'slot_taken', actor: 'ben' })
      expect(refused.message).toMatch(/^ben moves trunk since .*; one at a time may/)
      expect(refused.remediation).toContain('Run the command again in a moment')
      const waiting = [1, 2].map(() => machine.run(['merge', task, '--json'], mei))
      await holder.call('slot.free', { repo, slot: held.data.slot }, ben)
      // Of two at once one lands it, and the other finds it landed.
      const ends = await Promise.all(waiting)
      expect(ends.map(({ code }) => code).sort()).toEqual([0, 5])
      expect(ends.map(({ out }) => out).join()).toMatch(/is merged: merge cannot happen to it now/)
    },
  },
  'a file that is not UTF-8': {
    is: 'survived',
    prove: async (_, made) => {
      const { machine, cwd } = await beginWith(made, { 'src/old.ts': LATIN })
      edit(cwd, { 'src/old.ts': Buffer.concat([LATIN, Buffer.from('\nexport const more = 1\n')]) })
      const { files, incomplete } = await machine.data('checkpoint', [], { cwd, as: ADA })
      expect(files).toEqual([{ path: 'src/old.ts', status: 'modified', from: null }])
      expect(incomplete).toEqual({ tooLarge: [], badNames: [], nested: [] })
      const words = ['decision', 'Old files stay as they are', '--at', 'src/old.ts']
      const { anchors } = await machine.data('record', words, { cwd, as: ADA })
      expect(anchors).toMatchObject([{ path: 'src/old.ts', symbol: null }])
      const pack = await machine.data('pack', ['--focus', 'src/old.ts'], { cwd, as: ADA })
      expect(pack.text).toContain('src/old.ts')
      expect(pack.degraded).toEqual([])
    },
  },
  'has 2 GB': {
    is: 'refused',
    code: 'too_large',
    says: [`huge.bin has ${TWO_GB} bytes`, 'has at most 67108864'],
    next: 'Anchor the record at the code that reads it',
    provoke: async (_, made) => {
      const { machine, cwd } = await beginWith(made, {})
      const file = openSync(join(cwd, 'huge.bin'), 'w')
      ftruncateSync(file, TWO_GB)
      closeSync(file)
      edit(cwd, { 'src/small.ts': 'export function small(): void {}\n' })
      return {
        machine,
        words: ['record', 'note', 'Big', '--at', 'huge.bin'],
        options: { cwd, as: ADA },
      }
    },
    after: async (_, { machine, options }) => {
      // The rest of the task is kept, and what is not is named.
      const checkpoint = await machine.data('checkpoint', [], options)
      expect(checkpoint.files.map(({ path }) => path)).toEqual(['src/small.ts'])
      expect(checkpoint.incomplete.tooLarge).toEqual(['huge.bin'])
      expect(await machine.text(['pack'], options)).toContain('small()')
    },
  },
  'or is a broken link': {
    is: 'survived',
    prove: async (_, made) => {
      const { machine, cwd } = await beginWith(made, {
        'src/away.ts': { link: 'nowhere/at-all.ts' },
      })
      edit(cwd, { 'src/far.ts': { link: '/nowhere/else.ts' } })
      const { files } = await machine.data('checkpoint', [], { cwd, as: ADA })
      expect(files).toEqual([{ path: 'src/far.ts', status: 'added', from: null }])
      const words = ['note', 'The link is to be mended', '--at', 'src/away.ts']
      const record = await machine.data('record', words, { cwd, as: ADA })
      expect(record.anchors).toMatchObject([{ path: 'src/away.ts', symbol: null }])
      const why = await machine.data('why', ['src/away.ts'], { cwd, as: ADA })
      expect(why.items.map(({ id, marks }) => [id, marks])).toEqual([[record.id, []]])
      const pack = await machine.data('pack', ['--focus', 'src/away.ts'], { cwd, as: ADA })
      expect(pack.text).toContain(record.id)
    },
  },
} as const satisfies Cases

/** `Größe` in Latin-1. */
const LATIN = Buffer.from('// Gr\u00f6\u00dfe\nexport const size = 1\n', 'latin1')

/** A task of Ada's in a shop that has these files too. */
async function beginWith(made: AsyncDisposableStack, files: Parameters<typeof edit>[1]) {
  const machine = made.use(new Machine())
  const root = makeRepo(machine.box, 'plain', { 'src/a.ts': 'export const a = 1\n', ...files })
  await machine.data('init', [], { cwd: root })
  const task = await machine.data('task.start', ['Begin'], { cwd: root, as: ADA })
  return { machine, cwd: task.workspace ?? '' }
}
