import { existsSync, readFileSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import template from '../../dist/assets/pgdata-18.tar.zst' with { type: 'file' }
import { Fault } from '../domain/fault.ts'
import { unavailable } from './database-fault.ts'

/** PostgreSQL's major version inside PGlite: a folder of another one cannot be opened. */
const MAJOR = '18'

/**
 * Makes sure that `folder` is a data folder that PGlite opens; when there is none, unpacks an initialised, empty one,
 * beside it and then moved into place, so that a crash leaves either none or a whole one.
 * @throws Fault `store_unavailable`, the folder untouched: `other_major`, `not_a_store`, `home_unwritable`, `disk_full`.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    if (existsSync(join(folder, 'PG_VERSION'))) assertMajor(folder)
    else await unpackInto(folder)
  } catch (thrown) {
    throw folderFault(folder, thrown)
  }
}

/** An initialised, empty data folder, as a tar archive. */
export function templateTar(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Bun.zstdDecompressSync(readFileSync(template)))
}

function assertMajor(folder: string): void {
  const found = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
  if (found === MAJOR) return
  throw unavailable(
    'other_major',
    `${folder} was made by PostgreSQL ${found.slice(0, 20)}; this av reads ${MAJOR}.`,
    'Open it with the av that made it, or set AV_HOME to another folder. It was left untouched.',
  )
}

async function unpackInto(folder: string): Promise<void> {
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    throw unavailable(
      'not_a_store',
      `${folder} holds files, but no database.`,
      'Move it away, or set AV_HOME to another folder. It was left untouched.',
    )
  }
  const parent = dirname(folder)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const fresh = `${folder}.init`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  const tar = templateTar()
  // The archive's own error does not tell a full disk from others.
  const { bavail, bsize } = await statfs(parent)
  if (bavail * bsize < tar.length) throw diskFull(folder)
  await new Bun.Archive(tar).extract(fresh)
  const entries = await readdir(fresh, { recursive: true, withFileTypes: true })
  await syncToDisk([fresh, ...entries.map(({ parentPath, name }) => join(parentPath, name))])
  await rename(fresh, folder)
  await syncToDisk([parent])
}

/** Sixteen at a time: file systems write many syncs as one. */
async function syncToDisk(paths: readonly string[]): Promise<void> {
  const left = paths.values()
  const syncOnes = async () => {
    for (const path of left) {
      const file = await open(path, 'r')
      try {
        await file.sync()
      } finally {
        await file.close()
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, syncOnes))
}

function folderFault(folder: string, thrown: unknown): Error {
  if (thrown instanceof Fault || !(thrown instanceof Error)) throw thrown
  const code = 'code' in thrown ? thrown.code : null
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(folder, thrown)
  return unavailable(
    'home_unwritable',
    `The folder of the store, ${folder}, cannot be made ready: ${thrown.message}`,
    'Make AV_HOME writable for you, or set it to another folder.',
    thrown,
  )
}

export function diskFull(folder: string, cause?: Error): Fault {
  return unavailable(
    'disk_full',
    `The disk that holds ${folder} is full.`,
    'Free some space, then run the command again. What was acknowledged before is kept.',
    cause,
  )
}
