import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Output } from '../../src/api/routes.ts'
import { openEngine } from '../../src/index/engine.ts'
import { QdrantStandIn } from '../index/qdrant-stand-in.ts'
import { freshStore } from '../support/stores.ts'
import { agent, Office } from './office.ts'
import { type File, send, TREE } from './small-shop.ts'

setDefaultTimeout(60_000)

const FILES: readonly File[] = [
  { path: 'src/authenticate.ts', text: 'export function verifyPassword(user: string) {}\n' },
  { path: 'src/colour.ts', text: 'export function mixPaint(red: number) {}\n' },
  { path: 'src/queue.ts', text: 'export function enqueueJob(job: string) {}\n' },
]

let qdrant: QdrantStandIn
let here: Office
let there: Office
let task: string
beforeEach(async () => {
  qdrant = new QdrantStandIn()
  const engine = () =>
    openEngine({
      ...{ embedUrl: '', embedModel: '', embedKey: '', qdrantUrl: qdrant.url, qdrantApiKey: '' },
    })
  here = await Office.open((await freshStore()).store)
  here.restart(engine)
  there = here.beside(engine)
  task = (await here.task('Check login credentials', agent('ada'))).task
  await send(here, FILES, FILES)
})
afterEach(() => qdrant.close())

function pack(by: Office, without: readonly string[] = []): Promise<Output<'pack'>> {
  const overlay = without.map((path) => ({ path, blob: '0'.repeat(40), gone: true }))
  return by.call('pack', {
    ...{ repo: by.repo, view: { tree: TREE, overlay }, task, focus: [], budget: 800 },
    ...{ explain: true, changed: [], indexing: false },
  })
}

describe('two daemons on one Qdrant', () => {
  test('one that clears the repo, and fills in its own view, changes no pack of the other', async () => {
    const before = await pack(here)
    expect(before.degraded).toEqual([])
    await there.call('index.drop', { repo: there.repo })
    await send(there, FILES, FILES)
    await pack(there, ['src/authenticate.ts'])
    expect(await pack(here)).toEqual(before)
    expect(await pack(there)).toEqual(before)
  })

  test('a collection that someone deleted is made anew by whoever packs first', async () => {
    const before = await pack(here)
    expect(await pack(there)).toEqual(before)
    qdrant.collections.clear()
    expect(await pack(here)).toEqual(before)
    qdrant.collections.clear()
    await pack(there, ['src/authenticate.ts'])
    expect(await pack(here)).toEqual(before)
  })
})
