import type { CallName, Output, Sent } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { asFault, type Fault } from '../../src/domain/fault.ts'
import { CodeIndexes } from '../../src/ops/code-indexes.ts'
import type { Deps, Handler } from '../../src/ops/deps.ts'
import { handlers } from '../../src/ops/handlers.ts'
import { loadTokenCounter } from '../../src/ops/tokens.ts'
import type { Store } from '../../src/store/store.ts'
import { seededWorld } from '../../src/world.ts'

/** The daemon's calls on a real store, without a daemon: seeded ids, one repo made already. */
export class Office {
  private deps: Deps

  private constructor(
    private readonly store: Store,
    readonly repo: string,
    deps: Deps,
  ) {
    this.deps = deps
  }

  static async open(store: Store, seed = 1): Promise<Office> {
    const deps = depsOf(store, seed)
    const { id } = await handlers.init(
      deps,
      {
        ...{ dryRun: false, known: null, folder: 'shop', rootCommits: ['c'.repeat(40)] },
        ...{ remotes: {}, trunkName: 'main', trunkCommit: 'd'.repeat(40) },
      },
      human('mia'),
    )
    return new Office(store, id, deps)
  }

  /** Another daemon on the same store: nothing of what the last one held in memory. */
  restart(): void {
    this.deps = { ...this.deps, indexes: new CodeIndexes(this.store) }
  }

  call<N extends CallName>(name: N, input: Sent<N>, by: Caller = human('mia')): Promise<Output<N>> {
    const handle: Handler<N> = handlers[name]
    return handle(this.deps, input as Parameters<Handler<N>>[1], by)
  }

  async refusal<N extends CallName>(name: N, input: Sent<N>, by?: Caller): Promise<Fault | null> {
    return this.call(name, input, by).then(
      () => null,
      (thrown) => asFault(thrown),
    )
  }

  /** A task of `by`, and `by` holding its claim. */
  async task(goal: string, by: Caller): Promise<{ readonly task: string; readonly owner: Caller }> {
    const { id, generation } = await this.call(
      'task.start',
      { goal, repo: this.repo, base: null },
      by,
    )
    return { task: id, owner: { ...by, generation } }
  }

  record(task: string, by: Caller, summary: string, more: Partial<Sent<'record'>> = {}) {
    return this.call(
      'record',
      {
        ...{ repo: this.repo, task, kind: 'decision', summary, at: [], supersedes: [] },
        ...{ allowMissing: false, workspaceTask: null, anchors: [], ...more },
      },
      by,
    )
  }
}

export const human = (actor: string): Caller => ({
  actor,
  kind: 'human',
  session: null,
  generation: null,
})
export const agent = (actor: string, session = 's1'): Caller => ({
  ...{ actor, kind: 'agent', session, generation: null },
})

function depsOf(store: Store, seed: number): Deps {
  let counter: Promise<(text: string) => number> | null = null
  return {
    store,
    world: seededWorld(seed),
    leaseSecs: 1_800,
    indexes: new CodeIndexes(store),
    countTokens: () => {
      counter ??= loadTokenCounter()
      return counter
    },
    daemon: () => ({
      ...{ running: true, pid: 1, version: '0', home: '/home', store: 'pglite' },
      ...{ rssBytes: 0, startedAt: null },
    }),
    schema: { newest: 'none', applied: [] },
  }
}
