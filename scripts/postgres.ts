import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { $ } from 'bun'

/** The oldest PostgreSQL whose SQL av keeps to. */
const MAJOR_MIN = 15
const EN_US = 'en_US.UTF-8'

/** Where the server's programs lie when they are not on the PATH: Debian's packages, brew's on both kinds of Mac. */
const PROGRAM_FOLDERS = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']

/** Two private clusters: text sorts by bytes in the one, by a dictionary in the other. */
export type Clusters = {
  /** `--locale=C`. */
  readonly url: string
  /** `--locale=en_US.UTF-8`; a reason instead where that locale can be neither found nor made. */
  readonly en: { readonly url: string } | { readonly missing: string }
  readonly stop: () => Promise<void>
}

/**
 * Starts both clusters on free ports of 127.0.0.1, in a folder of their own that `stop` removes. Whoever can reach
 * the port may log in: they hold test data only, for the time of one run. Returns the reason where there is no server
 * to start.
 */
export async function startPostgres(): Promise<Clusters | { readonly missing: string }> {
  const bin = await findPrograms()
  if (!bin)
    return { missing: `no PostgreSQL ${MAJOR_MIN} or newer: install the server (postgresql)` }
  const runner = await chooseRunner()
  if (!runner) return { missing: 'PostgreSQL refuses to run as root, and setpriv is missing' }
  const home = await mkdtemp(join(tmpdir(), 'av-pg-'))
  if (runner.user) await $`chown ${runner.user} ${home}`.quiet()
  const run: Run = async (words, env = {}) => {
    // Started in the cluster's own folder: the caller's may be closed to the other user.
    const neutral = { PATH: process.env.PATH ?? '', LC_ALL: 'C', HOME: home, TZ: 'UTC', ...env }
    const done = await $`${[...runner.prefix, ...words]}`.cwd(home).env(neutral).quiet().nothrow()
    if (done.exitCode !== 0)
      throw new Error(`${words.join(' ')} failed:\n${done.stderr}${done.stdout}`)
  }
  const started: Cluster[] = []
  const stop = async () => {
    for (const { data } of started.splice(0))
      await run([join(bin, 'pg_ctl'), 'stop', '-D', data, '-m', 'immediate']).catch(report)
    await rm(home, { recursive: true, force: true })
  }
  try {
    const c: Cluster = { data: join(home, 'c'), locale: 'C', env: {} }
    started.push(c)
    const url = await startCluster(bin, run, c)
    const locale = await makeEnUs(home)
    if ('missing' in locale) return { url, en: locale, stop }
    const en: Cluster = { data: join(home, 'en'), locale: EN_US, env: locale.env }
    started.push(en)
    return { url, en: { url: await startCluster(bin, run, en) }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Cluster = {
  readonly data: string
  readonly locale: string
  readonly env: Record<string, string>
}
type Run = (words: readonly string[], env?: Record<string, string>) => Promise<void>

async function startCluster(
  bin: string,
  run: Run,
  { data, locale, env }: Cluster,
): Promise<string> {
  const layout = ['--encoding=UTF8', `--locale=${locale}`, '--auth=trust', '--username=postgres']
  await run([join(bin, 'initdb'), '-D', data, ...layout, '--no-sync'], env)
  const port = freePort()
  const settings = {
    listen_addresses: "'127.0.0.1'",
    port,
    unix_socket_directories: "''",
    // What a test run holds need not outlive a power cut; it does outlive a kill.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '64MB',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  await appendFile(join(data, 'postgresql.conf'), lines.join(''))
  const start = [join(bin, 'pg_ctl'), 'start', '-w', '-D', data, '-l', `${data}.log`]
  await run(start, env).catch(async (error) => {
    const log = await readFile(`${data}.log`, 'utf8').catch(() => '')
    throw new Error(`${error.message}\n${log}`)
  })
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

async function findPrograms(): Promise<string | undefined> {
  const onPath = Bun.which('postgres')
  const elsewhere = PROGRAM_FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name, 'bin/postgres')),
  )
  const versions = await Promise.all(
    [...(onPath ? [onPath] : []), ...elsewhere]
      .filter((path) => existsSync(path))
      .map(async (path) => {
        const answer = await $`${path} --version`.quiet().nothrow().text()
        return { folder: dirname(path), major: Number(answer.match(/ (\d+)/)?.[1] ?? 0) }
      }),
  )
  const usable = versions.filter(
    ({ folder, major }) => major >= MAJOR_MIN && existsSync(join(folder, 'initdb')),
  )
  return usable.sort((a, b) => b.major - a.major)[0]?.folder
}

/** The server refuses to run as root: then as `postgres`, or as `nobody` where that user is missing. */
async function chooseRunner(): Promise<{ prefix: readonly string[]; user?: string } | undefined> {
  if (process.getuid?.() !== 0) return { prefix: [] }
  if (!Bun.which('setpriv')) return undefined
  const known = (await $`id -u postgres`.quiet().nothrow()).exitCode === 0
  const user = known ? 'postgres' : 'nobody'
  const group = (await $`id -gn ${user}`.text()).trim()
  return { prefix: ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups'], user }
}

/**
 * The environment in which the locale en_US is known: empty where the system has it, else one that names a copy made
 * for this run. Making it needs no rights, only the sources of Debian's package `locales`.
 */
async function makeEnUs(
  home: string,
): Promise<{ env: Record<string, string> } | { missing: string }> {
  const known = await $`locale -a`.quiet().nothrow().text()
  if (/^en_US\.utf-?8$/im.test(known)) return { env: {} }
  const folder = join(home, 'locale')
  await mkdir(folder)
  const made = await $`localedef -i en_US -f UTF-8 --no-archive ${join(folder, EN_US)}`
    .quiet()
    .nothrow()
  if (made.exitCode !== 0)
    return { missing: `no locale ${EN_US}, nor the means to make it: install the package locales` }
  await chmod(folder, 0o755)
  return { env: { LOCPATH: folder } }
}

/** A port that was free a moment ago: the system hands them out in turn, so nobody else gets it meanwhile. */
function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  listener.stop(true)
  return listener.port
}

function report(error: unknown): void {
  console.error(`[test] ${error instanceof Error ? error.message : error}`)
}
