import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Sent } from '../../src/api/routes.ts'
import { symbolHash, textHash } from '../../src/domain/anchor.ts'
import type { BlobId } from '../../src/domain/code.ts'
import { indexFile } from '../../src/source/file-index.ts'
import { freshStore } from '../support/stores.ts'
import { agent, Office } from './office.ts'

setDefaultTimeout(60_000)

type File = { readonly path: string; readonly text: string }
const VERSION = 'v1'
const TREE = `${'a'.repeat(40)}/${VERSION}`

const FILES: readonly File[] = [
  {
    path: 'src/session.ts',
    text: 'export class Session {\n  refresh(now: number) {\n    return now\n  }\n}\n',
  },
  { path: 'src/login.ts', text: 'export function login(user: string) {\n  return user\n}\n' },
  {
    path: 'src/password.ts',
    text: 'export function checkPassword(user: string) {\n  return user\n}\n',
  },
  { path: 'docs/login.md', text: '# Login\n\nHow a session is refreshed.\n' },
  { path: 'src/copy.ts', text: 'export function login(user: string) {\n  return user\n}\n' },
]
/** Of another branch: in the store, not in the view. */
const STRANGERS: readonly File[] = [
  { path: 'src/session.ts', text: 'export class Session { login() {} refresh() {} }\n' },
  { path: 'src/refresh.ts', text: 'export const refresh = "session session session login"\n' },
]

describe('the index in the daemon', () => {
  test('the order in which files came, and what else is indexed, does not show in a pack', async () => {
    const plain = await packAfter(FILES, [])
    const mixed = await packAfter([...STRANGERS, ...FILES.toReversed()], STRANGERS)
    expect(mixed).toBe(plain)
  })

  test('neither does a restart', async () => {
    const { office, task } = await shop(FILES)
    const before = await packOf(office, task)
    office.restart()
    expect(await packOf(office, task)).toEqual(before)
  })

  test('an edit on disk shows at once, and is gone when it is taken back', async () => {
    const { office, task } = await shop(FILES)
    const before = await packOf(office, task)
    const edited: File = {
      path: 'src/login.ts',
      text: 'export function loginBySession(user: string) {\n  return user\n}\n',
    }
    const overlay = [{ path: edited.path, blob: keyOf(edited), gone: false }]
    const input = { repo: office.repo, view: { tree: TREE, overlay } }
    expect((await office.call('index.state', input)).blobs).toEqual([keyOf(edited)])
    await send(office, [edited])
    const during = await packOf(office, task, overlay)
    expect(during.text).toContain('loginBySession')
    expect(during.text).not.toContain('L1 login\n')
    expect(await packOf(office, task)).toEqual(before)
  })

  test('a pack without the whole index says so, and is whole afterwards', async () => {
    const { office, task } = await shop(FILES.slice(0, 2))
    const partly = await packOf(office, task)
    expect(partly.degraded).toEqual(['index'])
    expect(partly.text).toContain('degraded: index\n')
    await send(office, FILES)
    expect((await packOf(office, task)).degraded).toEqual([])
  })

  test('what is sent is asked for once, and by content', async () => {
    const { office } = await shop([])
    const state = await office.call('index.state', { repo: office.repo, view: view() })
    expect(state).toMatchObject({ treeKnown: true, total: 5, missing: 4 })
    await send(office, FILES)
    const after = await office.call('index.state', {
      repo: office.repo,
      view: view(),
      countSymbols: true,
    })
    expect(after).toMatchObject({ missing: 0, symbols: 6 })
  })

  test('a listing with a gap in it is refused', async () => {
    const { office } = await shop([])
    const part = {
      repo: office.repo,
      tree: `${'b'.repeat(40)}/${VERSION}`,
      entries: [],
      last: true,
    }
    const fault = await office.refusal('index.tree', { ...part, offset: 7 })
    expect(fault).toMatchObject({ code: 'conflict', detail: { reason: 'listing_gap' } })
  })

  test('an index whose numbers lead nowhere is refused', async () => {
    const { office } = await shop([])
    const [file] = await indexes(FILES.slice(0, 1))
    if (file === undefined) throw new Error('no index')
    const bad = { ...file, symbols: file.symbols.map((s) => ({ ...s, words: [9_999, 1] })) }
    const input = { repo: office.repo, version: VERSION, files: [bad] }
    expect((await office.refusal('index.files', input))?.detail.reason).toBe('bad_file_index')
  })
})

describe('the mark of an anchor in the log', () => {
  test('says what became of the code in the view one stands in', async () => {
    const { office, task, owner } = await shop(FILES)
    const session = FILES[0]?.text ?? ''
    const refresh = session.split('\n').slice(1, 4).join('\n')
    const at = (path: string, symbol: string | null, hash: string) => ({
      anchors: [{ path, symbol, hash }],
    })
    await office.record(
      task,
      owner,
      'same',
      at('src/session.ts', 'Session.refresh', symbolHash(refresh, 'refresh')),
    )
    await office.record(task, owner, 'changed', at('src/session.ts', null, textHash('other')))
    await office.record(task, owner, 'gone', at('src/session.ts', 'Session.end', textHash('x')))
    await office.record(task, owner, 'file gone', at('src/lost.ts', null, textHash('x')))
    const input = { repo: office.repo, all: false, limit: 50, path: null, view: view() }
    const { items } = await office.call('log', input)
    expect(items.map(({ summary, marks }) => [summary, ...marks])).toEqual([
      ['file gone', 'gone since recorded'],
      ['gone', 'gone since recorded'],
      ['changed', 'changed since recorded'],
      ['same'],
    ])
  })
})

async function packAfter(sent: readonly File[], strangers: readonly File[]): Promise<string> {
  const { office, task } = await shop(sent)
  if (strangers.length > 0) {
    // Somebody looked at the other branch first, so that it is in memory too.
    const overlay = strangers.map((file) => ({ path: file.path, blob: keyOf(file), gone: false }))
    await packOf(office, task, overlay)
  }
  return (await packOf(office, task)).text
}

async function shop(sent: readonly File[]) {
  const office = await Office.open((await freshStore()).store)
  const { task, owner } = await office.task('Refresh the session at login', agent('ada'))
  const entries = FILES.map((file): [string, string] => [file.path, keyOf(file)])
  await office.call('index.tree', { repo: office.repo, tree: TREE, offset: 0, entries, last: true })
  await send(office, sent)
  return { office, task, owner }
}

async function send(office: Office, files: readonly File[]): Promise<void> {
  const input = { repo: office.repo, version: VERSION, files: await indexes(files) }
  await office.call('index.files', input)
}

async function indexes(files: readonly File[]): Promise<Sent<'index.files'>['files']> {
  const results = await Promise.all(
    files.map(({ path, text }) =>
      indexFile({ path, bytes: Buffer.from(text), blob: keyOf({ path, text }) as BlobId }),
    ),
  )
  return results.flatMap((result) => (result.kind === 'indexed' ? [result.index] : []))
}

function packOf(
  office: Office,
  task: string,
  overlay: readonly { path: string; blob: string | null; gone: boolean }[] = [],
) {
  return office.call('pack', {
    ...{ repo: office.repo, task, focus: [], budget: 800, explain: false },
    ...{ view: { tree: TREE, overlay }, changed: [], indexing: false },
  })
}

function view() {
  return { tree: TREE, overlay: [] }
}

function keyOf({ path, text }: File): string {
  const hash = createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
  return `${hash}.${path.endsWith('.md') ? 'markdown' : 'typescript'}`
}
