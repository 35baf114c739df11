import { parseInput } from '../../src/api/parse.ts'
import { routes } from '../../src/api/routes.ts'
import { Fault } from '../../src/domain/fault.ts'
import { CodeIndexes } from '../../src/ops/code-indexes.ts'
import type { Deps, Handler } from '../../src/ops/deps.ts'
import { handlers } from '../../src/ops/handlers.ts'
import { SemanticSearch } from '../../src/ops/semantic.ts'
import type { SchemaLink } from '../../src/store/database.ts'
import type { Store } from '../../src/store/store.ts'
import { seededWorld } from '../../src/world.ts'
import { builtin } from '../support/builtin-engine.ts'
import type { Answer, PlayedCall, Request, RequestOf } from './request.ts'

/** Real daemons without their sockets, on one real database. */
export class Stage {
  private readonly daemons: Deps[]
  private repos = 0

  /** @param stores one for each daemon */
  constructor(
    private readonly stores: readonly Store[],
    readonly query: SchemaLink['query'],
  ) {
    this.daemons = stores.map((store, index) => depsOf(store, index))
  }

  get size(): number {
    return this.daemons.length
  }

  /** A repo with nothing in it but its trunk, and the database's clock where it is by itself. */
  async newRepo(trunk: string, clone: string, by: Request['by']): Promise<string> {
    await this.setClock(0)
    const id = `${(this.repos++).toString(16).padStart(8, '0')}${trunk.slice(0, 24)}`
    const store = this.stores[0]!
    const created = await store.createRepo(
      {
        ...{ id: id as Parameters<Store['repo']>[0], name: `shop-${id}`, trunk: 'main' },
        trunkCommit: trunk as NonNullable<Parameters<Store['createRepo']>[0]['trunkCommit']>,
        identity: { rootCommits: [], remotes: {} },
      },
      by,
    )
    await store.updateRepo(created.id, { trunkHome: clone })
    return created.id
  }

  /** Seconds from where the clock is by itself. */
  async setClock(secs: number): Promise<void> {
    await this.query('UPDATE clock_shift SET millis = $1', [secs * 1000])
  }

  /** A daemon with nothing of what the last one held in memory. */
  restart(daemon: number): void {
    const index = daemon % this.daemons.length
    this.daemons[index] = depsOf(this.stores[index]!, index)
  }

  /** What is no fault is a bug, and thrown. */
  async ask(daemon: number, repo: string, request: Request): Promise<Answer> {
    const deps = this.daemons[daemon % this.daemons.length]!
    try {
      const output = await handle(deps, repo, request)
      return { kind: 'ok', output: output as Readonly<Record<string, unknown>> }
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      const { code, detail } = thrown
      const what = [code, detail.reason].filter((part) => part !== undefined).join(' ')
      return { kind: 'fault', what, thrown }
    }
  }
}

function handle<N extends PlayedCall>(deps: Deps, repo: string, request: RequestOf<N>) {
  const { name, input, by } = request
  const run = handlers[name] as Handler<N>
  const parsed = parseInput(schemaOf(name), { ...input, repo })
  return run(deps, parsed as Parameters<typeof run>[1], by)
}

/** Made once, as a daemon makes them. */
const schemas = new Map<PlayedCall, Parameters<typeof parseInput>[0]>()

function schemaOf(name: PlayedCall): Parameters<typeof parseInput>[0] {
  const known = schemas.get(name)
  if (known !== undefined) return known
  const made = routes[name].input()
  schemas.set(name, made)
  return made
}

function depsOf(store: Store, seed: number): Deps {
  return {
    store,
    world: seededWorld(seed + 1),
    leaseSecs: 1_800,
    indexes: new CodeIndexes(store),
    semantic: new SemanticSearch(store, builtin),
    // A bundle's length is not what is looked at here.
    countTokens: async () => (text) => text.length,
    daemon: () => ({
      ...{ running: true, pid: 1, version: '0', home: '/home', store: 'pglite' },
      ...{ rssBytes: 0, startedAt: null },
    }),
    schema: { newest: 'none', applied: [] },
  }
}
