import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import { pull } from '../../src/workspace/attach.ts'
import type { Clone } from '../../src/workspace/clone.ts'
import { hasReason } from '../../src/workspace/diagnosis.ts'
import type { Host } from '../../src/workspace/host.ts'
import { moveTrunk } from '../../src/workspace/move-trunk.ts'
import { recoverTrunk } from '../../src/workspace/recover-trunk.ts'
import { expectNoLocks, type Landed, landing, readText, trunkOf } from './landing.ts'
import {
  adopt,
  append,
  commitAll,
  edit,
  exists,
  gitRepo,
  humanView,
  lines,
  type Sandbox,
  sandbox,
} from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

async function ready() {
  const files = { 'a.txt': lines(30), 'b.txt': 'b\n', 'd/e.txt': 'e\n' }
  const root = gitRepo(box, files)
  const { clone, trunk } = await adopt(box, root)
  return { root, clone, trunk }
}

const to = (clone: Clone, old: CommitId | null, files: Landed) => ({
  old,
  new: landing(box, clone, old, files),
  message: 'av: land',
})

/** Somebody who acts right before av's own call of git or jj whose arguments contain `moment`. */
function meanwhile(program: 'git' | 'jj', moment: string, script: string): Host {
  const real = Bun.which(program === 'jj' ? box.host.jj : 'git', { PATH: box.host.env.PATH ?? '' })
  const folder = join(box.dir, 'bin')
  const once = join(box.dir, 'acted')
  edit(folder, {
    [program]: [
      '#!/bin/sh',
      `case "$*" in *"${moment}"*) if mkdir '${once}' 2>/dev/null; then (`,
      script,
      `) </dev/null >/dev/null 2>&1; fi;; esac`,
      `exec '${real}' "$@"`,
    ].join('\n'),
  })
  edit(folder, { [program]: { mode: 0o755 } })
  if (program === 'jj') return { ...box.host, jj: join(folder, 'jj') }
  return { ...box.host, env: { ...box.host.env, PATH: `${folder}:${box.host.env.PATH}` } }
}

test('trunk moved by another between the look and the swap: theirs stays, nothing is touched', async () => {
  const { root, clone, trunk } = await ready()
  box.sh(root, 'git', 'switch', '-q', '-c', 'side')
  append(root, 'b.txt', 'theirs\n')
  const theirs = commitAll(box, root, 'theirs')
  box.sh(root, 'git', 'switch', '-q', 'main')
  const move = to(clone, trunk, { 'a.txt': 'new\n' })
  const script = `git -C '${root}' update-ref refs/heads/main ${theirs}`
  const host = meanwhile('git', 'read-tree -m -u --no-recurse-submodules -n', script)
  await expect(moveTrunk(host, clone, move)).rejects.toMatchObject({
    code: 'conflict',
    detail: { reason: 'trunk_moved' },
  })
  expect([trunkOf(box, clone), readText(root, 'a.txt')]).toEqual([theirs, lines(30)])
  expectNoLocks(clone.gitDir)
})

test('a file edited in the very moment: trunk is taken back, the edit stays', async () => {
  const { root, clone, trunk } = await ready()
  const move = to(clone, trunk, { 'a.txt': 'new\n', 'b.txt': null, 'n/n.txt': 'n\n' })
  const script = `echo mine >> '${root}/a.txt'`
  const host = meanwhile('git', 'update-ref -m av: land', script)
  await expect(moveTrunk(host, clone, move)).rejects.toMatchObject({
    code: 'refused_rule',
    detail: { reason: 'checkout_busy' },
  })
  expect(trunkOf(box, clone)).toBe(trunk)
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe(' M a.txt\n')
  expect(readText(root, 'a.txt')).toBe(`${lines(30)}mine\n`)
  expectNoLocks(clone.gitDir)
})

test('a lock that the person removed, and another git took since, is left to that git', async () => {
  const { root, clone, trunk } = await ready()
  const lock = join(clone.gitDir, 'index.lock')
  const move = to(clone, trunk, { 'a.txt': 'new\n' })
  const script = `rm '${lock}'; printf theirs > '${lock}'`
  await moveTrunk(meanwhile('git', 'update-ref -m av: land', script), clone, move)
  expect([trunkOf(box, clone), readText(root, 'a.txt')]).toEqual([move.new, 'new\n'])
  expect(readText(lock)).toBe('theirs')
})

