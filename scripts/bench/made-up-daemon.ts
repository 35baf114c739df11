import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Args, CallName, Output, Sent } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { CodeIndexes } from '../../src/ops/code-indexes.ts'
import type { Deps, Handler } from '../../src/ops/deps.ts'
import { handlers } from '../../src/ops/handlers.ts'
import { SemanticSearch } from '../../src/ops/semantic.ts'
import { loadTokenCounter } from '../../src/ops/tokens.ts'
import { migrate } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { openPGlite } from '../../src/store/pglite.ts'
import { sqlStore } from '../../src/store/sql-store.ts'
import { seededWorld } from '../../src/world.ts'
import type { Call, MadeUp } from './made-up.ts'
import { highWaterBytes, residentBytes } from './peak-rss.ts'
import { sourceDaemon } from './source-daemon.ts'

const CALLER: Caller = { actor: 'bench', kind: 'human', session: null, generation: 1 }

export type View = NonNullable<Sent<'pack'>['view']>

export type MadeDaemon = {
  readonly call: Call
  readonly repo: string
  /** All that was made up, as it was at first. */
  readonly view: View
  /** One for some goal, of that view or another. */
  readonly pack: (of?: View) => Promise<void>
  readonly rss: () => string
  /** What the daemon has used so far of the processors; it tells more than the clock on a busy machine. */
  readonly cpuMs: () => number
}

/** A store of made-up files and records, and a daemon started on it that is asked for packs. */
export async function inDaemon(
  made: MadeUp,
  work: (daemon: MadeDaemon) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'av-speed-'))
  const { repo, task, view } = await fillStore(home, made)
  const client = sourceDaemon(home)
  const call: Call = async (name, input) => {
    const { data } = await client.call(name, input as Args<typeof name>, CALLER)
    return data
  }
  const pack = async (of: View = view) => {
    const focus = [made.goal()]
    const what = { task, focus, budget: 800, explain: false }
    const changed = of.overlay.slice(-10).map(({ path }) => path)
    const { items } = await call('pack', { ...what, repo, view: of, changed, indexing: false })
    if (items.length < 3) throw new Error('an empty pack measures nothing')
  }
  const { store } = await call('migrate', {})
  if (store !== 'pglite') throw new Error('not the embedded store')
  const { pid } = JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8')) as { pid: number }
  try {
    const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
    const rss = () =>
      `RSS ${megabytes(residentBytes(pid))}, at most ${megabytes(highWaterBytes(pid))}`
    await work({ call, repo, view, pack, rss, cpuMs: () => cpuMsOf(pid) })
  } finally {
    process.kill(pid, 'SIGTERM')
    await rm(home, { recursive: true, force: true })
  }
}

/** By the daemon's own handlers, in this process, before a daemon is there. */
async function fillStore(home: string, made: MadeUp) {
  const { database, link } = await openPGlite(join(home, 'pgdata'), {})
  const schema = await migrate(link, MIGRATIONS, '0.0.0-bench')
  const store = sqlStore(database)
  let counter: Promise<(text: string) => number> | null = null
  const deps: Deps = {
    ...{ store, world: seededWorld(11), schema, leaseSecs: 86_400 },
    indexes: new CodeIndexes(store),
    semantic: new SemanticSearch(store, never),
    countTokens: () => {
      counter ??= loadTokenCounter()
      return counter
    },
    daemon: never,
  }
  const call = <N extends CallName>(name: N, input: Sent<N>): Promise<Output<N>> => {
    const handle: Handler<N> = handlers[name]
    return handle(deps, input as Parameters<Handler<N>>[1], CALLER)
  }
  const { id: repo } = await call('init', made.repo)
  const view: View = { tree: `${'a'.repeat(40)}/bench`, overlay: [] }
  const { id: task } = await call('task.start', { goal: made.goal(), repo, base: null })
  await made.fill(call, (text, values) => link.query(text, values), repo, view.tree)
  await store.close()
  return { repo, task, view }
}

/** Of the system and the program itself, by Linux's count in hundredths of a second; else 0. */
function cpuMsOf(pid: number): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return 0
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function never(): never {
  throw new Error('not asked')
}
