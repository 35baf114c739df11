/**
 * A client in a process of its own, for tests that kill it: sets the clone up and starts a task,
 * saying how far it is.
 * Arguments: the host as JSON, the repository's root, the folder for workspaces, the task's name.
 */
import { join } from 'node:path'
import type { TaskId } from '../../src/domain/task.ts'
import { attach, pull } from '../../src/workspace/attach.ts'
import { writeClone } from '../../src/workspace/clone.ts'
import { detect } from '../../src/workspace/detect.ts'
import type { Host } from '../../src/workspace/host.ts'
import { startWorkspace } from '../../src/workspace/start.ts'
import { REPO_ID } from './sandbox.ts'

const [hostJson = '', root = '', folder = '', name = ''] = process.argv.slice(2)
const host: Host = JSON.parse(hostJson)
const clone = await writeClone(host, REPO_ID, await detect(host, root), 'main')
await Bun.stdout.write('begun\n')
await attach(host, clone)
const { commit } = await pull(host, clone)
await Bun.stdout.write('attached\n')
await startWorkspace(host, clone, {
  task: name as TaskId,
  name,
  folder: join(folder, name),
  base: commit,
  title: name,
  generation: 1,
})
await Bun.stdout.write('started\n')
