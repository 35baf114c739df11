import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { RouteName } from './api/routes.ts'
import { BUILD_ID, type Build } from './api/version.ts'
import type { Terminal } from './cli/terminal.ts'
import type { Client } from './client/client.ts'
import type { Given } from './client/command.ts'
import type { DaemonAccess } from './client/daemon-access.ts'
import type { SettingsAtHand } from './client/local-commands.ts'
import type { CommandResult, Invocation } from './client/run-command.ts'
import type { Toolbox } from './client/session.ts'
import type { Config, Settings, Surroundings } from './config.ts'
import type { Host } from './daemon/lifetime.ts'
import type { Caller } from './domain/actor.ts'
import { realWorld } from './world.ts'

// The one file that touches the process: it picks what this process is, wires the real parts
// together, and ends. All else is loaded on demand: `av --version` loads no more than this.
const IS_COMPILED = import.meta.url.startsWith('file:///$bunfs/')
const PROGRAM = IS_COMPILED ? process.execPath : Bun.main
const DAEMON_WORDS = ['daemon', 'run', '--for-client']
const COMMAND = IS_COMPILED ? [process.execPath] : [process.execPath, Bun.main]

/** Resolves when all that was written to standard error is out. */
let talked = Promise.resolve()

process.stdout.on('error', onBrokenOutput)
// What cannot be told, on a full disk say, is no reason to end; least of all for a daemon.
process.stderr.on('error', () => {})
const exitCode = await main(process.argv.slice(2))
await talked
process.exit(exitCode)

async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && argv[0] === '--version') {
    await writeOut(`av ${BUILD_ID}\n`)
    return 0
  }
  if (argv.join(' ') === DAEMON_WORDS.join(' ')) return runSpawned()
  const { runCli } = await import('./cli/run.ts')
  return runCli(argv, terminal(), runCommand, { version: BUILD_ID })
}

/** The daemon as a client starts it: what keeps it from starting goes back through its output. */
async function runSpawned(): Promise<number> {
  try {
    await runDaemonHere(await config(), null)
    return 0
  } catch (thrown) {
    const [{ asFault }, { refusalOf }] = await Promise.all([
      import('./domain/fault.ts'),
      import('./api/wire.ts'),
    ])
    const fault = asFault(thrown)
    await writeOut(JSON.stringify(refusalOf(fault)))
    return fault.exit
  }
}

/** Where the command stands; a folder that was deleted goes by the name the shell has for it still. */
function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    return process.env.PWD ?? '/'
  }
}

function surroundings(): Surroundings {
  return { env: process.env, userHome: homedir(), cwd: currentFolder() }
}

async function config(): Promise<Config> {
  const { loadConfig } = await import('./config.ts')
  return loadConfig(surroundings())
}

/** Read only when another build is met, or a daemon starts. */
function build(): Build {
  return { id: BUILD_ID, writtenAtMs: statSync(PROGRAM).mtimeMs, program: PROGRAM }
}

// --- the daemon

async function runDaemonHere({ settings }: Config, port: number | null): Promise<void> {
  process.umask(0o077)
  const [{ runDaemon }, { homeAt }, { sharedSettings }] = await Promise.all([
    import('./daemon/lifetime.ts'),
    import('./api/home.ts'),
    import('./api/identity.ts'),
  ])
  await runDaemon({
    home: homeAt(settings.home),
    build: build(),
    shared: sharedSettings(settings, process.env),
    idleSecs: settings.idleSecs,
    port,
    world: realWorld,
    host: processHost(),
    open: async (around) => (await import('./open-daemon.ts')).openDaemon(settings, around),
    onReady: ({ pid, home, port: listening }) => {
      const tcp = listening === null ? '' : ` and on 127.0.0.1:${listening}`
      talk(`av ${BUILD_ID} (process ${pid}) answers for ${home}${tcp}\n`)
    },
  })
}

function processHost(): Host {
  return {
    pid: process.pid,
    rssBytes: () => process.memoryUsage().rss,
    onSignal: (end) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => end(signal))
    },
    onDefect: (report) => {
      process.on('uncaughtException', report)
      process.on('unhandledRejection', report)
    },
  }
}

// --- a command

