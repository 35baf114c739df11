import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tarOf } from '../../scripts/tar.ts'

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'av-tar-'))
})
afterAll(() => rm(scratch, { recursive: true }))

async function makeFolder(name: string, touchedAt: number): Promise<string> {
  const folder = join(scratch, name)
  await mkdir(join(folder, 'base/empty'), { recursive: true })
  await writeFile(join(folder, 'base/full-block'), 'x'.repeat(512))
  await writeFile(join(folder, 'PG_VERSION'), '18\n')
  await writeFile(join(folder, 'none'), '')
  await utimes(join(folder, 'PG_VERSION'), touchedAt, touchedAt)
  return folder
}

test('a folder comes back out of its tar, with its empty folders and files', async () => {
  const out = join(scratch, 'out')
  await mkdir(out)
  await new Bun.Archive(await tarOf(await makeFolder('in', 1))).extract(out)
  expect((await readdir(out, { recursive: true })).sort()).toEqual([
    'PG_VERSION',
    'base',
    'base/empty',
    'base/full-block',
    'none',
  ])
  expect(await readFile(join(out, 'PG_VERSION'), 'utf8')).toBe('18\n')
  expect(await readFile(join(out, 'base/full-block'), 'utf8')).toBe('x'.repeat(512))
})

test('the same files give the same bytes, whenever and wherever they were written', async () => {
  const one = await tarOf(await makeFolder('one', 1_000_000))
  const other = await tarOf(await makeFolder('other', 2_000_000))
  expect(Buffer.compare(one, other)).toBe(0)
})
