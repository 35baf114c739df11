/**
 * Packs what the binary embeds and no package ships in the form we need, into `dist/assets` (git-ignored):
 *
 *   grammars/<language>.wasm.zst   the tree-sitter grammars: 27 MB as they come, 2.5 MB packed
 *   pgdata-18.tar.zst              an initialised, empty PGlite data folder: unpacking it takes a third of initdb's time
 *
 * Each is packed again only when what it is made from changed.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { tarOf } from './tar.ts'

/** The parser's languages, and where in `node_modules` each grammar comes from. */
const GRAMMARS = {
  bash: 'tree-sitter-bash/tree-sitter-bash.wasm',
  c: 'tree-sitter-c/tree-sitter-c.wasm',
  'c-sharp': 'tree-sitter-c-sharp/tree-sitter-c_sharp.wasm',
  cpp: 'tree-sitter-cpp/tree-sitter-cpp.wasm',
  go: 'tree-sitter-go/tree-sitter-go.wasm',
  java: 'tree-sitter-java/tree-sitter-java.wasm',
  javascript: 'tree-sitter-javascript/tree-sitter-javascript.wasm',
  kotlin: '@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm',
  php: 'tree-sitter-php/tree-sitter-php.wasm',
  python: 'tree-sitter-python/tree-sitter-python.wasm',
  ruby: 'tree-sitter-ruby/tree-sitter-ruby.wasm',
  rust: 'tree-sitter-rust/tree-sitter-rust.wasm',
  scala: 'tree-sitter-scala/tree-sitter-scala.wasm',
  tsx: 'tree-sitter-typescript/tree-sitter-tsx.wasm',
  typescript: 'tree-sitter-typescript/tree-sitter-typescript.wasm',
} as const

/** PGlite's PostgreSQL major version: a data folder of another one does not open. */
const POSTGRES_MAJOR = '18'
const ZSTD_LEVEL = 19

/** One file of `dist/assets`: `madeFrom` names its source, so that a changed source is seen. */
type Asset = {
  readonly name: string
  readonly madeFrom: string
  readonly pack: () => Promise<Uint8Array>
}

/** Packs what is missing or stale under `<root>/dist/assets`, having said so. */
export async function packAssets(root: string, say: (what: string) => void): Promise<void> {
  const folder = join(root, 'dist/assets')
  const ledger = Bun.file(join(folder, 'packed.json'))
  const packed: Record<string, string> = (await ledger.exists()) ? await ledger.json() : {}
  const stale = (await listAssets(root)).filter(
    ({ name, madeFrom }) => packed[name] !== madeFrom || !existsSync(join(folder, name)),
  )
  if (stale.length === 0) return
  say(`packing ${stale.length} of the files to embed into dist/assets`)
  for (const { name, madeFrom, pack } of stale) {
    await writeWhole(join(folder, name), await pack())
    packed[name] = madeFrom
  }
  await writeWhole(join(folder, 'packed.json'), `${JSON.stringify(packed, null, 2)}\n`)
}

async function listAssets(root: string): Promise<Asset[]> {
  const modules = join(root, 'node_modules')
  const grammars = Object.entries(GRAMMARS).map(async ([language, path]): Promise<Asset> => {
    const bytes = await readFile(join(modules, path))
    const pack = () => Bun.zstdCompress(bytes, { level: ZSTD_LEVEL })
    return { name: `grammars/${language}.wasm.zst`, madeFrom: sha256(bytes), pack }
  })
  const pglite = await Bun.file(join(modules, '@electric-sql/pglite/package.json')).json()
  const template: Asset = {
    name: `pgdata-${POSTGRES_MAJOR}.tar.zst`,
    madeFrom: `pglite ${pglite.version}`,
    pack: packDataFolder,
  }
  return [...(await Promise.all(grammars)), template]
}

/** Lets PGlite initialise a folder, closes it, and packs what it left: clean, so that no recovery runs on unpacking. */
async function packDataFolder(): Promise<Uint8Array> {
  const scratch = await mkdtemp(join(tmpdir(), 'av-pgdata-'))
  const data = join(scratch, 'data')
  try {
    const database = await PGlite.create(data)
    await database.close()
    const major = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
    if (major !== POSTGRES_MAJOR)
      throw new Error(
        `PGlite makes PostgreSQL ${major} folders: set POSTGRES_MAJOR and the imports`,
      )
    return await Bun.zstdCompress(await tarOf(data), { level: ZSTD_LEVEL })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Written beside and moved into place: a build that runs at the same time sees the old file or the new one. */
async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.${process.pid}`, content)
  await rename(`${path}.${process.pid}`, path)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
