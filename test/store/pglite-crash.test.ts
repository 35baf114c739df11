import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecordId } from '../../src/domain/record.ts'
import type { RepoId } from '../../src/domain/repo.ts'
import { openStore } from '../../src/store/open.ts'

setDefaultTimeout(60_000)

const WRITER = join(import.meta.dir, '../support/record-writer.ts')
const KILLS = 50
const repo = 'repo-killed' as RepoId

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'av-crash-'))
})
afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

test('kill -9 during writes, 50 times: nothing acknowledged is lost', async () => {
  const acked: RecordId[] = []
  for (let kill = 0; kill < KILLS; kill++) acked.push(...(await writeUntilKilled(kill)))

  const { store } = await openStore({ databaseUrl: null, home, version: '0.0.0-test' })
  const kept = await store.recordsById(repo, acked)
  const { items } = await store.listRecords(repo, { all: true }, 100_000)
  const { position } = (await store.repo(repo))!
  const checkpoints = items.length + 1 - position
  await store.close()
  expect(acked.length - kept.length).toBe(0)
  expect(acked.length).toBeGreaterThan(KILLS * 5)
  expect(new Set(acked).size).toBe(acked.length)
  // Every position was taken by what is there: the task, the records and the checkpoints.
  expect(checkpoints).toBeLessThanOrEqual(0)
}, 240_000)

test('kill -9 while the folder is first made: the next one makes it whole', async () => {
  for (const delayMs of [150, 300, 450, 600]) {
    const fresh = join(home, `fresh-${delayMs}`)
    const child = Bun.spawn([process.execPath, WRITER, fresh], {
      stdout: 'ignore',
      stderr: 'inherit',
    })
    await Bun.sleep(delayMs)
    child.kill('SIGKILL')
    await child.exited
    const { store } = await openStore({ databaseUrl: null, home: fresh, version: '0.0.0-test' })
    expect((await store.repos()).length).toBeLessThanOrEqual(1)
    await store.close()
  }
})

/** Every fifth is killed wherever it is while it starts, the others in the midst of their writes. */
async function writeUntilKilled(kill: number): Promise<RecordId[]> {
  const child = Bun.spawn([process.execPath, WRITER, home, `${kill}`], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const isStarting = kill % 5 === 4
  const enough = isStarting ? Number.POSITIVE_INFINITY : 1 + ((kill * 7) % 12)
  if (isStarting) setTimeout(() => child.kill('SIGKILL'), 100 + kill * 9)
  const acked: RecordId[] = []
  for await (const line of linesOf(child.stdout)) {
    if (line.startsWith('acked ')) acked.push(line.slice('acked '.length) as RecordId)
    if (acked.length === enough) child.kill('SIGKILL')
  }
  await child.exited
  return acked
}

/** Whole lines; the one that the kill cut off was acknowledged to nobody. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
