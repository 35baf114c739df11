import { askHealth } from '../../src/api/health.ts'
import { sharedSettings } from '../../src/api/identity.ts'
import type { Build } from '../../src/api/version.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import { sendOver } from '../../src/client/connect.ts'
import { realWorld } from '../../src/world.ts'
import { type Machine, PROGRAM } from '../support/machine.ts'

/**
 * A client of the build that runs here, for calls that no command makes.
 * @param idleSecs as the machine's own commands have it
 */
export async function clientOf(machine: Machine, idleSecs: number): Promise<Client> {
  const { home } = machine
  const build: Build | undefined = (await askHealth(home.socket))?.build
  if (build === undefined) throw new Error('no daemon answers')
  const shared = sharedSettings({ databaseUrl: '', leaseSecs: 1800, idleSecs }, {})
  const env = { HOME: machine.box.dir, AV_HOME: home.folder, AV_IDLE_SECS: String(idleSecs) }
  const launch = { command: [...PROGRAM, 'daemon', 'run', '--for-client'], env }
  return createClient(sendOver({ home, build, shared, world: realWorld, launch }))
}
