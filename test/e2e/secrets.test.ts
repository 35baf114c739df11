import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ADA, Machine, makeRepo } from '../support/machine.ts'
import { inDatabase, tablesHolding } from '../support/machine-database.ts'
import { edit } from '../workspace/sandbox.ts'
import { SHOP } from './shop.ts'

/** Made up, each of a kind that people paste; told apart by where it is put. */
const token = (place: string) => `ghp_${place.padEnd(12, '0')}Qw7zR2xY9kL4mN8pB1vC6tD3sE`
const SECRETS = {
  goal: token('goal'),
  summary: token('summary'),
  body: token('body'),
  message: token('message'),
  rule: token('rule'),
  focus: token('focus'),
  code: token('code'),
  password: 'S3cr3t-9f8e7d6c',
} as const
const BODY = `First line\npassword: ${SECRETS.password}\nkey ${SECRETS.body}\n`
/** Commands that show what was kept. */
const SHOWING = [
  ['pack', '--focus', SECRETS.focus, '--focus', 'src/key.ts', '--explain'],
  ...[['log'], ['log', '--json'], ['task', 'show'], ['task', 'list'], ['status', '--json']],
  ...[
    ['convention', 'list', '--all'],
    ['receipt', 'list'],
    ['daemon', 'logs'],
  ],
] as const
const LONG_MS = 60_000

describe('a secret that somebody lets slip', () => {
  let machine: Machine
  /** All that was printed, to whichever stream. */
  let printed = ''
  afterAll(() => machine[Symbol.asyncDispose]())
  beforeAll(async () => {
    machine = new Machine()
    const root = makeRepo(machine.box, 'plain', {
      ...SHOP,
      'src/key.ts': `/** Use ${SECRETS.code} for now. */\nexport const KEY = '${SECRETS.code}'\n`,
    })
    const run = async (words: readonly string[], cwd: string, stdin = '') => {
      const { code, out, err } = await machine.run(words, { cwd, as: ADA, stdin })
      expect([words[0], code, err.includes('Error')]).toEqual([words[0] ?? '', 0, false])
      printed += out + err
    }
    await run(['init'], root)
    await run(['task', 'start', `Use ${SECRETS.goal} to sign in`, '--id', 'leaky'], root)
    const cwd = join(machine.workspaces, 'shop/leaky')
    const at = ['--at', 'src/key.ts:KEY']
    await run(['record', 'note', `The key is ${SECRETS.summary}`, '--body', '-', ...at], cwd, BODY)
    edit(cwd, { 'src/extra.ts': 'export const extra = 1\n' })
    await run(['checkpoint', '-m', `with ${SECRETS.message}`], cwd)
    await run(['convention', 'propose', '**', `Never print ${SECRETS.rule}`], cwd)
    for (const words of SHOWING) await run(words, cwd)
  }, LONG_MS)

  test('is replaced by a mark, and counted', async () => {
    const cwd = join(machine.workspaces, 'shop/leaky')
    const { items } = await machine.data('log', [], { cwd })
    expect(items).toMatchObject([
      {
        summary: 'The key is [redacted:github-token]',
        body: 'First line\npassword: [redacted:secret]\nkey [redacted:github-token]\n',
        redacted: 3,
      },
    ])
    const task = await machine.data('task.show', ['leaky'], { cwd })
    expect(task.goal).toBe('Use [redacted:github-token] to sign in')
  })

  test('is in nothing that was printed', () => {
    expect(printed).toContain('[redacted:github-token]')
    expect(found(printed)).toEqual([])
  })

  test('is in no table and no file of AV_HOME: database, log, claims', async () => {
    await machine.data('daemon.stop')
    const secrets = Object.values(SECRETS)
    expect(await tablesHolding(machine, secrets)).toEqual([])
    const grep = secrets.flatMap((secret) => ['-e', secret])
    // In the private store lie the repository's own commits, compressed: they hold what was committed.
    expect(machine.box.attempt('/', 'grep', '-rlaF', ...grep, machine.home.folder).out).toBe('')
    // The same looks find what must be there.
    const mark = '[redacted:github-token]'
    expect(await tablesHolding(machine, [mark])).toEqual(
      expect.arrayContaining(['checkpoint', 'convention', 'record', 'task']),
    )
    expect(machine.box.sh('/', 'grep', '-rlaF', mark, machine.home.folder)).toContain('/pgdata/')
  })

  test('is in nothing that is kept compressed: what was read of the code, and receipts', async () => {
    const unpacked = async (docs: string) => {
      const rows = await inDatabase(machine, (query) => query(docs))
      return rows.map(({ doc }) => Bun.zstdDecompressSync(doc as Uint8Array).toString()).join()
    }
    const receipts = await unpacked('SELECT manifest AS doc FROM receipt')
    expect(receipts).toContain('[redacted:github-token]')
    expect(found(receipts)).toEqual([])
    const kept = await unpacked('SELECT doc FROM file_index')
    expect(kept).toContain("export const KEY = '[redacted:github-token]'")
    expect(kept).toContain('Use [redacted:github-token] for now.')
    expect(found(kept)).toEqual([])
  })

  test("is not in jj's operation log, nor in its commits", () => {
    const cwd = join(machine.workspaces, 'shop/leaky')
    const jj = (...words: string[]) =>
      machine.box.sh(cwd, 'jj', '--no-pager', '--ignore-working-copy', '-R', cwd, ...words)
    const told = [
      jj('op', 'log', '--no-graph', '-T', 'description ++ tags ++ "\\n"'),
      jj('log', '--no-graph', '-r', 'all()', '-T', 'description ++ "\\n"'),
    ].join('')
    expect(told).toContain('[redacted:github-token] to sign in')
    expect(found(told)).toEqual([])
  })
})

function found(text: string): string[] {
  return Object.entries(SECRETS).flatMap(([place, secret]) =>
    text.includes(secret) ? [place] : [],
  )
}
