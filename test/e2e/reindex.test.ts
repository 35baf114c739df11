import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/client/client.ts'
import { INDEX_VERSION } from '../../src/source/version.ts'
import { ADA, BEN, Machine, makeRepo } from '../support/machine.ts'
import { inDatabase } from '../support/machine-database.ts'
import { type Edits, edit } from '../workspace/sandbox.ts'
import { clientOf } from './daemon-client.ts'
import { SHOP } from './shop.ts'

const LONG_MS = 180_000
const BY = { actor: 'mei', kind: 'human', session: null, generation: null } as const

/** Enough for workers, and for a kill to come in the middle. */
const FILES: Edits = {
  ...SHOP,
  ...Object.fromEntries(
    Array.from({ length: 120 }, (_, n) => [
      `src/lib/part-${n}.ts`,
      Array.from({ length: 40 }, (_, m) => `export function session${n}x${m}(): void {}\n`).join(
        '',
      ),
    ]),
  ),
}

describe('av reindex', () => {
  let machine: Machine
  let repo: string
  let cwd: string
  let client: Client
  let before: string
  const pack = () => machine.text(['pack', '--fresh', '--focus', 'Session'], { cwd, as: ADA })
  const check = async () => {
    const ran = await machine.run(['reindex', '--check', '--json'], { cwd })
    const { ok, data } = JSON.parse(ran.out)
    return { exit: ran.code, ok, differences: data.differences }
  }
  const rows = async () => (await client.call('index.rows', { repo, after: null }, BY)).data.items
  beforeAll(async () => {
    machine = new Machine()
    const root = makeRepo(machine.box, 'plain', FILES)
    repo = (await machine.data('init', [], { cwd: root })).id
    cwd =
      (await machine.data('task.start', ['End sessions'], { cwd: root, as: ADA })).workspace ?? ''
    const at = ['--at', 'src/session.ts:Session.end']
    await machine.data('record', ['decision', 'Sessions end twice', ...at], { cwd, as: ADA })
    edit(cwd, { 'src/session.ts': 'export class Session {\n  end(): void {}\n}\n' })
    before = await pack()
    client = await clientOf(machine, 0)
  }, LONG_MS)
  afterAll(() => machine[Symbol.asyncDispose]())

  test(
    'builds everything anew, and packs are the same byte for byte',
    async () => {
      const had = await rows()
      const done = await machine.data('reindex', [], { cwd })
      expect(done).toMatchObject({ checked: false, unparsable: 0, differences: [] })
      expect(done.files).toBe(had.length)
      expect(done.dropped).toBeGreaterThan(had.length)
      expect(await rows()).toEqual(had)
      expect(await pack()).toBe(before)
      await machine.data('daemon.stop')
      expect(await pack()).toBe(before)
    },
    LONG_MS,
  )

  test(
    'compares without changing anything',
    async () => {
      const had = await rows()
      expect(await check()).toEqual({ exit: 0, ok: true, differences: [] })
      expect(await rows()).toEqual(had)
    },
    LONG_MS,
  )

  test(
    'tells what is missing, different and left over, and then mends it',
    async () => {
      const had = await rows()
      const [first] = had
      if (first === undefined) throw new Error('no rows')
      const file = {
        ...({ blob: first.blob, language: 'typescript', status: 'parsed', hash: 'no' } as const),
        ...{ bytes: 1, lines: 1, words: [], counts: [], symbols: [] },
      }
      await client.call('index.drop', { repo }, BY)
      await client.call('index.files', { repo, version: INDEX_VERSION, files: [file] }, BY)
      await client.call('index.files', { repo, version: 'older', files: [file] }, BY)
      const found = await check()
      expect([found.exit, found.ok]).toEqual([5, true])
      // What was dropped with its listing is what was never shown: the next pack brings it.
      expect(found.differences).toMatchObject([
        { part: 'files', missing: 0, different: 1, leftOver: 1 },
      ])
      await machine.data('reindex', [], { cwd })
      await machine.data('daemon.stop')
      await inDatabase(machine, (query) =>
        query(`DELETE FROM file_index WHERE blob = '${first.blob}'`),
      )
      expect((await check()).differences).toMatchObject([{ part: 'files', missing: 1 }])
      await machine.data('reindex', [], { cwd })
      expect(await rows()).toEqual(had)
      expect(await check()).toEqual({ exit: 0, ok: true, differences: [] })
      expect(await pack()).toBe(before)
    },
    LONG_MS,
  )

  test(
    'finds no fault with trunk just after it moved',
    async () => {
      const root = join(machine.box.dir, 'shop')
      writeFileSync(join(root, 'src/moved.ts'), 'export const moved = 1\n')
      machine.box.sh(root, 'git', 'add', '-A')
      machine.box.sh(root, 'git', 'commit', '-q', '-m', 'moved')
      const ran = await machine.run(['reindex', '--check', '--json'], { cwd: root })
      const { pending, differences } = JSON.parse(ran.out).data
      expect([ran.code, pending, differences]).toEqual([0, 1, []])
    },
    LONG_MS,
  )

  test(
    'tells and mends a private git index that was damaged',
    async () => {
      const scans = join(machine.home.folder, 'repos', repo, 'scan')
      expect(readdirSync(scans).length).toBeGreaterThan(0)
      for (const name of readdirSync(scans)) writeFileSync(join(scans, name, 'index'), 'x')
      await machine.data('reindex', [], { cwd })
      expect(await pack()).toBe(before)
      expect((await check()).exit).toBe(0)
    },
    LONG_MS,
  )

  test(
    'killed anywhere, it leaves what a pack completes and the next run builds',
    async () => {
      for (const afterMs of [250, 400, 600]) {
        const child = machine.start(['reindex'], { cwd })
        await Bun.sleep(afterMs)
        child.kill('SIGKILL')
        await child.exited
        expect(await pack()).toBe(before)
      }
      await machine.data('reindex', [], { cwd })
      expect((await check()).exit).toBe(0)
      expect(await pack()).toBe(before)
    },
    LONG_MS,
  )

  test(
    'a workspace that cannot be read is a warning, and stops nothing',
    async () => {
      const started = await machine.data('task.start', ['Nothing'], { cwd, as: BEN })
      const folder = started.workspace ?? ''
      rmSync(folder, { recursive: true })
      writeFileSync(folder, 'a file')
      const ran = await machine.run(['reindex'], { cwd })
      expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(`${folder} was left out`)])
      expect((await machine.run(['reindex', '--check'], { cwd })).code).toBe(0)
      rmSync(folder)
    },
    LONG_MS,
  )
})
