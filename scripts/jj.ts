#!/usr/bin/env bun
/**
 * Finds a jj that av can use, or brings one: `bun scripts/jj.ts`.
 *
 * One that is there and new enough is used. Otherwise the machine's own package manager is asked (apt, brew); on a
 * Debian whose release has none, the package of the unstable suite is unpacked into a folder of its own, together
 * with the libraries it was built against, and started through their loader. Nothing of the system is touched, no
 * rights are needed, and the mirror is the one that the machine's own apt sources name.
 */
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { aptMirrors } from './apt-sources.ts'

/** The oldest jj whose commands and templates av relies on. */
const OLDEST = '0.46.0'
const REMEDY = `Install Jujutsu ${OLDEST} or newer (with your package manager, or \`cargo install --locked --bin jj jj-cli\`), or name one in AV_JJ; then run this again.`
const BIN = join(homedir(), '.local/bin')
const UNPACKED = join(homedir(), '.local/share/av-jj')
const LAUNCHER = join(BIN, 'jj')
const LAUNCHER_MARK = '# Written by scripts/jj.ts'

export type Jj = { readonly path: string; readonly version: string }

/** What stops the set-up, in words for the person who runs it. */
export class SetupError extends Error {}

if (import.meta.main) {
  try {
    const jj = (await findJj()) ?? (await bringJj())
    console.log(`[setup] jj ${jj.version} (${jj.path})`)
    await warnOfOlderJj(jj)
  } catch (error) {
    if (!(error instanceof SetupError || error instanceof $.ShellError)) throw error
    const reason = error instanceof SetupError ? error.message : `${error.stderr}${REMEDY}`
    console.error(`[setup] jj: ${reason}`)
    process.exit(1)
  }
}

/** The jj that av would use: `AV_JJ`, the PATH, `~/.local/bin`; undefined when none is new enough. */
export async function findJj(): Promise<Jj | undefined> {
  const named = process.env.AV_JJ
  if (named) {
    const jj = await askVersion(named)
    if (jj && isNewEnough(jj)) return jj
    const found = jj ? `is jj ${jj.version}` : 'is no jj that runs'
    throw new SetupError(
      `AV_JJ=${named} ${found}; av needs ${OLDEST} or newer. Correct AV_JJ or unset it.`,
    )
  }
  for (const path of [Bun.which('jj'), LAUNCHER]) {
    const jj = path ? await askVersion(path) : undefined
    if (jj && isNewEnough(jj)) return jj
  }
  return undefined
}

async function bringJj(): Promise<Jj> {
  await bringJjSomehow()
  const jj = await findJj()
  if (jj) return jj
  throw new SetupError(`what was installed is not jj ${OLDEST} or newer. ${REMEDY}`)
}

async function bringJjSomehow(): Promise<void> {
  if (process.platform === 'darwin') {
    if (!Bun.which('brew'))
      throw new SetupError(`not found, and no brew to install it with. ${REMEDY}`)
    say('installing with brew')
    await $`brew install jj`.nothrow()
    return
  }
  if (Bun.which('apt-get')) {
    const installed = await installFromRelease()
    if (installed) return
    if (await isDebian()) return unpackFromUnstable()
  }
  throw new SetupError(
    `not found, and this system's packages have none that is new enough. ${REMEDY}`,
  )
}

/** The distribution's own package, where it is new enough and we may install it. */
async function installFromRelease(): Promise<boolean> {
  const candidate = await aptCandidate([])
  if (!candidate || Bun.semver.order(asSemver(candidate), OLDEST) < 0) return false
  const root = process.getuid?.() === 0
  const sudo = !root && (await $`sudo -n true`.quiet().nothrow()).exitCode === 0
  if (!root && !sudo) return false
  say(`installing jujutsu ${candidate} with apt`)
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'jujutsu']
  const { exitCode, stderr } = await $`${sudo ? ['sudo', ...install] : install}`
    .env({ ...process.env, DEBIAN_FRONTEND: 'noninteractive' })
    .quiet()
    .nothrow()
  if (exitCode !== 0) say(stderr.toString().trim())
  return exitCode === 0
}

