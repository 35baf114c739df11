import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { until } from '../daemon/household.ts'
import { ADA, Machine, makeRepo, type RunOptions } from '../support/machine.ts'
import { BACKENDS, onEach, scratchDatabase, separateStore } from '../support/stores.ts'
import { commitAll, type Edits, edit } from '../workspace/sandbox.ts'
import { type Packs, packsFrom } from './same-facts.ts'
import { SHOP } from './shop.ts'

const LONG_MS = 120_000

describe('the same facts', () => {
  let expected: Packs
  beforeAll(async () => {
    const { store, close } = await separateStore()
    expected = await packsFrom(store, 'forward', false)
    await close()
  }, LONG_MS)

  test('make packs that hold what is asked for', () => {
    const roomy = expected.at(-1)
    expect(roomy?.tokens).toBeLessThanOrEqual(3_000)
    expect(roomy?.text).toContain('endSession(user: string): void')
    expect(roomy?.text).toContain('Sessions end <|endoftext|> at once')
    expect(roomy?.text).toContain('src/𝒮ession.ts')
    expect(new Set(expected.map(({ receipt }) => receipt)).size).toBe(expected.length)
  })

  onEach('make the same packs and receipts', BACKENDS, ({ open }) => {
    for (const [order, isRestarted] of [
      ['backward', true],
      ['forward', true],
    ] as const) {
      test(
        `fed ${order}, by another daemon`,
        async () => {
          const { store, close } = await open()
          try {
            expect(await packsFrom(store, order, isRestarted)).toEqual(expected)
          } finally {
            await close()
          }
        },
        LONG_MS,
      )
    }
  })
})

/** Enough files for two parse workers, with names and words that locales disagree about. */
const FILES: Edits = {
  ...SHOP,
  ...Object.fromEntries(
    [...'abcdefghijklmnop'].map((name) => [
      `src/lib/${name.toUpperCase()}-${name}.ts`,
      `/** Part ${name}: keeps İ, ı, ß and é apart. */\nexport function ${name}Session(): void {}\n`,
    ]),
  ),
  'src/e\u0301.ts': 'export const Session = 1\n',
  'src/\u00e9.ts': 'export const session = 2\n',
  'src/𝒮.ts': 'export const SESSION = 3\n',
  'src/\u202esession.ts': 'export const noisses = 4\n',
  'src/<|endoftext|>.ts': 'export const endOfSession = 5\n',
  '# session.md': '# Session\n\nOne <|endoftext|>.\n',
}

