import { parseInput } from '../../src/api/parse.ts'
import { type CallName, type Input, type Output, routes, type Sent } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { Fault } from '../../src/domain/fault.ts'
import { CodeIndexes } from '../../src/ops/code-indexes.ts'
import type { Deps, Handler } from '../../src/ops/deps.ts'
import { handlers } from '../../src/ops/handlers.ts'
import { SemanticSearch } from '../../src/ops/semantic.ts'
import { loadTokenCounter } from '../../src/ops/tokens.ts'
import type { Store } from '../../src/store/store.ts'
import { seededWorld } from '../../src/world.ts'
import { builtin } from '../support/builtin-engine.ts'

/** Where trunk is at first, and the clone it is a branch of. */
export const TRUNK = 'd'.repeat(40)
export const CLONE = 'clone-1'

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
        ...{ remotes: {}, trunkName: 'main', trunkCommit: TRUNK, clone: CLONE },
      },
      human('mia'),
    )
    return new Office(store, id, deps)
  }

  /** Another daemon on the same store: nothing of what the last one held in memory. */
  restart(engine = builtin, waitMs = 30_000): void {
    const semantic = new SemanticSearch(this.store, engine, () => {}, waitMs)
    this.deps = { ...this.deps, indexes: new CodeIndexes(this.store), semantic }
  }

  /** Another daemon beside this one, on the same store. */
  beside(engine = builtin): Office {
    const other = new Office(this.store, this.repo, this.deps)
    other.restart(engine)
    return other
  }

  /** As over the wire: what the row's schema makes of the input. */
  async call<N extends CallName>(
    name: N,
    input: Sent<N>,
    by: Caller = human('mia'),
  ): Promise<Output<N>> {
    const handle: Handler<N> = handlers[name]
    return handle(this.deps, parseInput(routes[name].input(), input) as Input<N>, by)
  }

  async refusal<N extends CallName>(name: N, input: Sent<N>, by?: Caller): Promise<Fault | null> {
    return refusalIn(this.call(name, input, by))
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

  /** A task on trunk, and `by` holding its claim: one that can be reviewed and merged. */
  async work(goal: string, by: Caller): Promise<{ readonly task: string; readonly owner: Caller }> {
    const input = { goal, repo: this.repo, base: TRUNK }
    const { id, generation } = await this.call('task.start', input, by)
    return { task: id, owner: { ...by, generation } }
  }

  /** A checkpoint of what `content` stands for: its commit, tree and patch follow from it. */
  async checkpoint(
    task: string,
    by: Caller,
    content: string,
    more: Partial<Sent<'checkpoint'>> = {},
  ): Promise<Snapshot> {
    const seen = snapshotOf(content)
    const input = { repo: this.repo, task, ...CHANGED, ...seen, ...more }
    await this.call('checkpoint', input, by)
    return seen
  }

  /** Checkpointed, told why, and submitted. */
  async submitted(goal: string, by: Caller, content = goal) {
    const { task, owner } = await this.work(goal, by)
    await this.record(task, owner, `Why: ${goal}`)
    const seen = await this.checkpoint(task, owner, content)
    await this.call('submit', { repo: this.repo, task, commit: seen.commit }, owner)
    return { task, owner, seen }
  }

  /** What `approve` and `request-changes` send of a snapshot. */
  reviewed(task: string, { base, commit, tree, patch }: Snapshot) {
    return { repo: this.repo, task, base, tip: commit, tree, patch, trunk: TRUNK }
  }

  async approved(goal: string, by: Caller, reviewer: Caller, content = goal) {
    const made = await this.submitted(goal, by, content)
    await this.call('approve', this.reviewed(made.task, made.seen), reviewer)
    return made
  }

  takeSlot(
    kind: Sent<'slot.take'>['kind'],
    task: string | null,
    by?: Caller,
    more: Partial<Sent<'slot.take'>> = {},
  ) {
    const input = { repo: this.repo, kind, task, clone: CLONE, remote: null, tree: null, ...more }
    return this.call('slot.take', input, by)
  }

  /** Lands an approved task as a client does, on trunk as the store knows it. */
  async merge(task: string, { tree, patch }: Snapshot, by?: Caller): Promise<string> {
    const { slot, trunk, verdict } = await this.takeSlot('merge', task, by)
    const landed = idOf(`landed ${task} ${slot}`)
    const merge = { verdict: verdict?.position ?? 0, tree, carried: null }
    await this.call('landing.open', {
      ...{ repo: this.repo, slot, task, kind: 'merge', old: trunk, new: landed, patch, merge },
      files: ['src/login.ts'],
    })
    await this.call('landing.close', { repo: this.repo, slot, landing: slot, landed: true }, by)
    return landed
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

export type Snapshot = {
  readonly commit: string
  readonly base: string
  readonly tree: string
  readonly patch: string
}

/** 40 hex digits for a text. */
export function idOf(text: string): string {
  return new Bun.CryptoHasher('sha1').update(text).digest('hex')
}

export function snapshotOf(content: string): Snapshot {
  return {
    commit: idOf(`commit ${content}`),
    base: TRUNK,
    tree: idOf(`tree ${content}`),
    patch: `1:${idOf(`patch ${content}`)}`,
  }
}

const CHANGED = {
  change: 'kkkk',
  files: [{ path: 'src/login.ts', status: 'modified', from: null }],
  symbols: ['src/login.ts:login'],
  conflicts: [],
  incomplete: { tooLarge: [], badNames: [], nested: [] },
} as const

/** The fault that an attempt ends with; null when it went well. What is no fault is a bug. */
export async function refusalIn(attempt: Promise<unknown>): Promise<Fault | null> {
  const thrown = await attempt.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (thrown === null || thrown instanceof Fault) return thrown
  throw thrown
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
    semantic: new SemanticSearch(store, builtin),
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
