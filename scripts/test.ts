#!/usr/bin/env bun
/**
 * The whole suite: `npm test`, or `npm test -- PATH…` for some test files (what follows goes to `bun test`).
 *
 * Checks the style and the types; packs the assets and builds dist/av, which the end-to-end tests run;
 * starts two private PostgreSQL clusters; runs the tests in an environment that holds nothing of the caller's; closes
 * with one line `N passed, N failed`. Without a PostgreSQL server its tests are skipped and the reason is printed;
 * under CI=true that is a failure.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Subprocess } from 'bun'
import { findJj } from './jj.ts'
import { readJunit, type Tally } from './junit.ts'
import { startPostgres } from './postgres.ts'

const ROOT = join(import.meta.dir, '..')
const WORKERS = 2
/** Real databases, real jj and real processes start slower than bun's 5 s allow on a busy machine. */
const TIMEOUT_MS = 30_000
/** For a process that was told to stop at the very end of the run. */
const GRACE_MS = 1000
const IS_CI = process.env.CI === 'true'
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Of the caller's environment, what could change how git, jj, Postgres, bun or av itself behave. */
const NOT_INHERITED =
  /^(?:AV_|JJ_|GIT_|XDG_|PG|npm_|BUN_|NODE_OPTIONS$|LC_|LANG|TZ$|EDITOR$|VISUAL$|PAGER$|FORCE_COLOR$|CLICOLOR|SESSION_CONTEXT_)/

let child: Subprocess | undefined
let postgres: ReturnType<typeof startPostgres> | undefined
let cleaning: Promise<void> | undefined
let interrupted: number | undefined
const home = await mkdtemp(join(tmpdir(), 'av-test-'))
for (const [signal, code] of Object.entries(SIGNALS))
  process.on(signal, () => {
    interrupted = code
    child?.kill(signal as keyof typeof SIGNALS)
    void cleanUp().finally(() => process.exit(code))
  })

const failures: string[] = []
let tally: Tally = { passed: 0, failed: 0, skipped: 0, failures: [], files: [] }
let checks = 0
try {
  const asked = process.argv.slice(2)
  const plain = process.stdout.isTTY ? [] : ['--colors=off']
  if (asked.length === 0) {
    await check('biome finds nothing', () => run(['node_modules/.bin/biome', 'ci', ...plain, '.']))
    await check('the types fit', () => run([process.execPath, 'check', '--no-script']))
  }
  const isBuilt = await check('dist/av builds', () => run([process.execPath, 'scripts/build.ts']))
  if (isBuilt) {
    tally = await runTests(await prepare(), asked)
    failures.push(...tally.failures)
    await check('the tests leave nothing running', endLeftovers)
  }
} finally {
  await cleanUp()
}
if (interrupted) process.exit(interrupted)

if (failures.length > 0)
  console.log(`\nFailed:\n${failures.map((line) => `  ${line}`).join('\n')}\n`)
const passed = tally.passed + checks
const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : ''
console.log(`${passed} passed, ${failures.length} failed${skipped}`)
process.exit(failures.length > 0 ? 1 : 0)

/** Counts as one test: passed when `action` returns, failed with the reason it throws. */
async function check(what: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action()
    checks++
    return true
  } catch (error) {
    failures.push(`${what}: ${error instanceof Error ? error.message : error}`)
    return false
  }
}

/** Starts what the tests need; returns the environment they run in. */
async function prepare(): Promise<Record<string, string>> {
  const jj = await findJj()
  for (const folder of ['bin', 'home', 'tmp']) await mkdir(join(home, folder))
  await symlink(process.execPath, join(home, 'bin/bun'))
  if (jj) await symlink(jj.path, join(home, 'bin/jj'))
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name))
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
    HOME: join(home, 'home'),
    TMPDIR: join(home, 'tmp'),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    BUN_INSTALL_CACHE_DIR: join(homedir(), '.bun/install/cache'),
    AV_TEST_BINARY: join(ROOT, 'dist/av'),
    ...(await preparePostgres()),
  }
}

async function preparePostgres(): Promise<Record<string, string>> {
  postgres = startPostgres().catch((error) => ({ missing: `it did not start: ${error.message}` }))
  const clusters = await postgres
  const hasOne = 'url' in clusters
  const hasBoth = hasOne && 'url' in clusters.en
  for (const part of hasOne ? [clusters.en] : [clusters]) {
    if (!('missing' in part)) continue
    console.log(`[test] tests on a PostgreSQL server are skipped: ${part.missing}`)
    if (IS_CI) failures.push(`PostgreSQL must be there under CI=true: ${part.missing}`)
  }
  return {
    ...(hasOne ? { AV_TEST_POSTGRES_URL: clusters.url } : {}),
    ...(hasBoth ? { AV_TEST_POSTGRES_EN_URL: clusters.en.url } : {}),
  }
}

async function runTests(
  environment: Record<string, string>,
  asked: readonly string[],
): Promise<Tally> {
  const report = join(home, 'junit.xml')
  const pace = [`--parallel=${WORKERS}`, '--no-isolate', `--timeout=${TIMEOUT_MS}`]
  const output = ['--only-failures', '--reporter=junit', `--reporter-outfile=${report}`]
  const words = [process.execPath, 'test', ...pace, ...output, ...asked]
  child = Bun.spawn(words, { cwd: ROOT, env: environment, stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await child.exited
  child = undefined
  const found = readJunit(existsSync(report) ? await readFile(report, 'utf8') : '')
  // A file that does not load, or that ends the process, is missing from the report.
  const expected = asked.length === 0 ? await listTestFiles() : []
  const silent = expected.filter((file) => !found.files.includes(file))
  const extra = silent.map((file) => `${file}: did not run; see what it printed above`)
  if (code !== 0 && found.failed + extra.length === 0)
    extra.push(`bun test ended with exit code ${code}`)
  return { ...found, failed: found.failed + extra.length, failures: [...found.failures, ...extra] }
}

async function listTestFiles(): Promise<string[]> {
  const paths = await readdir(join(ROOT, 'test'), { recursive: true })
  return paths
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path}`)
    .sort()
}

async function run(words: readonly string[]): Promise<void> {
  child = Bun.spawn([...words], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await child.exited
  child = undefined
  if (code !== 0) throw new Error(`exit code ${code}; see what it printed above`)
}

/** Every process that a test started has this run's folder in its environment or its words. */
async function endLeftovers(): Promise<void> {
  if ((await listLeftovers()).length > 0) await Bun.sleep(GRACE_MS)
  const left = await listLeftovers()
  for (const { pid } of left) killIfThere(pid)
  if (left.length > 0) throw new Error(left.map(({ pid, words }) => `${pid} ${words}`).join('; '))
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // ended by itself meanwhile
  }
}

async function listLeftovers(): Promise<{ readonly pid: number; readonly words: string }[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const processes = pids.map(async (pid) => {
    const read = (part: string) => readFile(`/proc/${pid}/${part}`, 'utf8').catch(() => '')
    const [words, environment] = [await read('cmdline'), await read('environ')]
    return {
      pid,
      words: words.replaceAll('\0', ' ').trim(),
      isOurs: (words + environment).includes(home),
    }
  })
  return (await Promise.all(processes)).filter(({ isOurs }) => isOurs)
}

/** Once, whoever asks first: the end of the run, or a signal that cuts it short. */
function cleanUp(): Promise<void> {
  cleaning ??= (async () => {
    const clusters = await postgres
    if (clusters && 'stop' in clusters) await clusters.stop()
    await endLeftovers().catch(() => undefined)
    await rm(home, { recursive: true, force: true })
  })()
  return cleaning
}
