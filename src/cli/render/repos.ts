import type { Output } from '../../api/routes.ts'
import type {
  DaemonView,
  IndexView,
  InitView,
  RepoView,
  SettingView,
  StatusView,
} from '../../api/views.ts'
import { visible, visibleLine } from '../visible.ts'
import { ago, byteCount, counted, facts, id, shortCommit } from './lines.ts'
import type { Page, Rendered } from './page.ts'
import { taskHead } from './tasks.ts'

export const repoRenderers = {
  init: (view: InitView): Rendered => ({
    out: `${visibleLine(view.repo)} ${initWords(view)}, ${trunkWords(view)}\n`,
    warnings: view.warnings,
    ...(!view.dryRun && { talk: '`av task start "GOAL"` begins a task.\n' }),
  }),
  status: (view: StatusView, page: Page): Rendered => ({ out: statusText(view, page) }),
  config: ({ items }: Output<'config'>): Rendered => ({
    out: items.map((item) => `${settingLine(item)}    ${visibleLine(item.help)}\n`).join(''),
  }),
  'config.get': ({ value }: SettingView, page: Page): Rendered => ({
    out: `${page.isTty ? visibleLine(value) : value}\n`,
  }),
  'config.set': (setting: SettingView): Rendered => ({ out: settingLine(setting) }),
  'index.run': (view: IndexView): Rendered => ({ out: indexText(view) }),
  'daemon.start': daemonText,
  'daemon.stop': daemonText,
  'daemon.status': daemonText,
  'daemon.run': daemonText,
  'daemon.logs': ({ path, text }: Output<'daemon.logs'>, page: Page): Rendered => ({
    out: page.isTty ? visible(text) : text,
    talk: `From ${visibleLine(path)}${text === '' ? ', which is empty' : ''}.\n`,
  }),
  migrate: ({ store, applied, schema }: Output<'migrate'>): Rendered => ({
    out: [
      `schema ${visibleLine(schema)} in ${visibleLine(store)}, ${counted(applied.length, 'migration')} applied\n`,
      ...applied.map((name) => `  ${visibleLine(name)}\n`),
    ].join(''),
  }),
  purge: (purged: Output<'purge'>, page: Page): Rendered => ({
    out: [
      `${id(purged.id, page)} purged, at position ${purged.position}\n`,
      ...purged.remains.map((place) => `  not reached: ${visibleLine(place)}\n`),
    ].join(''),
  }),
  demo: ({ folder, steps }: Output<'demo'>): Rendered => ({
    out: `${visibleLine(folder)}\n`,
    talk: `${counted(steps, 'command')} were run there.\n`,
  }),
} as const

function initWords({ dryRun, created }: InitView): string {
  if (dryRun) return created ? 'would be set up' : 'is known; this clone would join it'
  return created ? 'is ready' : 'was known; this clone joined it'
}

function trunkWords({ trunk, trunkCommit }: RepoView): string {
  const at = trunkCommit === null ? 'without commits' : `at ${shortCommit(trunkCommit)}`
  return `trunk ${visibleLine(trunk)} ${at}`
}

function statusText(view: StatusView, page: Page): string {
  const session = view.session === null ? 'no session' : `session ${visibleLine(view.session)}`
  return [
    `${visibleLine(view.repo)} ${trunkWords(view)}\n`,
    view.task === null
      ? 'no task: this is not the workspace of one\n'
      : `${taskHead(view.task, page)}${facts([['workspace', visibleLine(view.task.workspace ?? 'none here')]])}`,
    `actor ${visibleLine(view.actor)}, ${session}\n`,
    daemonText(view.daemon, page).out,
    ...(view.degraded.length === 0
      ? []
      : [`degraded: ${view.degraded.map(visibleLine).join(', ')}\n`]),
  ].join('')
}

function indexText(view: IndexView): string {
  const { files, symbols, indexed, bytes, unparsable, leftOut } = view
  const all = `${counted(files, 'file')}, ${counted(symbols, 'symbol')} in the index`
  return `${all}, ${counted(indexed, 'file')} read just now (${byteCount(bytes)})\n${facts([
    ['as text', `${unparsable} that a grammar failed on`],
    ['left out', `${leftOut} that are ignored, binary, generated, vendored or too large`],
  ])}`
}

function daemonText(view: DaemonView, page: Page): Rendered {
  const rows = [
    ...(view.store === null ? [] : [['store', visibleLine(view.store)] as const]),
    ['home', visibleLine(view.home)] as const,
  ]
  return { out: `${daemonHead(view, page)}\n${facts(rows)}` }
}

function daemonHead(view: DaemonView, page: Page): string {
  if (!view.running) return 'daemon not running'
  return [
    'daemon running',
    ...(view.pid === null ? [] : [`pid ${view.pid}`]),
    ...(view.version === null ? [] : [`version ${visibleLine(view.version)}`]),
    ...(view.startedAt === null ? [] : [`started ${ago(view.startedAt, page)}`]),
    ...(view.rssBytes === null ? [] : [byteCount(view.rssBytes)]),
  ].join(', ')
}

function settingLine({ key, value, from }: SettingView): string {
  const shown = value === '' ? 'not set' : visibleLine(value)
  return `${visibleLine(key)} ${shown} (${FROM[from]})\n`
}

const FROM = {
  default: 'default',
  file: 'config.toml',
  env: 'environment',
} as const satisfies Record<SettingView['from'], string>
