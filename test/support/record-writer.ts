/**
 * Opens the store in the folder given and writes records until it is killed; a line `acked <id>` follows each that the
 * store acknowledged, `ready` comes before the first. Run as a process of its own by the tests that kill it.
 */
import type { RepoId } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import { openStore } from '../../src/store/open.ts'
import { ada, newCheckpoint, newRecord, newRepo, newTask } from './store-facts.ts'

const [home = '', seed = '0'] = process.argv.slice(2)
const repo = 'repo-killed' as RepoId
const task = 'written' as TaskId

const { store } = await openStore({ databaseUrl: null, home, version: '0.0.0-test' })
if ((await store.repo(repo)) === null) await store.createRepo(newRepo({ id: repo }), ada)
if ((await store.task(repo, task)) === null)
  await store.createTask(repo, newTask({ id: task }), ada)
process.stdout.write('ready\n')

await Promise.all([0, 1, 2].map(write))

async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const digits = Bun.hash(`${seed}/${writer}/${n}`).toString(16).padStart(16, '0').repeat(2)
    const body = 'because '.repeat((n * 37) % 400)
    const { id } = await store.addRecord(repo, newRecord(task, { digits, body }), ada, 'owner')
    process.stdout.write(`acked ${id}\n`)
    if (n % 10 === 9) await store.addCheckpoint(repo, newCheckpoint(task), ada)
    if (n % 40 === 39) await store.maintain()
  }
}
