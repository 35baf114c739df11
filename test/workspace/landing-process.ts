/**
 * A client in a process of its own that moves trunk, for tests that kill it or run several at once.
 * Arguments: the host as JSON, the clone's folder, where trunk is, where it is to be ('' for none).
 * Says `begun`, and at the end `landed` or the reason of the fault.
 */

import { asFault } from '../../src/domain/fault.ts'
import type { CommitId } from '../../src/domain/repo.ts'
import { readClone } from '../../src/workspace/clone.ts'
import type { Host } from '../../src/workspace/host.ts'
import { moveTrunk } from '../../src/workspace/move-trunk.ts'

const [hostJson = '', dir = '', from = '', to = ''] = process.argv.slice(2)
const host: Host = JSON.parse(hostJson)
const clone = readClone(dir)
if (clone === null) throw new Error(`no clone in ${dir}`)
const commit = (id: string) => (id === '' ? null : (id as CommitId))
await Bun.stdout.write('begun\n')
const move = { old: commit(from), new: commit(to), message: 'av: land' }
const outcome = await moveTrunk(host, clone, move).then(
  () => 'landed',
  (thrown: unknown) => asFault(thrown).detail.reason ?? asFault(thrown).message,
)
await Bun.stdout.write(`${outcome}\n`)
