import type { Machine } from '../support/machine.ts'
import { inDatabase } from '../support/machine-database.ts'

/** A little more than `AV_LEASE_SECS` as it is by itself. */
const LEASE_MS = 1_801_000

/** Every lease that runs on this machine lapses: its database's clock goes on by half an hour. */
export async function passLeases(machine: Machine): Promise<void> {
  await machine.data('daemon.stop')
  await inDatabase(machine, (query) =>
    query(`UPDATE clock_shift SET millis = millis + ${LEASE_MS}`),
  )
}
