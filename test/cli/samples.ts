import type { Output } from '../../src/api/routes.ts'
import type { ConventionView, DaemonView } from '../../src/api/views.ts'
import type { CommandName } from '../../src/cli/commands.ts'
import { COMMIT, record, task } from './sample-task.ts'
import { reviewSamples } from './samples-review.ts'
import { searchSamples } from './samples-search.ts'
import { sessionSamples } from './samples-session.ts'

/** Text as somebody might write it who wants more than to be read. */
export const HOSTILE = '\x1b]0;owned\x07\x1b[2J\r\u202eevil\u2028\x9b31m\u{e0041}end'

const convention: ConventionView = {
  id: 'c:12345678',
  glob: 'src/api/**',
  text: 'Handlers return a Result.\nThey never throw.',
  required: true,
  state: 'active',
  author: 'ada',
  at: '2025-11-01T00:00:00.000Z',
}

const daemon: DaemonView = {
  running: true,
  pid: 41,
  version: '0.1.0',
  home: '/home/ada/.local/share/av',
  store: 'pglite',
  rssBytes: 162_400_000,
  startedAt: '2026-01-02T09:00:00.000Z',
}
const stopped: DaemonView = {
  ...{ running: false, pid: null, version: null, store: null, rssBytes: null, startedAt: null },
  home: daemon.home,
}

const repo = { id: 'repo-1', repo: 'hono', trunk: 'main', trunkCommit: COMMIT }
const setting = { key: 'AV_LEASE_SECS', value: '1800', from: 'default', help: 'Seconds.' } as const

/** A result of every command. */
export const SAMPLES: { readonly [N in CommandName]: Output<N> } = {
  init: { ...repo, created: false, dryRun: false, warnings: [] },
  status: {
    ...repo,
    ...{ task, actor: 'ada', session: null, degraded: ['index', 'semantic'], daemon },
    now: '2026-11-30T12:00:00.000Z',
  },
  config: {
    items: [setting, { key: 'AV_ACTOR', value: '', from: 'env', help: 'Who calls.' }],
  },
  'config.get': setting,
  'config.set': { ...setting, value: '60', from: 'file' },
  'index.run': {
    files: 1200,
    symbols: 9000,
    indexed: 1,
    bytes: 2_600_000,
    unparsable: 2,
    leftOut: 30,
  },
  'daemon.start': daemon,
  'daemon.stop': stopped,
  'daemon.status': stopped,
  'daemon.run': stopped,
  'daemon.logs': { path: '/home/ada/.local/share/av/daemon.log', text: 'one\ntwo\n' },
  migrate: { store: 'pglite', applied: ['0001_records'], schema: '0001_records' },
  purge: { id: 'r:12345678', position: 9, remains: ['landed commit messages'] },
  demo: { folder: '/tmp/av-demo-1', steps: 11 },
  'task.start': task,
  ...reviewSamples,
  ...searchSamples,
  'task.list': {
    items: [
      task,
      { ...task, id: 'a-b2cd', state: 'handed_off', owner: null, goal: 'Log out\n all sessions' },
    ],
    more: true,
  },
  'task.show': { ...task, head: COMMIT, parent: 'a-b2cd', workspace: null },
  'task.path': { id: task.id, path: '/home/ada/ws/hono/a b' },
  checkpoint: {
    task: task.id,
    commit: COMMIT,
    change: 'kkmpptxz',
    files: [
      { path: 'src/session.ts', status: 'modified', from: null },
      { path: 'src/new.ts', status: 'renamed', from: 'src/old.ts' },
    ],
    symbols: ['src/session.ts:Session.refresh'],
    patch: '1:abc',
    incomplete: { tooLarge: ['big.bin'], badNames: [], nested: ['vendor/x'] },
    conflicts: ['src/both.ts'],
    position: 7,
  },
  diff: { task: task.id, base: COMMIT, diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\ta\r\n+\tb\r\n' },
  record: {
    ...{ id: 'r:12345678', task: task.id, kind: 'decision', summary: 'Refresh 30 s early' },
    anchors: [{ path: 'src/session.ts', symbol: 'Session.refresh', hash: 'ab' }],
    redacted: 2,
    position: 4,
  },
  log: { items: [record], more: true },
  why: {
    items: [{ ...record, body: '', supersedes: [], supersededBy: [], marks: [] }],
    more: false,
  },
  'convention.add': convention,
  'convention.list': { items: [convention, { ...convention, required: false }], more: false },
  'convention.retire': { ...convention, state: 'retired' },
  'convention.propose': { ...convention, state: 'proposed' },
  'convention.accept': convention,
  pack: {
    text: '# av pack: x\n## Task\n- goal\nreceipt: rcp:12345678\n',
    receipt: 'rcp:12345678',
    tokens: 20,
    budget: 800,
    degraded: [],
    items: [{ id: 'r:12345678', section: 'Task', tier: 'full' }],
    omitted: 0,
    sentBefore: [],
    reader: null,
    explanation: null,
  },
  ...sessionSamples,
  expand: {
    items: [
      { id: 'r:12345678', text: 'r:12345678 decision\n> Refresh 30 s early\n' },
      { id: 's:12345678', text: 's:12345678 src/session.ts' },
    ],
  },
  receipt: {
    id: 'rcp:12345678',
    task: task.id,
    at: '2026-01-02T11:00:00.000Z',
    manifest: { budget: 800 },
    explanation: null,
  },
  'receipt.list': {
    items: [{ id: 'rcp:12345678', task: task.id, at: '2026-01-02T11:00:00.000Z' }],
    more: true,
  },
}

/** The same value with every text in it made hostile; what has a closed set of values stays. */
export function poisoned(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return CLOSED.has(key) ? value : `${value}${HOSTILE}`
  if (Array.isArray(value)) return value.map((each) => poisoned(each, key))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, poisoned(each, name)]),
  )
}

const CLOSED = new Set(['state', 'kind', 'status', 'from', 'part'])