/** Wired when a command runs, so that help needs neither settings nor a usable config.toml. */
async function runCommand<N extends RouteName>(
  name: N,
  given: Given,
  invocation: Invocation,
): Promise<CommandResult<N>> {
  const settled = await config()
  const access = await daemonAccess(settled.settings)
  const [{ createRunCommand }, { localCommands }, { createClient }, { sendOver }] =
    await Promise.all([
      import('./client/commands.ts'),
      import('./client/local-commands.ts'),
      import('./client/client.ts'),
      import('./client/connect.ts'),
    ])
  const local = localCommands({
    access,
    settings: await settingsAtHand(settled),
    runDaemon: (port) => runDaemonHere(settled, port),
    demo: { program: COMMAND, env: process.env, say: talk },
  })
  const tools = toolbox(settled.settings, createClient(sendOver(access)))
  const result = await createRunCommand(tools, local)(name, given, invocation)
  const { embedUrl } = settled.settings
  const leaves = /^(?:config|pack)/.test(name) && embedUrl !== '' ? await departureOf(embedUrl) : []
  return { ...result, warnings: [...settled.warnings, ...leaves, ...result.warnings] }
}

async function departureOf(address: string): Promise<readonly string[]> {
  const { departureWarning } = await import('./index/embedder-http.ts')
  return [departureWarning(address) ?? []].flat()
}

async function daemonAccess(settings: Settings): Promise<DaemonAccess> {
  const [{ homeAt }, { sharedSettings }, { daemonEnvironment }] = await Promise.all([
    import('./api/home.ts'),
    import('./api/identity.ts'),
    import('./client/daemon-environment.ts'),
  ])
  return {
    home: homeAt(settings.home),
    build: build(),
    shared: sharedSettings(settings, process.env),
    world: realWorld,
    launch: {
      command: [...COMMAND, ...DAEMON_WORDS],
      env: daemonEnvironment(settings, process.env),
    },
  }
}

function toolbox(settings: Settings, client: Client): Toolbox {
  const host = { env: process.env, jj: jjProgram(settings.jj), home: settings.home }
  let caller: Promise<Caller> | null = null
  return {
    host,
    world: realWorld,
    client,
    task: settings.task,
    workspaces: settings.workspaces,
    carryGlobs: settings.carryGlobs.split(/[\s,]+/).filter(Boolean),
    caller: () => {
      caller ??= findOutCaller(host, settings)
      return caller
    },
    spawnIndex: (folder) => {
      const { home: AV_HOME, workspaces: AV_WORKSPACES } = settings
      Bun.spawn([...COMMAND, '-C', folder, '--quiet', 'index', 'run'], {
        cwd: '/',
        // Given by what they came to: a relative path would now start elsewhere.
        env: { ...process.env, AV_HOME, AV_WORKSPACES, AV_JJ: host.jj },
        stdio: ['ignore', 'ignore', 'ignore'],
        detached: true,
      }).unref()
    },
  }
}

/** The one set, else the first on the PATH, else the one that lies beside av. */
function jjProgram(set: string): string {
  return set || Bun.which('jj') || join(dirname(PROGRAM), 'jj')
}

async function findOutCaller(host: Toolbox['host'], settings: Settings): Promise<Caller> {
  const { findCaller } = await import('./client/caller.ts')
  return findCaller(settings, process.env, async () => {
    const { run } = await import('./workspace/run.ts')
    const argv = ['git', 'config', '--get', 'user.name'] as const
    const asked = run(host, { argv, cwd: currentFolder() }).catch(() => null)
    return (await asked)?.stdout.toString('utf8').trim() || null
  })
}

async function settingsAtHand(settled: Config): Promise<SettingsAtHand> {
  const { itemOf, writeSetting } = await import('./config.ts')
  return {
    items: settled.items,
    item: (word) => itemOf(settled, word),
    write: async (word, value) => {
      await writeSetting(surroundings(), word, value, realWorld.randomHex(4))
      return itemOf(await config(), word)
    },
  }
}

// --- the terminal

function terminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  return {
    out: writeOut,
    err: talk,
    outIsTty: stdout.isTTY === true,
    errIsTty: stderr.isTTY === true,
    columns: stdout.columns ?? null,
    color: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    cwd: currentFolder(),
    now: realWorld.now,
    later: (delayMs, run) => {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
    readStdin,
    ask: stdin.isTTY === true && stderr.isTTY === true ? ask : null,
  }
}

/** Resolves when the text was handed on; to false when nobody reads any more. */
function writeOut(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => {
      if (error) onBrokenOutput(error)
      resolve(!error)
    })
  })
}

/** A reader that went away, as `head` does, is no failure; a disk that is full is one. */
function onBrokenOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return
  process.stderr.write(`Error: the output cannot be written (${error.code}).\n`)
  process.exit(70)
}

function talk(text: string): void {
  talked = new Promise((resolve) => {
    process.stderr.write(text, () => resolve())
  })
}

async function readStdin(bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of Bun.stdin.stream()) {
    chunks.push(chunk)
    size += chunk.length
    if (size > bytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, bytesMax + 1)
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await asking.question(question)
  } finally {
    asking.close()
  }
}
