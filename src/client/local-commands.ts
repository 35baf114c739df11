import type { SettingView } from '../api/views.ts'
import type { createRunCommand } from './commands.ts'
import type { DaemonAccess } from './daemon-access.ts'
import type { DemoShell } from './demo.ts'

/** The settings of this process, and the way to config.toml. */
export type SettingsAtHand = {
  readonly items: readonly SettingView[]
  /** By key or variable. @throws Fault `bad_input`, reason `unknown_setting` */
  readonly item: (word: string) => SettingView
  /** Writes config.toml. Gives the setting as it now counts: `from` is `env` where a variable goes before the file. */
  readonly write: (word: string, value: string) => Promise<SettingView>
}

/** Commands that ask neither a repository nor the daemon's store: settings, the daemon itself, the demo. */
export function localCommands(tools: {
  readonly access: DaemonAccess
  readonly settings: SettingsAtHand
  /** Is the daemon, in this process, until it ends. */
  readonly runDaemon: (port: number | null) => Promise<void>
  readonly demo: DemoShell
}): Parameters<typeof createRunCommand>[1] {
  const { access, settings } = tools
  const daemons = () => import('./daemon-commands.ts')
  return {
    config: async () => ({ items: settings.items }),
    'config.get': async ({ key }) => settings.item(String(key)),
    'config.set': async ({ key, value }) => settings.write(String(key), String(value)),
    'daemon.start': async () => (await daemons()).daemonStart(access),
    'daemon.stop': async () => (await daemons()).daemonStop(access),
    'daemon.status': async () => (await daemons()).daemonStatus(access),
    'daemon.logs': async ({ lines }) =>
      (await daemons()).daemonLogs(access, { lines: Number(lines) }),
    'daemon.run': async ({ port }) => {
      await tools.runDaemon(typeof port === 'number' ? port : null)
      return (await daemons()).daemonStatus(access)
    },
    demo: async () => (await import('./demo.ts')).runDemo(tools.demo),
  }
}