test('files that could be written in part only are all taken back', async () => {
  const { root, clone, trunk } = await ready()
  const whole = lines(500)
  const move = to(clone, trunk, { 'a.txt': whole, 'b.txt': null, 'n/n.txt': whole, 'z.txt': 'z' })
  const folder = join(box.dir, 'bin')
  const real = Bun.which('git', { PATH: box.host.env.PATH ?? '' })
  // As on a disk that fills up: some files are there, one half, one taken away, and git gives up.
  edit(folder, {
    git: [
      '#!/bin/sh',
      'case "$*" in *"read-tree -m -u --no-recurse-submodules -n"*) ;; *"read-tree -m -u"*)',
      `cd '${root}'; rm b.txt; mkdir n; head -c 900 '${box.dir}/whole' > n/n.txt; printf z > z.txt`,
      `rm a.txt; head -c 500 '${box.dir}/whole' > a.txt`,
      'echo "fatal: unable to write: No space left on device" >&2; exit 128;; esac',
      `exec '${real}' "$@"`,
    ].join('\n'),
  })
  edit(folder, { git: { mode: 0o755 } })
  writeFileSync(join(box.dir, 'whole'), whole)
  append(root, 'd/e.txt', 'wip\n')
  const before = humanView(box, 'plain', root)
  const host = { ...box.host, env: { ...box.host.env, PATH: `${folder}:${box.host.env.PATH}` } }
  await expect(moveTrunk(host, clone, move)).rejects.toMatchObject({
    code: 'store_unavailable',
    detail: { reason: 'disk_full' },
  })
  expect({ ...humanView(box, 'plain', root), index: '' }).toEqual({ ...before, index: '' })
  expectNoLocks(clone.gitDir)
  await moveTrunk(box.host, clone, move)
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe(' M d/e.txt\n')
})

test('a bookmark that the person of a jj repository moves in that moment: theirs wins', async () => {
  const root = join(box.dir, 'repo')
  edit(root, { 'a.txt': 'a\n' })
  box.sh(root, 'jj', 'git', 'init', '--no-colocate')
  box.sh(root, 'jj', 'commit', '-m', 'init')
  box.sh(root, 'jj', 'bookmark', 'create', 'main', '-r', '@-')
  edit(root, { 'a.txt': 'theirs\n' })
  box.sh(root, 'jj', 'commit', '-m', 'theirs')
  const theirs = box.sh(root, 'jj', 'log', '--no-graph', '-r', '@-', '-T', 'commit_id')
  const { clone, trunk } = await adopt(box, root)
  const move = to(clone, trunk, { 'n.txt': 'n\n' })
  const script = `JJ_CONFIG= '${Bun.which(box.host.jj)}' -R '${root}' bookmark set main -r ${theirs}`
  const host = meanwhile('jj', 'git import', script)
  await expect(moveTrunk(host, clone, move)).rejects.toMatchObject({
    code: 'conflict',
    detail: { reason: 'trunk_moved' },
  })
  const bookmarks = box.sh(root, 'jj', 'bookmark', 'list', '-T', 'json(self)')
  expect(JSON.parse(bookmarks)).toMatchObject({ name: 'main', target: [theirs] })
  expect(trunkOf(box, clone)).toBe(theirs)
  expect(await recoverTrunk(box.host, clone, move)).toBe('not_landed')
  expect(String((await pull(box.host, clone)).commit)).toBe(theirs)
})

test('a git of the person that is busy is waited for, and the move then made', async () => {
  const { root, clone, trunk } = await ready()
  const lock = join(clone.gitDir, 'index.lock')
  writeFileSync(lock, '')
  const move = to(clone, trunk, { 'a.txt': 'new\n' })
  const moving = moveTrunk(box.host, clone, move)
  await Bun.sleep(400)
  expect(trunkOf(box, clone)).toBe(trunk)
  rmSync(lock)
  await moving
  expect([trunkOf(box, clone), readText(root, 'a.txt')]).toEqual([move.new, 'new\n'])
})

test('one that stays busy: nothing moves, and its lock is not ours to remove', async () => {
  const { root, clone, trunk } = await ready()
  const lock = join(clone.gitDir, 'index.lock')
  const before = humanView(box, 'plain', root)
  const move = to(clone, trunk, { 'a.txt': 'new\n' })
  const refused = { code: 'conflict', detail: { reason: 'checkout_locked', folder: root } }
  const other: Sandbox = { ...box, host: { ...box.host, home: join(box.dir, 'av2') } }
  const second = await adopt(other, root)
  writeFileSync(lock, '')
  await Promise.all([
    expect(moveTrunk(box.host, clone, move)).rejects.toMatchObject(refused),
    expect(recoverTrunk(other.host, second.clone, move)).rejects.toMatchObject(refused),
  ])
  expect(exists(lock)).toBe(true)
  rmSync(lock)
  expect(humanView(box, 'plain', root)).toEqual(before)
})

