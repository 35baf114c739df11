#!/usr/bin/env bun
/**
 * Builds `dist/av`, one file that needs nothing beside it; does nothing when no input changed.
 *
 *   bun scripts/build.ts                              for this machine
 *   bun scripts/build.ts --target bun-darwin-arm64    for another, as dist/av-darwin-arm64
 *   bun scripts/build.ts --assets                     only packs dist/assets, which running the sources needs too
 *   bun scripts/build.ts --force                      builds although nothing changed
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packAssets } from './assets.ts'

const ROOT = join(import.meta.dir, '..')

/**
 * What the binary starts from. In it a worker lies at `/$bunfs/root/<its path below src, as .js>`, wherever the code
 * that starts it lies; among the sources it is a file beside its user.
 */
export const ENTRIES = ['src/main.ts', 'src/source/parse-worker.ts'] as const

/** What the build depends on; the packages follow from bun.lock. */
const INPUTS = [
  'src/**',
  'migrations/**',
  'package.json',
  'bun.lock',
  'tsconfig.json',
  'scripts/assets.ts',
  'scripts/build.ts',
  'scripts/tar.ts',
] as const

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      assets: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      target: { type: 'string' },
    },
  })
  await packAssets(ROOT, say)
  if (!values.assets) await build(values.target, values.force)
}

async function build(target: string | undefined, isForced: boolean): Promise<void> {
  const outfile = join(ROOT, target ? `dist/${target.replace(/^bun-/, 'av-')}` : 'dist/av')
  const shown = outfile.slice(ROOT.length + 1)
  const id = await buildId()
  const isFresh = existsSync(outfile) && (await readOptional(`${outfile}.build`)) === id
  if (isFresh && !isForced) {
    say(`${shown} ${id} is up to date`)
    return
  }
  const start = performance.now()
  await compile(outfile, target, id)
  await writeFile(`${outfile}.build`, id)
  say(`${shown} ${id} built in ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

/** Compiles in a folder of its own and moves the result into place: a running `av` keeps the file it started from. */
async function compile(outfile: string, target: string | undefined, id: string): Promise<void> {
  const scratch = await mkdtemp(join(ROOT, 'dist/.build-'))
  try {
    const { success, logs } = await Bun.build({
      entrypoints: ENTRIES.map((path) => join(ROOT, path)),
      root: join(ROOT, 'src'),
      target: 'bun',
      format: 'esm',
      // Lazy imports cost nothing only when they are files of their own, already compiled: `av --version` takes 8 ms, not 100.
      splitting: true,
      bytecode: true,
      minify: { whitespace: true, syntax: true, identifiers: false, keepNames: true },
      sourcemap: 'inline',
      define: { 'process.env.NODE_ENV': '"production"', AV_BUILD: JSON.stringify(id) },
      compile: {
        outfile: join(scratch, 'av'),
        ...(target ? { target: target as Bun.Build.CompileTarget } : {}),
        // Otherwise the settings of the folder that av is called in would run as code: that folder is not ours.
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
      throw: false,
    })
    if (!success) throw new AggregateError(logs, `dist/av did not compile:\n${logs.join('\n')}`)
    await rename(join(scratch, 'av'), outfile)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The version and a digest of all inputs: the same inputs give the same id, wherever and whenever they are built. */
async function buildId(): Promise<string> {
  const hash = createHash('sha256').update(Bun.version)
  const paths = INPUTS.flatMap((input) => {
    const found = [...new Bun.Glob(input).scanSync({ cwd: ROOT, onlyFiles: true })]
    if (found.length === 0) throw new Error(`the build depends on ${input}, which is not there`)
    return found.sort()
  })
  for (const path of paths) {
    const bytes = await readFile(join(ROOT, path))
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes)
  }
  const { version } = await Bun.file(join(ROOT, 'package.json')).json()
  return `${version}+${hash.digest('hex').slice(0, 12)}`
}

async function readOptional(path: string): Promise<string | undefined> {
  return existsSync(path) ? await readFile(path, 'utf8') : undefined
}

function say(what: string): void {
  console.log(`[build] ${what}`)
}
