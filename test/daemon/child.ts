import { homeAt } from '../../src/api/home.ts'
import { sharedSettings } from '../../src/api/identity.ts'
import type { Build } from '../../src/api/version.ts'
import { refusalOf } from '../../src/api/wire.ts'
import { runDaemon } from '../../src/daemon/lifetime.ts'
import { asFault, Fault } from '../../src/domain/fault.ts'
import { realWorld } from '../../src/world.ts'
import { handlersWith } from './parts.ts'

/** How a test wants its daemon; the one argument of this program, as JSON. */
export type ChildOptions = {
  readonly home: string
  readonly build: Build
  readonly idleSecs: number
  readonly databaseUrl: string
  readonly port: number | null
  /** Fails to open its store, in these words. */
  readonly failsWith: string | null
  /** Dies before it can say why. */
  readonly dies: boolean
  /** Takes so long to open its store. */
  readonly opensInMs: number
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as ChildOptions)

/**
 * A daemon of its own process around the real lifetime. `repo.list` answers at once, `task.show`
 * after as many ms as its task says, `task.list` reports that the store is dead, and `log` leaves a
 * rejection behind.
 */
async function main(options: ChildOptions): Promise<void> {
  const { idleSecs, databaseUrl } = options
  if (options.dies) throw new Error('out of cheese: password=Tr0ub4dor&3xyz')
  let onFatal = (_why: string) => {}
  const handlers = handlersWith<object>({
    'repo.list': async () => ({ items: [] }),
    'task.show': async (_, { task }) => {
      await Bun.sleep(Number(task))
      throw new Fault('not_found', `Slept for ${task} ms.`, 'Nothing to do.')
    },
    'task.list': async () => {
      onFatal('PANIC')
      throw new Fault('store_unavailable', 'The store is dead.', 'Repeat the command.')
    },
    log: async () => {
      setTimeout(() => void Promise.reject(new Error('left behind')), 1)
      return { items: [], more: false }
    },
  })
  try {
    const why = await runDaemon({
      home: homeAt(options.home),
      build: options.build,
      shared: sharedSettings({ databaseUrl, leaseSecs: 1800, idleSecs }, {}),
      idleSecs,
      port: options.port,
      world: realWorld,
      host: {
        pid: process.pid,
        rssBytes: () => process.memoryUsage().rss,
        onSignal: (end) => {
          for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
            process.on(signal, () => end(signal))
        },
        onDefect: (report) => process.on('unhandledRejection', report),
      },
      open: async (around) => {
        onFatal = around.onFatal
        await Bun.sleep(options.opensInMs)
        if (options.failsWith !== null) {
          throw new Fault('store_unavailable', options.failsWith, 'Start it, then repeat.', {
            detail: { reason: 'unreachable' },
          })
        }
        const maintain = async () => around.log('maintained')
        const tidy = () => around.log('tidied')
        const close = async () => around.log('store closed')
        return { deps: {}, handlers, maintain, tidy, close }
      },
      onReady: () => {
        process.stderr.write('answers\n')
        process.stdout.write('ready\n')
      },
    })
    process.stderr.write(`${why}\n`)
    process.exit(0)
  } catch (thrown) {
    const fault = asFault(thrown)
    process.stdout.write(JSON.stringify(refusalOf(fault)))
    process.stderr.write(`${fault.message}\n`)
    process.exit(fault.exit)
  }
}
