import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type Actor, ADA, BEN, Machine, makeRepo } from '../support/machine.ts'
import { QdrantServer, whyNoQdrant } from '../support/qdrant-server.ts'
import { scratchDatabase } from '../support/stores.ts'
import { edit } from '../workspace/sandbox.ts'
import { SHOP } from './shop.ts'

setDefaultTimeout(120_000)

const POSTGRES = process.env.AV_TEST_POSTGRES_URL ?? ''
const skipped = whyNoQdrant === null ? '' : ` (skipped: ${whyNoQdrant})`
const whyNotTwo = whyNoQdrant ?? (POSTGRES === '' ? 'AV_TEST_POSTGRES_URL is not set' : null)
const twoSkipped = whyNotTwo === null ? '' : ` (skipped: ${whyNotTwo})`
const DEGRADED = 'degraded: semantic\n'

/** A workspace of the shop, and who stands in it. */
type Place = { readonly machine: Machine; readonly cwd: string; readonly as: Actor }

function pack({ machine, cwd, as }: Place, env: Actor = {}): Promise<string> {
  return machine.text(['pack', '--fresh'], { cwd, as, env })
}

describe.skipIf(whyNoQdrant !== null)(`a Qdrant of its own${skipped}`, () => {
  let machine: Machine
  let server: QdrantServer
  let on: { readonly AV_QDRANT_URL: string }
  let place: Place
  /** With the vectors in the daemon. */
  let plain: string
  beforeAll(async () => {
    machine = new Machine()
    server = new QdrantServer()
    on = { AV_QDRANT_URL: server.url }
    await server.start()
    const root = makeRepo(machine.box, 'plain', SHOP)
    await machine.text(['init'], { cwd: root })
    const started = await machine.data('task.start', ['Prolong sessions'], { cwd: root, as: ADA })
    place = { machine, cwd: started.workspace ?? '', as: ADA }
    plain = await pack(place)
    expect(plain).not.toContain('degraded')
    await restartDaemon()
  })
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  /** The next command starts a daemon that knows nothing yet, with settings of its own. */
  const restartDaemon = () => machine.text(['daemon', 'stop'])

  test('gives the same packs, also to a daemon that finds the vectors there', async () => {
    expect(await pack(place, on)).toBe(plain)
    await restartDaemon()
    expect(await pack(place, on)).toBe(plain)
    expect(await server.collections()).toHaveLength(1)
  })

  test('killed, hanging and back again', async () => {
    await server.kill()
    expect(await pack(place, on)).toContain(DEGRADED)
    await server.start()
    expect(await pack(place, on)).toBe(plain)
    expect(await server.whileStopped(() => pack(place, on))).toContain(DEGRADED)
    expect(await pack(place, on)).toBe(plain)
  })

  test('whose collection was deleted, or that came back empty, is filled again unnoticed', async () => {
    await server.deleteCollections()
    expect(await pack(place, on)).toBe(plain)
    await server.wipe()
    await server.start()
    expect(await pack(place, on)).toBe(plain)
    await server.wipe()
    expect(await pack(place, on)).toContain(DEGRADED)
    await server.start()
    expect(await pack(place, on)).toBe(plain)
  })

  test('with a collection of that name that is another is left alone', async () => {
    const [name = ''] = await server.collections()
    for (const vectors of [
      { size: 8, distance: 'Dot' },
      { size: 256, distance: 'Cosine' },
      { text: { size: 256, distance: 'Dot' } },
    ]) {
      await server.deleteCollections()
      await server.makeCollection(name, vectors)
      await restartDaemon()
      expect(await pack(place, on)).toContain(DEGRADED)
      expect(await machine.text(['daemon', 'logs'])).toContain(`The collection ${name} in Qdrant`)
    }
    await server.deleteCollections()
    expect(await pack(place, on)).toBe(plain)
  })

  test('a reindex takes the vectors out, and they come back', async () => {
    await machine.text(['reindex'], { cwd: place.cwd, as: ADA, env: on })
    expect(await pack(place, on)).toBe(plain)
  })

  test('asks for a key that may write', async () => {
    await server.wipe()
    const keys = {
      QDRANT__SERVICE__API_KEY: 'secret',
      QDRANT__SERVICE__READ_ONLY_API_KEY: 'reader',
    }
    await server.start(keys)
    for (const key of ['', 'wrong', 'reader']) {
      await restartDaemon()
      expect(await pack(place, { ...on, AV_QDRANT_API_KEY: key })).toContain(DEGRADED)
      expect(await machine.text(['daemon', 'logs'])).toContain('refused the key')
    }
    await restartDaemon()
    expect(await pack(place, { ...on, AV_QDRANT_API_KEY: 'secret' })).toBe(plain)
    await restartDaemon()
  })

  test('that forbids what a search needs is told with its reason', async () => {
    await server.wipe()
    const strict = 'QDRANT__STORAGE__COLLECTION__STRICT_MODE__'
    await server.start({ [`${strict}ENABLED`]: 'true', [`${strict}SEARCH_ALLOW_EXACT`]: 'false' })
    expect(await pack(place, on)).toContain(DEGRADED)
    expect(await machine.text(['daemon', 'logs'])).toMatch(/HTTP 400: .*exact/i)
  })
})

describe.skipIf(whyNotTwo !== null)(`two daemons and one Qdrant${twoSkipped}`, () => {
  let server: QdrantServer
  const closing: (() => Promise<unknown>)[] = []
  let here: Place
  let there: Place
  let plain: readonly [string, string]
  beforeAll(async () => {
    server = new QdrantServer()
    closing.push(() => server[Symbol.asyncDispose]())
    await server.start()
    const database = await scratchDatabase(POSTGRES)
    const env = { AV_DATABASE_URL: database.url, AV_QDRANT_URL: server.url }
    const [mine, theirs] = [new Machine(env), new Machine(env)]
    closing.push(
      () => mine[Symbol.asyncDispose](),
      () => theirs[Symbol.asyncDispose](),
    )
    closing.push(database.drop)
    const root = makeRepo(mine.box, 'plain', SHOP)
    const clone = join(theirs.box.dir, 'shop')
    theirs.box.sh('/', 'git', 'clone', '-q', root, clone)
    await mine.text(['init'], { cwd: root })
    await theirs.text(['init', '--name', 'shop'], { cwd: clone })
    const begin = async (machine: Machine, cwd: string, goal: string, as: Actor) => {
      const { workspace } = await machine.data('task.start', [goal], { cwd, as })
      return { machine, cwd: workspace ?? '', as }
    }
    here = await begin(mine, root, 'Prolong sessions', ADA)
    there = await begin(theirs, clone, 'Count the stock', BEN)
    plain = await both()
    expect(plain.join('')).not.toContain('degraded')
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })
  const both = () => Promise.all([pack(here), pack(there)])

  test('make a collection that is gone at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      await server.deleteCollections()
      expect(await both()).toEqual([...plain])
    }
  })

  test('what the one clears, or fills with code of its own, changes no pack of the other', async () => {
    await there.machine.text(['reindex'], { cwd: there.cwd, as: BEN })
    expect(await both()).toEqual([...plain])
    edit(there.cwd, { 'src/session.ts': 'export const nothing = 1\n' })
    await there.machine.text(['reindex'], { cwd: there.cwd, as: BEN })
    await pack(there)
    expect(await pack(here)).toBe(plain[0])
    await server.deleteCollections()
    await pack(there)
    expect(await pack(here)).toBe(plain[0])
  })
})
