/**
 * A client in a process of its own that removes a workspace, for tests that kill it.
 * Arguments: the host as JSON, the clone's folder, the workspace's name.
 */
import { readClone } from '../../src/workspace/clone.ts'
import type { Host } from '../../src/workspace/host.ts'
import { findWorkspace } from '../../src/workspace/registry.ts'
import { removeWorkspace } from '../../src/workspace/remove.ts'

const [hostJson = '', cloneDir = '', name = ''] = process.argv.slice(2)
const host: Host = JSON.parse(hostJson)
const clone = readClone(cloneDir)
const workspace = clone === null ? null : findWorkspace(clone, name)
await Bun.stdout.write('begun\n')
if (workspace !== null) await removeWorkspace(host, workspace, { dropIgnored: true })
await Bun.stdout.write('removed\n')
