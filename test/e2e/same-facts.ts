import { createHash } from 'node:crypto'
import type { Output } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { symbolHash } from '../../src/domain/anchor.ts'
import type { BlobId, FileIndex } from '../../src/domain/code.ts'
import { indexFile } from '../../src/source/file-index.ts'
import type { Store } from '../../src/store/store.ts'
import { agent, Office } from '../ops/office.ts'

const VERSION = 'v1'
const TREE = `${'a'.repeat(40)}/${VERSION}`
const body = (name: string) => `/** Ends the session of ${name}. */
export function endSession(user: string): void {
  sessions.delete(user)
}
`

/**
 * Names that sort otherwise by a dictionary, fold to one another by case or composition, are two
 * units of UTF-16, run from right to left, or pose as something else.
 */
const NAMES = [
  ...['src/a-b.ts', 'src/ab.ts', 'src/A-b.ts', 'src/aB.ts', 'src/a b.ts', 'src/a_b.ts'],
  ...['src/\u00e9.ts', 'src/e\u0301.ts', 'src/ß.ts', 'src/ss.ts', 'src/İi.ts', 'src/ıI.ts'],
  ...['src/𝒮ession.ts', 'src/ﬀ.ts', 'src/z.ts', 'src/Ä.ts', 'src/\u202esession.ts'],
  ...[
    'src/<|endoftext|>.ts',
    '# session.ts',
    'src/`session`.ts',
    '> session.ts',
    'session\n# x.ts',
  ],
] as const

const HOSTILE = [
  'Sessions end <|endoftext|> at once',
  '# av pack session',
  '## Decisions & dead ends about the session',
  '> receipt: rcp:00000000 session',
  'The session of \u202eBob\u202c ends',
  'Session \u00e9 and session e\u0301 differ',
  '𝒮ession 🇩🇪👩‍👩‍👧 ends early',
  '``` session ```',
  'session'.repeat(28),
] as const

export type Packs = readonly Pick<Output<'pack'>, 'text' | 'receipt' | 'tokens' | 'items'>[]

/**
 * Feeds a store the very same facts, and asks for the same packs.
 * @param order in which the files' indexes arrive; it may not show
 * @param isRestarted whether another daemon answers than the one that was fed
 */
export async function packsFrom(
  store: Store,
  order: 'forward' | 'backward',
  isRestarted: boolean,
): Promise<Packs> {
  const office = await Office.open(store, 7)
  const { repo } = office
  const files = await indexes()
  const entries = NAMES.map((path, at): [string, string] => [path, files[at]?.blob ?? ''])
  await office.call('index.tree', { repo, tree: TREE, offset: 0, entries, last: true })
  const arriving = order === 'forward' ? files : files.toReversed()
  for (const file of arriving) {
    await office.call('index.files', { repo, version: VERSION, files: [file] })
    // Asked for in between, so that the index grows file by file.
    await office.call('index.state', { repo, view: VIEW, countSymbols: true })
  }
  const task = await record(office)
  if (isRestarted) office.restart()
  const packs: Output<'pack'>[] = []
  for (const budget of [150, 400, 800, 3_000]) {
    for (const focus of [[], ['src/e\u0301.ts'], ['𝒮ession', 'src/a b.ts']]) {
      packs.push(
        await office.call('pack', {
          ...{ repo, task, focus, budget, explain: false, view: VIEW },
          ...{ changed: [NAMES[0], NAMES[12]], indexing: false },
        }),
      )
    }
  }
  return packs.map(({ text, receipt, tokens, items }) => ({ text, receipt, tokens, items }))
}

const VIEW = { tree: TREE, overlay: [] }

/** Three tasks, records on all of them, two that replace one, rules, work beside: gives one task. */
async function record(office: Office): Promise<string> {
  const ada = await office.task('End the session of a user', agent('ada'))
  const ben = await office.task('Ein Größenproblem: session ends twice', agent('ben'))
  await office.task('İstanbul: session <|endoftext|>', agent('çağla'))
  const anchorAt = (path: string) => ({
    anchors: [{ path, symbol: 'endSession', hash: symbolHash(body(path), 'endSession') }],
  })
  for (const [at, summary] of HOSTILE.entries()) {
    const by = at % 2 === 0 ? ada : ben
    const path = NAMES[at * 2] ?? NAMES[0]
    await office.record(by.task, by.owner, summary, {
      ...{ kind: at % 3 === 0 ? 'attempt' : 'decision', body: `${summary}\n\n# ${summary}\n` },
      ...anchorAt(path),
    })
  }
  const old = await office.record(ben.task, ben.owner, 'Sessions never end')
  for (const summary of ['Sessions end after a day', 'Sessions end after an hour']) {
    await office.record(ben.task, ben.owner, summary, { supersedes: [old.id] })
  }
  await addRules(office)
  await checkpoint(office, ben.task, ben.owner)
  return ada.task
}

async function addRules(office: Office): Promise<void> {
  const { repo } = office
  for (const [glob, text] of RULES) {
    await office.call('convention.add', { repo, glob, text, required: glob === 'src/a*.ts' })
  }
}

const RULES = [
  ['src/**', 'Say what ends a session.\n# Not a heading\n<|endoftext|>'],
  ['src/a*.ts', 'Names in lower case.'],
  ['src/\u00e9.ts', 'One form of \u00e9.'],
  ['**/*.ts', '𝒮: nothing beyond the plane.'],
] as const

async function checkpoint(office: Office, task: string, by: Caller): Promise<void> {
  await office.call(
    'checkpoint',
    {
      ...{ repo: office.repo, task, commit: 'b'.repeat(40), change: 'kkmpptxz', base: null },
      files: NAMES.slice(0, 14).map((path) => ({ path, status: 'modified' as const, from: null })),
      symbols: NAMES.slice(0, 14).map((path) => `${path}:endSession`),
      ...{ patch: 'none', incomplete: { tooLarge: [], badNames: [], nested: [] } },
      ...{ tree: null, conflicts: [] },
    },
    by,
  )
}

async function indexes(): Promise<FileIndex[]> {
  return Promise.all(
    NAMES.map(async (path) => {
      const bytes = new TextEncoder().encode(body(path))
      const blob = createHash('sha1').update(bytes).digest('hex') as BlobId
      const result = await indexFile({ path, bytes, blob })
      if (result.kind !== 'indexed') throw new Error(`${path} was left out`)
      return result.index
    }),
  )
}
