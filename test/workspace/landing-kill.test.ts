import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import { pull } from '../../src/workspace/attach.ts'
import type { Clone } from '../../src/workspace/clone.ts'
import { moveTrunk } from '../../src/workspace/move-trunk.ts'
import { recoverTrunk } from '../../src/workspace/recover-trunk.ts'
import { seededWorld } from '../../src/world.ts'
import { expectNoLocks, type Landed, landing, readText, trunkOf } from './landing.ts'
import { adopt, append, edit, exists, gitRepo, lines, type Sandbox, sandbox } from './sandbox.ts'

/** A long run: `KILL_ROUNDS=60 bun test test/workspace/landing-kill.test.ts`. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 12)
const SEED = Number(process.env.KILL_SEED ?? 1)
setDefaultTimeout(60_000 + ROUNDS * 5_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

const COUNT = 100
const path = (i: number) => `d${i % 10}/f${i}.txt`

/** Landing `to` of a hundred changed, ten new and ten removed files; each round different. */
function filesOf(round: number): Landed {
  const changed = Array.from({ length: COUNT }, (_, i) => [path(i), lines(40 + (i % 9), round)])
  const made = Array.from({ length: 10 }, (_, i) => [`new${i}/r${round}.txt`, lines(20, i)])
  const gone = Array.from({ length: 10 }, (_, i) => [`new${i}/r${round - 1}.txt`, null])
  return Object.fromEntries([...changed, ...made, ...(round === 0 ? [] : gone)])
}

async function checkedOut() {
  const files = Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [path(i), lines(9, i)]))
  const root = gitRepo(box, { ...files, 'wip.txt': 'w\n', 'mine.txt': 'm\n' })
  const { clone, trunk } = await adopt(box, root)
  const first = landing(box, clone, trunk, filesOf(0))
  await moveTrunk(box.host, clone, { old: trunk, new: first, message: 'av: land' })
  append(root, 'wip.txt', 'staged\n')
  box.sh(root, 'git', 'add', 'wip.txt')
  append(root, 'wip.txt', 'on top\n')
  edit(root, { 'mine.txt': null, 'untracked.txt': 'u\n' })
  return { root, clone, first }
}

/** Starts a landing, and kills it after so many milliseconds: the client alone, or its git with it. */
async function killed(clone: Clone, from: CommitId, to: CommitId, ms: number, all: boolean) {
  const script = join(import.meta.dir, 'landing-process.ts')
  const args = [JSON.stringify(box.host), clone.dir, from, to]
  const child = Bun.spawn([process.execPath, script, ...args], {
    stdout: 'pipe',
    stderr: 'inherit',
    // A process group of its own, so that it can be killed as a whole.
    detached: true,
  })
  let said = ''
  const reading = (async () => {
    for await (const chunk of child.stdout) said += new TextDecoder().decode(chunk)
  })()
  while (!said.includes('begun')) await Bun.sleep(1)
  await Bun.sleep(ms)
  try {
    process.kill(all ? -child.pid : child.pid, 'SIGKILL')
  } catch {
    // It had come to its end.
  }
  await child.exited
  await reading
  return said.includes('landed')
}

test(`kill -9 at any moment of a landing or an undo, ${ROUNDS} times: trunk is old or new, and the files with it`, async () => {
  const { root, clone, first } = await checkedOut()
  const chance = seededWorld(SEED)
  const next = (below: number) => Number.parseInt(chance.randomHex(4), 16) % below
  const seen = new Set<string>()
  const staged = box.sh(root, 'git', 'diff', '--cached')
  let at = first
  let before: CommitId | null = null
  for (let round = 1; round <= ROUNDS; round++) {
    await pull(box.host, clone)
    const back: CommitId | null = next(3) === 0 ? before : null
    const to: CommitId = back ?? landing(box, clone, at, filesOf(round))
    const finished = await killed(clone, at, to, next(240), next(2) === 0)
    const leftLock = readdirSync(clone.gitDir).includes('index.lock')
    const outcome = await recoverTrunk(box.host, clone, { old: at, new: to })
    seen.add(finished ? 'finished' : `${outcome} ${leftLock ? 'locked' : 'free'}`)
    const told = `seed ${SEED} round ${round} ${outcome}`
    expect([told, trunkOf(box, clone)]).toEqual([told, outcome === 'landed' ? to : at])
    expect([told, box.sh(root, 'git', 'diff', '--cached')]).toEqual([told, staged])
    const status = box.sh(root, 'git', 'status', '--porcelain').split('\n').filter(Boolean)
    expect([told, ...status]).toEqual([told, ' D mine.txt', 'MM wip.txt', '?? untracked.txt'])
    expect(readText(root, 'wip.txt')).toBe('w\nstaged\non top\n')
    expect(exists(root, 'mine.txt')).toBe(false)
    expectNoLocks(clone.gitDir)
    if (outcome !== 'landed') continue
    before = back === null ? at : null
    at = to
  }
  if (ROUNDS >= 60) await Bun.stdout.write(`seen: ${[...seen].sort().join(', ')}\n`)
  expect(seen.size).toBeGreaterThan(1)
})