test('a branch that another git is writing: nothing moves', async () => {
  const { root, clone, trunk } = await ready()
  const before = humanView(box, 'plain', root)
  const move = to(clone, trunk, { 'a.txt': 'new\n' })
  writeFileSync(join(clone.gitDir, 'refs/heads/main.lock'), '')
  await expect(moveTrunk(box.host, clone, move)).rejects.toMatchObject({
    code: 'conflict',
    detail: { reason: 'ref_locked' },
  })
  expect(humanView(box, 'plain', root)).toEqual(before)
  rmSync(join(clone.gitDir, 'refs/heads/main.lock'))
  expectNoLocks(clone.gitDir)
})

test.each(['main', 'side'])(
  'four moves at once from processes of two AV_HOMEs, on %s: exactly one wins',
  async (branch) => {
    const { root, clone, trunk } = await ready()
    if (branch === 'side') box.sh(root, 'git', 'switch', '-q', '-c', 'side')
    const other: Sandbox = { ...box, host: { ...box.host, home: join(box.dir, 'av2') } }
    const second = await adopt(other, root)
    for (let round = 0; round < 3; round++) {
      const at = (trunkOf(box, clone) ?? trunk) as CommitId
      const clients = [clone, second.clone, clone, second.clone].map((its, i) => {
        const host = its === clone ? box.host : other.host
        const files = { 'a.txt': `${round} ${i}\n`, [`by-${round}-${i}.txt`]: 'x\n' }
        return { i, new: landing(box, its, at, files), its, host }
      })
      const said = await Promise.all(
        clients.map(async (client) => {
          const script = join(import.meta.dir, 'landing-process.ts')
          const args = [JSON.stringify(client.host), client.its.dir, at, client.new]
          const child = Bun.spawn([process.execPath, script, ...args], { stderr: 'inherit' })
          return (await child.stdout.text()).split('\n')[1] ?? ''
        }),
      )
      const [winner] = clients.filter((client) => said[client.i] === 'landed')
      expect([...said].sort()).toEqual(['landed', 'trunk_moved', 'trunk_moved', 'trunk_moved'])
      expect(trunkOf(box, clone)).toBe(winner?.new ?? '')
      expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
      for (const its of [clone, second.clone]) await pull(box.host, its)
      if (branch === 'main') expect(exists(root, `by-${round}-${winner?.i}.txt`)).toBe(true)
    }
    expectNoLocks(clone.gitDir)
  },
)

test('a person who commits in a loop, and ten landings: nothing is lost, history is one line', async () => {
  const { root, clone } = await ready()
  let stop = false
  let commits = 0
  const person = (async () => {
    while (!stop) {
      edit(root, { [`human-${commits}.txt`]: `${commits}\n` })
      const add = Bun.spawn(['git', 'add', `human-${commits}.txt`], spawned(root))
      const added = (await add.exited) === 0
      const commit = Bun.spawn(['git', 'commit', '-q', '-m', `human ${commits}`], spawned(root))
      if (added && (await commit.exited) === 0) commits++
      await Bun.sleep(600)
    }
  })()
  for (let i = 0; i < 10; i++) await landWithin(clone, { [`av-${i}.txt`]: `${i}\n` }, 60)
  stop = true
  await person
  box.attempt(root, 'git', 'add', '-A')
  box.attempt(root, 'git', 'commit', '-q', '-m', 'rest')
  expect(commits).toBeGreaterThan(0)
  const tracked = box.sh(root, 'git', 'ls-tree', '-r', '--name-only', 'main').split('\n')
  for (let i = 0; i < 10; i++) expect(tracked).toContain(`av-${i}.txt`)
  for (let i = 0; i < commits; i++) expect(tracked).toContain(`human-${i}.txt`)
  expect(box.sh(root, 'git', 'rev-list', '--merges', 'main')).toBe('')
  // No commit of the person took back what had landed before it.
  expect(box.sh(root, 'git', 'log', '--diff-filter=DM', '--format=%H', 'main')).toBe('')
  expect(box.sh(root, 'git', 'status', '--porcelain')).toBe('')
  expectNoLocks(clone.gitDir)
})

const spawned = (cwd: string) =>
  ({ cwd, env: box.host.env, stdout: 'ignore', stderr: 'ignore' }) as const

/** What a merge does: pull, make the landing commit, move; again from the start when trunk moved. */
async function landWithin(clone: Clone, files: Landed, tries: number): Promise<void> {
  for (let left = tries; ; left--) {
    const { commit } = await pull(box.host, clone)
    try {
      await moveTrunk(box.host, clone, to(clone, commit, files))
      return
    } catch (thrown) {
      const moved = hasReason(thrown, 'trunk_moved', 'checkout_locked', 'ref_locked')
      if (!moved || left === 0) throw thrown
    }
  }
}
