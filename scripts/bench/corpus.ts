import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobId, CodeSymbol, FileIndex } from '../../src/domain/code.ts'
import { TERMS_VERSION } from '../../src/domain/terms.ts'
import { indexFile } from '../../src/source/file-index.ts'
import { leftOutByPath } from '../../src/source/left-out.ts'
import type { History } from './history.ts'

/**
 * What `av` would have indexed of each tree, with contents at hand for the baselines. Indexes are
 * kept on disk by blob, so that a second run starts at once.
 */
export class Corpus {
  private readonly known = new Map<string, FileIndex | null>()

  private constructor(
    private readonly history: History,
    private readonly kept: Database,
  ) {}

  static open(history: History, version = sourceVersion()): Corpus {
    const folder = join(tmpdir(), 'av-bench')
    mkdirSync(folder, { recursive: true })
    const kept = new Database(join(folder, `indexes-${TERMS_VERSION}-${version}.sqlite`))
    kept.run('PRAGMA journal_mode=WAL')
    kept.run('PRAGMA synchronous=OFF')
    kept.run('PRAGMA busy_timeout=60000')
    kept.run('CREATE TABLE IF NOT EXISTS file (blob TEXT PRIMARY KEY, packed BLOB)')
    return new Corpus(history, kept)
  }

  /** The files of a commit that have a place in the index, by path. */
  async tree(commit: string): Promise<readonly { readonly path: string; readonly blob: BlobId }[]> {
    const listed = (await this.history.tree(commit)).filter(
      ({ path }) => leftOutByPath(path) === null,
    )
    await this.learn(listed)
    return listed
      .filter(({ blob }) => this.known.get(blob) != null)
      .map(({ path, blob }) => ({ path, blob: blob as BlobId }))
  }

  index(blob: BlobId): FileIndex {
    const index = this.known.get(blob)
    if (index == null) throw new Error(`blob ${blob} is not indexed`)
    return index
  }

  /**
   * The definitions in each file, by blob; none for what has no place in the index. Unlike indexes they are
   * not kept, so that those of a whole history have room.
   */
  async definitions(
    files: readonly { readonly path: string; readonly blob: string }[],
  ): Promise<ReadonlyMap<string, readonly Definition[]>> {
    const found = new Map<string, readonly Definition[]>()
    const distinct = new Map(files.map(({ path, blob }) => [blob, path]))
    const wanted = [...distinct]
      .map(([blob, path]) => ({ path, blob }))
      .filter(({ path }) => leftOutByPath(path) === null)
    for (let at = 0; at < wanted.length; at += BATCH) {
      const batch = wanted.slice(at, at + BATCH)
      const fresh = batch.filter(({ blob }) => !this.known.has(blob))
      await this.learn(batch)
      for (const { blob } of batch) found.set(blob, this.known.get(blob)?.symbols.map(bare) ?? [])
      for (const { blob } of fresh) this.known.delete(blob)
    }
    return found
  }

  async texts(blobs: readonly BlobId[]): Promise<Map<BlobId, string>> {
    const texts = new Map<BlobId, string>()
    let at = 0
    for await (const bytes of this.history.blobs(blobs)) {
      texts.set(blobs[at++]!, new TextDecoder().decode(bytes ?? new Uint8Array()))
    }
    return texts
  }

  private async learn(files: readonly { readonly path: string; readonly blob: string }[]) {
    const read = this.kept.query<{ packed: Uint8Array | null }, [string]>(
      'SELECT packed FROM file WHERE blob = ?',
    )
    const missing = new Map<string, string>()
    for (const { path, blob } of files) {
      if (this.known.has(blob) || missing.has(blob)) continue
      const row = read.get(blob)
      if (row === null) missing.set(blob, path)
      else this.known.set(blob, row.packed === null ? null : unpacked(row.packed))
    }
    if (missing.size === 0) return
    const write = this.kept.query('INSERT OR REPLACE INTO file VALUES (?, ?)')
    const blobs = [...missing.keys()]
    let at = 0
    for await (const bytes of this.history.blobs(blobs)) {
      const blob = blobs[at++]!
      const index = bytes === null ? null : await indexOf(missing.get(blob)!, blob, bytes)
      this.known.set(blob, index)
      write.run(blob, index === null ? null : packed(index))
    }
  }
}

export type Definition = Pick<CodeSymbol, 'name' | 'line' | 'endLine' | 'hash'>

const BATCH = 200

function bare({ name, line, endLine, hash }: CodeSymbol): Definition {
  return { name, line, endLine, hash }
}

async function indexOf(path: string, blob: string, bytes: Uint8Array): Promise<FileIndex | null> {
  const result = await indexFile({ path, blob: blob as BlobId, bytes })
  return result.kind === 'indexed' ? result.index : null
}

function packed(index: FileIndex): Uint8Array {
  return Bun.zstdCompressSync(Buffer.from(JSON.stringify(index)), { level: 1 })
}

function unpacked(bytes: Uint8Array): FileIndex {
  return JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(bytes))) as FileIndex
}

/** Changes when the code that makes indexes does. */
function sourceVersion(): string {
  const hash = createHash('sha256')
  const folder = join(import.meta.dir, '../../src/source')
  const files = [...new Bun.Glob('**/*.{ts,scm}').scanSync(folder)].sort()
  for (const file of files) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 12)
}