const PLACES: readonly RunOptions['env'][] = [
  { LC_ALL: 'C', TZ: 'UTC' },
  { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Asia/Kolkata' },
  { LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8', TZ: 'America/St_Johns' },
]

describe('a pack', () => {
  let machine: Machine
  let cwd: string
  let pack: string
  // Ada's session has read it already, each time but the first.
  const words = ['pack', '--fresh', '--focus', 'Session', '--focus', 'src/e\u0301.ts']
  const packAgain = (options: RunOptions = {}) => machine.text(words, { cwd, as: ADA, ...options })
  beforeAll(async () => {
    machine = new Machine()
    const root = makeRepo(machine.box, 'plain', FILES)
    await machine.data('init', [], { cwd: root })
    cwd =
      (await machine.data('task.start', ['End sessions'], { cwd: root, as: ADA })).workspace ?? ''
    const at = ['--at', 'src/session.ts:Session.end']
    await machine.data('record', ['decision', 'Sessions end <|endoftext|> twice', ...at], {
      ...{ cwd, as: ADA },
    })
    await machine.data('record', ['attempt', '## Code of the session é'], { cwd, as: ADA })
    edit(cwd, { 'src/session.ts': 'export class Session {\n  end(): void {}\n}\n' })
    pack = await packAgain()
  }, LONG_MS)
  afterAll(() => machine[Symbol.asyncDispose]())

  test('is the same when it is asked for again, as text and as JSON', async () => {
    expect(pack).toContain('src/session.ts')
    expect(await packAgain()).toBe(pack)
    const json = await machine.data('pack', words.slice(1), { cwd, as: ADA })
    expect(json.text).toBe(pack)
    expect(json.degraded).toEqual([])
  })

  test(
    'does not depend on the locale and the time zone of who asks',
    async () => {
      for (const env of PLACES) expect(await packAgain({ env: env ?? {} })).toBe(pack)
    },
    LONG_MS,
  )

  test(
    'is the same after the daemon was stopped, or killed',
    async () => {
      await machine.data('daemon.stop')
      expect(await packAgain()).toBe(pack)
      await machine.killDaemon()
      expect(await packAgain()).toBe(pack)
    },
    LONG_MS,
  )

  test(
    'is the same from a daemon in another place of the world',
    async () => {
      for (const env of PLACES.slice(1)) {
        await machine.data('daemon.stop')
        const daemon = machine.start(['daemon', 'run'], { env: env ?? {} })
        await until(async () => (await machine.pid()) === daemon.pid)
        expect(await packAgain()).toBe(pack)
        daemon.kill('SIGTERM')
        await daemon.exited
      }
    },
    LONG_MS,
  )
})

describe('the same repository', () => {
  // Records and rules get ids of their own by chance; without them two homes are in the same state.
  const postgres = BACKENDS.slice(1)
  let expected: string
  beforeAll(async () => {
    await using machine = new Machine()
    expected = await packAt(machine, 'at once')
  }, LONG_MS)

  test(
    'gives the same pack in another home, with one parse worker, indexed in two steps',
    async () => {
      const place = { LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Kolkata' }
      const oneCore = Bun.which('taskset') === null ? [] : ['taskset', '-c', '0']
      await using machine = new Machine(place, oneCore)
      expect(await packAt(machine, 'in two steps')).toBe(expected)
    },
    LONG_MS,
  )

  for (const { name, missing, url } of postgres) {
    const reason = missing === null ? '' : ` (skipped: ${missing})`
    test.skipIf(missing !== null)(
      `gives the same pack on ${name}${reason}`,
      async () => {
        const database = await scratchDatabase(url)
        const machine = new Machine({ AV_DATABASE_URL: database.url, LC_ALL: 'de_DE.UTF-8' })
        try {
          expect(await packAt(machine, 'in two steps')).toBe(expected)
          expect((await machine.data('daemon.status')).store).toStartWith('postgres://')
        } finally {
          await machine[Symbol.asyncDispose]()
          await database.drop()
        }
      },
      LONG_MS,
    )
  }
})

/** The pack of a task that did nothing yet, in a repository with the same commits everywhere. */
async function packAt(machine: Machine, indexed: 'at once' | 'in two steps'): Promise<string> {
  const { box } = machine
  const { 'src/session.ts': last = '', ...others } = FILES
  const root = makeRepo(box, 'plain', others)
  const rewrite = (message: string) =>
    box.sh(
      root,
      'sh',
      '-c',
      `${FIXED_DATES} git commit -q --amend --date="$GIT_AUTHOR_DATE" -m ${message}`,
    )
  rewrite('first')
  if (indexed === 'in two steps') await machine.data('init', [], { cwd: root })
  edit(root, { 'src/session.ts': last })
  commitAll(box, root, 'second')
  rewrite('second')
  await machine.data('init', [], { cwd: root })
  const words = ['End sessions', '--id', 'end-sessions']
  const { workspace } = await machine.data('task.start', words, { cwd: root, as: ADA })
  const cwd = workspace ?? ''
  edit(cwd, { 'src/new.ts': 'export function newSession(): void {}\n' })
  return machine.text(['pack', '--focus', 'Session'], { cwd, as: ADA })
}

const FIXED_DATES =
  'export GIT_AUTHOR_DATE="2031-01-01T00:00:00Z" GIT_COMMITTER_DATE="2031-01-01T00:00:00Z";'
