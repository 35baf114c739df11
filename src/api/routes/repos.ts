import { z } from 'zod'
import { arg, flag, supplied, text } from '../field.ts'
import { type Route, returns } from '../route.ts'
import type {
  DaemonView,
  IndexView,
  InitView,
  RepoView,
  SettingView,
  StatusView,
} from '../views.ts'

export const hex = () => z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/)
export const repo = () => supplied(text(64), 'Id of the repo.')

export const repoRoutes = {
  init: {
    summary: 'Make av ready for the repository you stand in.',
    group: 'repo',
    mcp: false,
    input: () =>
      z.strictObject({
        trunk: arg(text(200).optional(), {
          description: 'Name of the trunk branch, when it cannot be told.',
          value: 'NAME',
        }),
        name: arg(text(64).optional(), {
          description: "The repo's name; the folder's when left out.",
          value: 'NAME',
        }),
        dryRun: arg(flag(), { description: 'Say what would be done, and do nothing.' }),
        known: supplied(text(64).nullable(), 'The repo this clone belongs to already.'),
        folder: supplied(text(255), 'Name of the folder it lies in.'),
        rootCommits: supplied(z.array(hex()).max(100), 'Commits of trunk without parents.'),
        remotes: supplied(
          z.record(z.string(), z.string()),
          'Remotes by name, without credentials.',
        ),
        trunkName: supplied(text(200), 'The trunk branch found.'),
        trunkCommit: supplied(hex().nullable(), 'Where trunk is.'),
        clone: supplied(text(100), 'Which clone this is.'),
      }),
    output: returns<InitView>(),
  },
  status: {
    summary: 'Where you stand: repository, task, daemon.',
    group: 'repo',
    mcp: true,
    input: () =>
      z.strictObject({
        repo: repo(),
        task: supplied(text(64).nullable(), 'The task whose workspace one stands in.'),
      }),
    output: returns<StatusView>(),
  },
  'repo.list': {
    summary: 'The repos this store knows.',
    group: null,
    mcp: false,
    input: () => z.strictObject({}),
    output: returns<{ readonly items: readonly RepoView[] }>(),
  },
  config: {
    summary: 'Every setting, its value, and where the value comes from.',
    group: 'repo',
    mcp: false,
    local: true,
    input: () => z.strictObject({}),
    output: returns<{ readonly items: readonly SettingView[] }>(),
  },
  'config.get': {
    summary: "One setting's value.",
    group: 'repo',
    mcp: false,
    local: true,
    input: () =>
      z.strictObject({ key: arg(text(64), { description: 'The setting.', positional: true }) }),
    output: returns<SettingView>(),
  },
  'config.set': {
    summary: 'Write a setting to config.toml.',
    group: 'repo',
    mcp: false,
    local: true,
    input: () =>
      z.strictObject({
        key: arg(text(64), { description: 'The setting.', positional: true }),
        value: arg(z.string().max(4_000), { description: 'Its value.', positional: true }),
      }),
    output: returns<SettingView>(),
  },
  'index.run': {
    summary: 'Bring the index of the code you stand in up to date.',
    group: 'repo',
    mcp: false,
    local: true,
    input: () => z.strictObject({}),
    output: returns<IndexView>(),
  },
  'daemon.start': {
    summary: 'Start the daemon; every command does so by itself.',
    group: 'store',
    mcp: false,
    local: true,
    input: () => z.strictObject({}),
    output: returns<DaemonView>(),
  },
  'daemon.stop': {
    summary: 'Stop the daemon of this AV_HOME.',
    group: 'store',
    mcp: false,
    local: true,
    input: () => z.strictObject({}),
    output: returns<DaemonView>(),
  },
  'daemon.status': {
    summary: 'Whether the daemon runs, and on what.',
    group: 'store',
    mcp: false,
    local: true,
    input: () => z.strictObject({}),
    output: returns<DaemonView>(),
  },
  'daemon.logs': {
    summary: "The end of the daemon's log.",
    group: 'store',
    mcp: false,
    local: true,
    input: () =>
      z.strictObject({
        lines: arg(z.int().min(1).max(10_000).default(100), { description: 'How many lines.' }),
      }),
    output: returns<{ readonly path: string; readonly text: string }>(),
  },
  'daemon.run': {
    summary: 'Run the daemon in the foreground.',
    group: 'store',
    mcp: false,
    local: true,
    input: () =>
      z.strictObject({
        port: arg(z.int().min(0).max(65_535).optional(), {
          description: 'Listen on 127.0.0.1 as well, with a bearer token; 0 takes a free port.',
        }),
      }),
    output: returns<DaemonView>(),
  },
  migrate: {
    summary: "Bring the store's schema up to date, and say where it is.",
    group: 'store',
    mcp: false,
    input: () => z.strictObject({}),
    output: returns<{
      readonly store: string
      readonly applied: readonly string[]
      readonly schema: string
    }>(),
  },
  purge: {
    summary: 'Replace the text of a record, convention or task by a mark, forever.',
    group: 'store',
    mcp: false,
    input: () =>
      z.strictObject({
        id: arg(text(64), { description: 'A record, convention or task.', positional: true }),
        yes: arg(flag(), { description: 'Do not ask.', short: 'y' }),
        repo: repo(),
      }),
    output: returns<{
      readonly id: string
      readonly position: number
      /** What a purge cannot reach. */
      readonly remains: readonly string[]
    }>(),
  },
  demo: {
    summary: 'See av at work: a small repository, two agents, each step explained.',
    group: 'people',
    mcp: false,
    local: true,
    input: () => z.strictObject({}),
    output: returns<{ readonly folder: string; readonly steps: number }>(),
  },
} as const satisfies Record<string, Route>