async function unpackFromUnstable(): Promise<void> {
  if (existsSync(LAUNCHER) && !(await readFile(LAUNCHER, 'latin1')).includes(LAUNCHER_MARK))
    throw new SetupError(
      `${LAUNCHER} is there already and too old; upgrade or remove it, then run this again.`,
    )
  const mirrors = await aptMirrors()
  if (mirrors.length === 0)
    throw new SetupError(
      `the apt sources of this machine name no Debian mirror to take jj from. ${REMEDY}`,
    )
  const scratch = await mkdtemp(join(tmpdir(), 'av-jj-'))
  try {
    await chmod(scratch, 0o755) // apt downloads as a user of its own
    for (const mirror of mirrors) {
      say('fetching the package jujutsu of the unstable suite, with its libraries')
      const apt = await privateApt(scratch, mirror)
      const version = await aptCandidate(apt)
      if (!version) continue
      await downloadAndUnpack(apt, scratch, version)
      return
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  throw new SetupError(
    `could not be fetched from the Debian mirror of this machine's apt sources. ${REMEDY}`,
  )
}

/**
 * An apt that knows one suite and keeps its lists, cache and package state under `scratch`. The system's settings for
 * proxies and certificates stay in force; its hooks do not, since they act on the system.
 */
async function privateApt(scratch: string, mirror: string): Promise<string[]> {
  const folders = ['state/lists/partial', 'cache/archives/partial', 'parts', 'debs']
  for (const folder of folders) await mkdir(join(scratch, folder), { recursive: true })
  const keyring = ['pgp', 'gpg']
    .map((type) => `/usr/share/keyrings/debian-archive-keyring.${type}`)
    .find((path) => existsSync(path))
  if (!keyring)
    throw new SetupError(
      `apt cannot verify Debian's packages without the package debian-archive-keyring.`,
    )
  const architecture = (await $`dpkg --print-architecture`.text()).trim()
  const source = [
    'Types: deb',
    `URIs: ${mirror}`,
    'Suites: unstable',
    'Components: main',
    `Architectures: ${architecture}`,
    'Targets: Packages',
    `Signed-By: ${keyring}`,
  ]
  await writeFile(join(scratch, 'unstable.sources'), `${source.join('\n')}\n`)
  await writeFile(join(scratch, 'status'), '')
  const settings = [
    `Dir::State "${scratch}/state";`,
    `Dir::State::status "${scratch}/status";`,
    `Dir::Cache "${scratch}/cache";`,
    `Dir::Etc::sourcelist "${scratch}/unstable.sources";`,
    `Dir::Etc::sourceparts "${scratch}/parts";`,
    'Dir::Etc::preferences "/dev/null";',
    'Dir::Etc::preferencesparts "/dev/null";',
    'Acquire::Languages "none";',
    // A mirror that lags behind will do: what it lists is signed all the same, and the version is looked at.
    'Acquire::Check-Valid-Until "false";',
    '#clear APT::Update::Pre-Invoke;',
    '#clear APT::Update::Post-Invoke;',
    '#clear APT::Update::Post-Invoke-Success;',
  ]
  await writeFile(join(scratch, 'apt.conf'), `${settings.join('\n')}\n`)
  const apt = ['-c', join(scratch, 'apt.conf')]
  const { exitCode, stderr } = await $`apt-get ${apt} -qq update`.quiet().nothrow()
  if (exitCode !== 0) say(stderr.toString().trim())
  return apt
}

async function downloadAndUnpack(
  apt: readonly string[],
  scratch: string,
  version: string,
): Promise<void> {
  const debs = join(scratch, 'debs')
  await chmod(debs, 0o777)
  const packages = ['jujutsu', ...(await librariesOf(apt))]
  await $`apt-get ${apt} -qq download ${packages}`.cwd(debs).quiet()
  const fresh = join(scratch, 'root')
  for (const deb of await readdir(debs)) await $`dpkg-deb -x ${join(debs, deb)} ${fresh}`.quiet()

  const home = join(UNPACKED, version.replace(/[^\w.-]/g, '_'))
  await rm(home, { recursive: true, force: true })
  await mkdir(UNPACKED, { recursive: true })
  await $`mv ${fresh} ${home}`.quiet()
  await writeLauncher(home)
}

/** The libraries that jujutsu names and those that they name; converters between character sets are not needed. */
async function librariesOf(apt: readonly string[]): Promise<string[]> {
  const only = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
    (kind) => `--no-${kind}`,
  )
  const listing = await $`apt-cache ${apt} depends --recurse ${only} jujutsu`.text()
  return listing.split('\n').filter((name) => /^lib/.test(name) && !name.includes('gconv'))
}

async function writeLauncher(home: string): Promise<void> {
  const [loader] = [...new Bun.Glob('**/*-linux-gnu*/ld-linux-*.so.*').scanSync(home)].sort()
  if (!loader) throw new SetupError(`the unpacked libc in ${home} holds no loader. ${REMEDY}`)
  const libraries = join(home, loader, '..')
  const command = [
    join(home, loader),
    '--inhibit-cache',
    '--argv0',
    'jj',
    '--library-path',
    libraries,
    join(home, 'usr/bin/jj'),
  ]
  await mkdir(BIN, { recursive: true })
  const script = `#!/bin/sh\n${LAUNCHER_MARK}\nexec ${command.map(quote).join(' ')} "$@"\n`
  await writeFile(`${LAUNCHER}.${process.pid}`, script, { mode: 0o755 })
  await rename(`${LAUNCHER}.${process.pid}`, LAUNCHER)
}

async function warnOfOlderJj({ path }: Jj): Promise<void> {
  const first = Bun.which('jj')
  if (process.env.AV_JJ || !first || first === path) return
  const older = await askVersion(first)
  if (older && !isNewEnough(older))
    console.log(
      `[setup] the PATH has the older jj ${older.version} (${first}) first: set AV_JJ=${path} for av to use the newer one`,
    )
}

/** The version apt would install, empty when it knows none. */
async function aptCandidate(apt: readonly string[]): Promise<string> {
  const policy = await $`apt-cache ${apt} policy jujutsu`
    .env({ ...process.env, LC_ALL: 'C' })
    .quiet()
    .nothrow()
    .text()
  return policy.match(/Candidate: (\d\S*)/)?.[1] ?? ''
}

async function askVersion(path: string): Promise<Jj | undefined> {
  const { exitCode, stdout } = await $`${path} --version`.quiet().nothrow()
  const version = exitCode === 0 ? stdout.toString().match(/^jj (\d+\.\d+\.\d+)/)?.[1] : undefined
  return version ? { path, version } : undefined
}

function isNewEnough({ version }: Jj): boolean {
  return Bun.semver.order(version, OLDEST) >= 0
}

/** `0.46.0-2` and `1:0.46.0+dfsg-1` to `0.46.0`: what upstream released. */
function asSemver(debianVersion: string): string {
  return debianVersion.match(/(?:^|:)(\d+\.\d+\.\d+)/)?.[1] ?? '0.0.0'
}

async function isDebian(): Promise<boolean> {
  return /^ID="?debian"?$/m.test(await readFile('/etc/os-release', 'utf8'))
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function say(what: string): void {
  console.log(`[setup] jj: ${what}`)
}
