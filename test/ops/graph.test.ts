import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { symbolHash } from '../../src/domain/anchor.ts'
import type { BlobId } from '../../src/domain/code.ts'
import { indexFile } from '../../src/source/file-index.ts'
import { languageClass } from '../../src/source/languages.ts'
import { freshStore } from '../support/stores.ts'
import { agent, Office } from './office.ts'

setDefaultTimeout(60_000)

type Texts = Readonly<Record<string, string>>
const TREE = `${'a'.repeat(40)}/v1`

const SHOP: Texts = {
  'tsconfig.json': '{"compilerOptions":{"paths":{"@cart/*":["src/cart/*"]}}}\n',
  'src/page/page.ts':
    "import { totalOf } from '@cart/total'\n/** The page of a cart. */\nexport function cartPage(cart: number[]) {\n  return totalOf(cart)\n}\n",
  'src/cart/total.ts':
    "import { roundCents } from '../money/round'\n\n/** Sums the cart. */\nexport function totalOf(cart: number[]) {\n  return roundCents(cart.length)\n}\n",
  'src/money/round.ts': 'export function roundCents(sum: number) {\n  return sum\n}\n',
}

describe('the reference graph in a pack', () => {
  test('says who uses what, in the map and behind each symbol', async () => {
    const { text } = await packIn(await shop(SHOP), 'Total of the cart')
    expect(text).toContain('- src/cart/ 1 file, 1 symbol; uses src/money/; used by src/page/')
    expect(text).toContain('// Sums the cart. (calls roundCents; called by cartPage)\n')
  })

  test('names nobody a caller for the words of his path', async () => {
    const { text } = await packIn(
      await shop({
        'src/round.ts': '/** To cents. */\nexport function round(sum: number) {\n  return sum\n}\n',
        'src/round.test.ts':
          "import { round } from './round'\nfunction pause() {\n  return 1\n}\nround(pause())\n",
        'src/page.ts':
          "import { round } from './round'\nexport function page() {\n  return round(2)\n}\n",
      }),
      'Round to cents',
    )
    expect(text).toContain('// To cents. (called by page)\n')
  })

  test('brings in what the best files use, though no word says so', async () => {
    const { text } = await packIn(await shop(SHOP), 'Total of the cart')
    expect(text).toContain('src/money/round.ts')
  })

  test('neither the order in which files came, nor a restart, nor another branch shows', async () => {
    const plain = await packIn(await shop(SHOP), 'Total of the cart')
    const turned = await shop(SHOP, Object.keys(SHOP).reverse())
    await send(turned.office, { 'src/money/round.ts': 'export const roundCents = totalOf\n' })
    expect((await packIn(turned, 'Total of the cart')).text).toBe(plain.text)
    turned.office.restart()
    expect((await packIn(turned, 'Total of the cart')).text).toBe(plain.text)
  })

  test('follows an edit on disk, and forgets it when it is taken back', async () => {
    const at = await shop(SHOP)
    const before = await packIn(at, 'Total of the cart')
    const edited = {
      'src/cart/total.ts': SHOP['src/cart/total.ts']!.replaceAll('roundCents', 'ceil'),
    }
    await send(at.office, edited)
    const during = await packIn(at, 'Total of the cart', overlayOf(edited))
    expect(during.text).toContain('// Sums the cart. (called by cartPage)\n')
    expect((await packIn(at, 'Total of the cart')).text).toBe(before.text)
  })
})

test('a record follows its code to another file: in the pack, its place, and where it was', async () => {
  const at = await shop(SHOP)
  const body = 'export function roundCents(sum: number) {\n  return sum\n}'
  await at.office.record(at.task, at.owner, 'Half cents go up', {
    anchors: [
      { path: 'src/money/round.ts', symbol: 'roundCents', hash: symbolHash(body, 'roundCents') },
    ],
  })
  expect((await packIn(at, 'cents')).text).toContain('[src/money/round.ts:roundCents]')
  const moved = { 'src/sum/cents.ts': SHOP['src/money/round.ts']! }
  await send(at.office, moved)
  const overlay = [...overlayOf(moved), { path: 'src/money/round.ts', blob: null, gone: true }]
  expect((await packIn(at, 'cents', overlay)).text).toContain(
    '[src/sum/cents.ts:roundCents (moved from src/money/round.ts:roundCents)]',
  )
  const listing = { repo: at.office.repo, all: false, limit: 50, path: null }
  const { items } = await at.office.call('log', { ...listing, view: { tree: TREE, overlay } })
  expect(items.find(({ summary }) => summary === 'Half cents go up')?.marks).toEqual([
    'moved since recorded',
  ])
})

async function shop(texts: Texts, order: readonly string[] = Object.keys(texts)) {
  const office = await Office.open((await freshStore()).store)
  const { task, owner } = await office.task('Total of the cart', agent('ada'))
  const entries = Object.entries(texts).map(([path, text]): [string, string] => [
    path,
    keyOf(path, text),
  ])
  await office.call('index.tree', { repo: office.repo, tree: TREE, offset: 0, entries, last: true })
  for (const path of order) await send(office, { [path]: texts[path]! })
  return { office, task, owner }
}

async function send(office: Office, texts: Texts): Promise<void> {
  const results = await Promise.all(
    Object.entries(texts).map(([path, text]) =>
      indexFile({ path, bytes: Buffer.from(text), blob: keyOf(path, text) as BlobId }),
    ),
  )
  const files = results.flatMap((result) => (result.kind === 'indexed' ? [result.index] : []))
  await office.call('index.files', { repo: office.repo, version: 'v1', files })
}

function overlayOf(texts: Texts) {
  return Object.entries(texts).map(([path, text]): Overlaid => {
    return { path, blob: keyOf(path, text), gone: false }
  })
}

type Overlaid = { readonly path: string; readonly blob: string | null; readonly gone: boolean }

function packIn(
  { office, task }: Awaited<ReturnType<typeof shop>>,
  focus: string,
  overlay: readonly Overlaid[] = [],
) {
  return office.call('pack', {
    ...{ repo: office.repo, task, focus: [focus], budget: 800, explain: false },
    ...{ view: { tree: TREE, overlay }, changed: [], indexing: false },
  })
}

function keyOf(path: string, text: string): string {
  const hash = createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
  const kind = languageClass(path)
  return kind === 'text' ? hash : `${hash}.${kind}`
}
