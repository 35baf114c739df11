import { expect } from 'bun:test'
import { join } from 'node:path'
import { ADA, BEN, Machine, MEI, makeRepo } from '../support/machine.ts'
import { scratchDatabase } from '../support/stores.ts'
import { edit } from '../workspace/sandbox.ts'
import type { Cases } from './error-case.ts'
import { FrailWay } from './frail-way.ts'
import { MountedMachine, whyNoMounts } from './mounted-machine.ts'
import { SHOP } from './shop.ts'

const BODY_MAX = 16 * 1024
const postgresUrl = process.env.AV_TEST_POSTGRES_URL ?? ''

/** Errors beyond the list: wrong words, wrong bytes, a reader that went away. */
export const moreCases = {
  'a flag that is not understood': {
    is: 'refused',
    code: 'bad_input',
    says: ['`av log` has no flag --limits; nearest is --limit.'],
    next: '`av log --help`',
    provoke: async ({ machine, root }) => ({
      machine,
      words: ['log', '--limits', '3'],
      options: { cwd: root },
    }),
  },
  'a command that is not there': {
    is: 'refused',
    code: 'bad_input',
    says: ['There is no command "recrod"', 'nearest: record'],
    next: '`av help`',
    provoke: async ({ machine, root }) => ({
      machine,
      words: ['recrod', 'note', 'x'],
      options: { cwd: root },
    }),
  },
  'a folder where a file is meant': {
    is: 'refused',
    code: 'bad_input',
    says: ['src/api is not a file.'],
    next: 'av log --at FOLDER',
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['why', 'api'],
      options: { cwd: join(workspace, 'src') },
    }),
    after: async ({ machine, workspace }) => {
      // Where a folder is meant, it needs no slash, and the root is everything.
      const options = { cwd: join(workspace, 'src'), as: ADA }
      const words = ['note', 'At the handler', '--at', 'api/login.ts']
      const { id } = await machine.data('record', words, options)
      for (const at of ['api', 'api/', 'api/login.ts', '.', '..']) {
        const { items } = await machine.data('log', ['--at', at], options)
        expect([at, items[0]?.id]).toEqual([at, id])
      }
    },
  },
  'a name for a repository that has one': {
    is: 'survived',
    prove: async ({ machine, root }) => {
      const ran = await machine.run(['init', '--name', 'bazaar', '--json'], { cwd: root })
      expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
        0,
        { data: { repo: 'shop' }, warnings: ['The repo is named shop already, not bazaar.'] },
      ])
    },
  },
  'a prefix of two tasks': {
    is: 'refused',
    code: 'bad_input',
    says: ['twin could be twin-a or twin-b.'],
    next: 'Give more of the id',
    provoke: async ({ machine, root }) => {
      for (const id of ['twin-a', 'twin-b']) {
        await machine.data('task.start', ['One of two', '--id', id], { cwd: root, as: ADA })
      }
      return { machine, words: ['task', 'show', 'twin'], options: { cwd: root } }
    },
    after: async ({ machine, root }, { words, options }) => {
      const { detail } = await machine.refusal(words, options)
      expect(detail.candidates).toEqual(['twin-a', 'twin-b'])
      expect((await machine.data('task.show', ['twin-b'], { cwd: root })).id).toBe('twin-b')
    },
  },
  'an id that is not there': {
    is: 'refused',
    code: 'not_found',
    says: ['There is no record r:00000000.'],
    next: '`av log --all`',
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'decision', 'Instead of nothing', '--supersedes', 'r:00000000'],
      options: { cwd: workspace, as: ADA },
    }),
  },
  'a body of more than 16 KiB': {
    is: 'refused',
    code: 'bad_input',
    says: [`The body has ${BODY_MAX + 1} bytes; the limit is ${BODY_MAX}.`],
    next: 'link to the rest',
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'note', 'Long', '--body', '-'],
      options: { cwd: workspace, as: ADA, stdin: `${'é'.repeat(BODY_MAX / 2)}x` },
    }),
    after: async ({ machine, workspace }, { words }) => {
      const stdin = 'é'.repeat(BODY_MAX / 2)
      await machine.text(words, { cwd: workspace, as: ADA, stdin })
      const { items } = await machine.data('log', ['--limit', '1'], { cwd: workspace })
      expect(items[0]?.body === stdin).toBe(true)
    },
  },
  'more on standard input than av reads': {
    is: 'refused',
    code: 'too_large',
    says: ['Standard input holds more than 1048576 bytes'],
    next: 'the part that matters',
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'note', 'Huge', '--body', '-'],
      options: { cwd: workspace, as: ADA, stdin: 'x'.repeat(3 * 1024 ** 2) },
    }),
  },
  'a NUL on standard input': {
    is: 'refused',
    code: 'bad_input',
    says: ['The body holds a NUL character.'],
    next: 'plain UTF-8 text',
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'note', 'Bytes', '--body', '-'],
      options: { cwd: workspace, as: ADA, stdin: 'a\0b' },
    }),
  },
  'bytes on standard input that are no text': {
    is: 'refused',
    code: 'bad_input',
    says: ['Standard input is not UTF-8 text.'],
    next: 'Convert it to UTF-8',
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'note', 'Bytes', '--body', '-'],
      options: { cwd: workspace, as: ADA, stdin: new Uint8Array([0x61, 0xff, 0xfe]) },
    }),
  },
  'a record on the task of somebody else': {
    is: 'refused',
    code: 'refused_rule',
    says: [/^refresh-sessions-\w{4} is .*\bada\b.*\bben\b/],
    next: /\bnote\b.*\breview\b/,
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'decision', 'Mine now'],
      options: { cwd: workspace, as: BEN },
    }),
  },
  'a setting that cannot be': {
    is: 'refused',
    code: 'bad_input',
    says: ['AV_LEASE_SECS must be a whole number from 1 to 2592000.'],
    next: 'Correct it or take it away',
    provoke: async ({ machine, root }) => ({
      machine,
      words: ['status'],
      options: { cwd: root, env: { AV_LEASE_SECS: 'soon' } },
    }),
  },
  'an `AV_HOME` on a disk that cannot be written': {
    missing: whyNoMounts,
    is: 'refused',
    code: 'store_unavailable',
    says: [/^AV_HOME \S+ cannot be written \((?:EROFS|SQLITE_\w+)\)/],
    next: 'Make the folder writable for you',
    provoke: async (_, made) => {
      const machine = made.use(await MountedMachine.make('ro'))
      const root = makeRepo(machine.box, 'plain', SHOP)
      return { machine, words: ['init'], options: { cwd: root } }
    },
  },
  'Postgres that goes away in the middle, and comes back': {
    missing: () => (postgresUrl === '' ? 'AV_TEST_POSTGRES_URL is not set' : null),
    is: 'survived',
    prove: async (_, made) => {
      const database = await scratchDatabase(postgresUrl)
      made.defer(database.drop)
      const way = made.use(await FrailWay.to(database.url))
      const machine = made.use(new Machine({ AV_DATABASE_URL: way.url }))
      const root = makeRepo(machine.box, 'plain', SHOP)
      await machine.data('init', [], { cwd: root })
      const task = await machine.data('task.start', ['Begin'], { cwd: root, as: ADA })
      const options = { cwd: task.workspace ?? '', as: ADA }
      const before = await machine.data('record', ['note', 'Before'], options)
      await way.cut()
      for (const words of [['record', 'note', 'Meanwhile'], ['log'], ['checkpoint']]) {
        const { code, exit, remediation } = await machine.refusal(words, options)
        expect([words[0], code, exit]).toEqual([words[0], 'store_unavailable', 7])
        expect(remediation).toContain('Nothing was stored')
      }
      await way.mend()
      const after = await machine.data('record', ['note', 'After'], options)
      const { items } = await machine.data('log', ['--all'], options)
      expect(items.map(({ id }) => id)).toEqual([after.id, before.id])
      expect(after.position).toBe(before.position + 1)
    },
  },
  'a current folder that was deleted': {
    is: 'survived',
    prove: async ({ machine, root }) => {
      const line = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
      const child = Bun.spawn(['sh', '-c', line, 'sh', ...machine.command(['log'])], {
        cwd: root,
        env: machine.environment({ ...MEI, PWD: root }),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      // A compiled program does not get as far as ours: its runtime says so itself, and leaves with 1.
      expect([4, 1]).toContain(await child.exited)
      expect(out).toBe('')
      expect(err).toMatch(
        /^Error: There is no folder .*gone\.\nHint: |working directory was deleted/,
      )
      expect(err).not.toContain('    at ')
    },
  },
  'a reader that goes away': {
    is: 'survived',
    prove: async ({ machine, workspace }) => {
      // More than a pipe holds, so that the end of the reader is noticed.
      edit(workspace, { 'src/long.ts': '// a long line of a long file\n'.repeat(10_000) })
      for (let count = 0; count < 6; count++) {
        const words = ['note', `A long one, ${count}`, '--body', 'word '.repeat(3_000)]
        await machine.data('record', words, { cwd: workspace, as: ADA })
      }
      for (const words of [['log'], ['log', '--json'], ['diff'], ['--help']]) {
        const line = '{ "$@"; echo "$?" >&3; } 3>"$CODE" | head -c 1 >/dev/null'
        const code = join(machine.box.dir, 'code')
        const child = Bun.spawn(['sh', '-c', line, 'sh', ...machine.command(words)], {
          cwd: workspace,
          env: machine.environment({ ...ADA, CODE: code }),
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        const err = await new Response(child.stderr).text()
        await child.exited
        expect([words, await Bun.file(code).text(), err]).toEqual([words, '0\n', ''])
      }
    },
  },
  'a full disk during a checkpoint': {
    missing: whyNoMounts,
    is: 'refused',
    code: 'store_unavailable',
    says: [/^The disk is full/, 'nothing new was recorded'],
    next: 'Free some space',
    provoke: async (_, made) => {
      const machine = made.use(await MountedMachine.make('size=96m'))
      const root = makeRepo(machine.box, 'plain', SHOP)
      await machine.data('init', [], { cwd: root })
      const task = await machine.data('task.start', ['Begin'], { cwd: root, as: ADA })
      const options = { cwd: task.workspace ?? '', as: ADA }
      edit(options.cwd, { 'src/first.ts': 'export function first(): void {}\n' })
      await machine.data('checkpoint', [], options)
      const noise = crypto.getRandomValues(new Uint8Array(65_536))
      edit(options.cwd, { 'noise.bin': Buffer.concat(Array.from({ length: 64 }, () => noise)) })
      await machine.fill(32)
      return { machine, words: ['checkpoint'], options }
    },
    after: async (_, { machine, options }) => {
      // The files lie where they were, and the next one takes them in.
      if (machine instanceof MountedMachine) await machine.inside('rm "$AV_HOME/ballast"')
      const { files } = await machine.data('checkpoint', [], options)
      expect(files.map(({ path }) => path)).toEqual(['noise.bin', 'src/first.ts'])
    },
  },
} as const satisfies Cases
