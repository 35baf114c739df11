import { statSync } from 'node:fs'
import { join } from 'node:path'
import { homeAt } from '../../src/api/home.ts'
import { sharedSettings } from '../../src/api/identity.ts'
import { BUILD_ID } from '../../src/api/version.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import { sendOver } from '../../src/client/connect.ts'
import { realWorld } from '../../src/world.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')

/** A client of the daemon of `home`, which the first call starts from these very sources. */
export function sourceDaemon(home: string): Client {
  const settings = { databaseUrl: '', leaseSecs: 86_400, idleSecs: 600 }
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: home, AV_HOME: home },
    ...{ AV_LEASE_SECS: String(settings.leaseSecs), AV_IDLE_SECS: String(settings.idleSecs) },
  }
  return createClient(
    sendOver({
      home: homeAt(home),
      build: { id: BUILD_ID, writtenAtMs: statSync(MAIN).mtimeMs, program: MAIN },
      shared: sharedSettings(settings, {}),
      world: realWorld,
      launch: { command: [process.execPath, MAIN, 'daemon', 'run', '--for-client'], env },
    }),
  )
}
