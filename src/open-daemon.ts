import { VERSION } from './api/version.ts'
import type { DaemonView } from './api/views.ts'
import type { Settings } from './config.ts'
import { type Log, postgresLine } from './daemon/log.ts'
import { CodeIndexes } from './ops/code-indexes.ts'
import { giveBackIdle } from './ops/garbage.ts'
import { handlers } from './ops/handlers.ts'
import { SemanticSearch } from './ops/semantic.ts'
import { openStore } from './store/open.ts'
import { realWorld } from './world.ts'

/** The parts of a daemon, as the settings have them. What costs time and is not always needed is loaded when it is. */
export async function openDaemon(settings: Settings, around: Around) {
  const { store, schema } = await openStore({
    databaseUrl: settings.databaseUrl || null,
    home: settings.home,
    version: VERSION,
    onFatal: ({ message }) => around.onFatal(message),
    onLog: (line) => postgresLine(line, around.log),
  })
  let counter: Promise<(text: string) => number> | null = null
  const countTokens = () => {
    counter ??= import('./ops/tokens.ts').then(({ loadTokenCounter }) => loadTokenCounter())
    return counter
  }
  const engine = () => import('./index/engine.ts').then(({ openEngine }) => openEngine(settings))
  const note = (why: unknown) => around.log(`a pack goes without semantic search: ${why}`)
  return {
    deps: {
      ...{ store, schema, world: realWorld, leaseSecs: settings.leaseSecs, countTokens },
      ...{ indexes: new CodeIndexes(store), semantic: new SemanticSearch(store, engine, note) },
      daemon: around.daemon,
    },
    handlers,
    maintain: () => store.maintain(),
    tidy: giveBackIdle,
    close: () => store.close(),
  }
}

type Around = {
  readonly daemon: () => DaemonView
  readonly log: Log
  readonly onFatal: (why: string) => void
}
