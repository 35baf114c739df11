import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { readClone } from '../../src/workspace/clone.ts'
import { listWorkspaces } from '../../src/workspace/registry.ts'
import { adopt, begin, edit, gitRepo, humanView, lines, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

const files = Object.fromEntries(
  Array.from({ length: 200 }, (_, i) => [`d${i % 20}/f${i}.txt`, lines(10, i)]),
)
const ws = () => join(box.dir, 'ws')

/** Starts a client process; `until` is a line of its output after which `afterMs` pass, and it is killed. */
async function killed(root: string, name: string, until: string, afterMs: number): Promise<void> {
  const script = join(import.meta.dir, 'start-process.ts')
  const child = Bun.spawn({
    cmd: [process.execPath, script, JSON.stringify(box.host), root, ws(), name],
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.includes(until)) break
  }
  await Bun.sleep(afterMs)
  child.kill('SIGKILL')
  await child.exited
}

test('kill -9 at any moment of attaching: the next one finishes the work', async () => {
  const root = gitRepo(box, files)
  const before = humanView(box, 'plain', root)
  for (const afterMs of [0, 10, 20, 35, 60]) {
    await killed(root, 't0', 'begun', afterMs)
    expect(humanView(box, 'plain', root)).toEqual(before)
  }
  const { clone, trunk } = await adopt(box, root)
  const { workspace } = await begin(box, clone, trunk)
  edit(workspace.folder, { 'new.txt': 'n\n' })
  const taken = await checkpoint(box.host, workspace)
  expect(taken.files).toEqual([{ path: 'new.txt', status: 'added', from: null }])
})

test('kill -9 at any moment of starting: the same start, made again, comes through', async () => {
  const root = gitRepo(box, files)
  const { clone, trunk } = await adopt(box, root)
  const before = humanView(box, 'plain', root)
  const halfMade: boolean[] = []
  for (const [i, afterMs] of [0, 20, 40, 60, 90].entries()) {
    const name = `t${i}`
    await killed(root, name, 'attached', afterMs)
    halfMade.push(existsSync(join(clone.dir, 'workspaces', `${name}.json`)))
    const { workspace, snapshot } = await begin(box, clone, trunk, name)
    expect(snapshot).toMatchObject({ base: trunk, empty: true, attention: null })
    edit(workspace.folder, { 'new.txt': `${i}\n` })
    expect((await checkpoint(box.host, workspace)).files).toHaveLength(1)
  }
  expect(halfMade).toContain(true)
  expect(listWorkspaces(clone).map(({ name }) => name)).toEqual(['t0', 't1', 't2', 't3', 't4'])
  expect(humanView(box, 'plain', root)).toEqual(before)
})

test('two clients that attach and start the same at once make it once', async () => {
  const root = gitRepo(box, files)
  const results = await Promise.all(
    [1, 2, 3].map(async () => {
      const { clone, trunk } = await adopt(box, root)
      return begin(box, clone, trunk)
    }),
  )
  expect(new Set(results.map((one) => one.snapshot.commit)).size).toBe(1)
  const clone = readClone(results[0]!.workspace.clone.dir)
  expect(listWorkspaces(clone!)).toHaveLength(1)
})

test('eight checkpoints at once in four workspaces: each records what it was called for', async () => {
  const root = gitRepo(box, files)
  const { clone, trunk } = await adopt(box, root)
  const started = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => begin(box, clone, trunk, name)),
  )
  for (let round = 0; round < 2; round++) {
    const taken = await Promise.all(
      [...started, ...started].map(async ({ workspace }, i) => {
        edit(workspace.folder, { [`by-${i}.txt`]: `${round} ${i}\n` })
        return { i, snapshot: await checkpoint(box.host, workspace) }
      }),
    )
    for (const { i, snapshot } of taken) {
      expect(snapshot).toMatchObject({ base: trunk, attention: null, conflict: false })
      expect(snapshot.files.map((file) => file.path)).toContain(`by-${i}.txt`)
      const shown = `${snapshot.commit}:by-${i}.txt`
      const cat = ['git', '--git-dir', join(clone.dir, 'git'), 'cat-file', 'blob', shown]
      expect(box.sh(box.dir, ...cat)).toBe(`${round} ${i}\n`)
    }
  }
  const store = join(clone.dir, 'jj')
  expect(box.sh(store, 'jj', 'log', '--no-graph', '-r', 'divergent()', '-T', 'commit_id')).toBe('')
})
