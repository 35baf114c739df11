import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../src/domain/fault.ts'
import type { CommitId } from '../../src/domain/repo.ts'
import { pull, storedTrunk } from '../../src/workspace/attach.ts'
import { hasCommit } from '../../src/workspace/bundle.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { receiveCommit, sendCommit } from '../../src/workspace/remote-commit.ts'
import { fetchRemoteTrunk, pushedTo, pushTrunk } from '../../src/workspace/remote-trunk.ts'
import { readRevision } from '../../src/workspace/revision.ts'
import { teamFileOf } from '../../src/workspace/team-file.ts'
import { trunkCommit } from '../../src/workspace/trunk.ts'
import { adopt, begin, commitAll, edit, humanView, type Sandbox, sandbox } from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
beforeEach(() => {
  box = sandbox()
})
afterEach(() => box.remove())

type Team = { readonly bare: string; readonly clones: readonly Clone[]; readonly trunk: CommitId }

/** A bare repository with one commit, and clones of it that are set up for av. */
async function team(
  names: readonly string[],
  options: { init?: string[]; clone?: string[] } = {},
): Promise<Team> {
  const bare = join(box.dir, 'team.git')
  box.sh(box.dir, 'git', 'init', '-q', '--bare', '-b', 'main', ...(options.init ?? []), bare)
  const seed = join(box.dir, 'seed')
  box.sh(box.dir, 'git', 'init', '-q', '-b', 'main', ...(options.init ?? []), seed)
  box.sh(seed, 'git', 'remote', 'add', 'origin', `file://${bare}`)
  edit(seed, { 'a.txt': 'a\n' })
  commitAll(box, seed, 'zero')
  edit(seed, { 'b.txt': 'b\n' })
  const trunk = commitAll(box, seed, 'one')
  box.sh(seed, 'git', 'push', '-q', 'origin', 'main')
  const clones: Clone[] = []
  for (const name of names) {
    box.sh(box.dir, 'git', 'clone', '-q', ...(options.clone ?? []), `file://${bare}`, name)
    clones.push((await adopt(box, join(box.dir, name))).clone)
  }
  return { bare, clones, trunk }
}

/** A commit on `parent` in the store of a clone, as a merge makes it. */
function landing(clone: Clone, parent: CommitId, message: string): CommitId {
  const git = (...args: string[]) =>
    box.sh(clone.dir, 'git', '--git-dir', storeGit(clone), ...args).trim()
  return git('commit-tree', `${parent}^{tree}`, '-p', parent, '-m', message) as CommitId
}

const tipOf = (bare: string) => box.sh(bare, 'git', 'rev-parse', 'main').trim()

async function faultOf(doing: Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  const thrown: unknown = await doing.then(
    () => new Error('it was done'),
    (error: unknown) => error,
  )
  if (!(thrown instanceof Fault)) throw thrown
  return { code: thrown.code, message: thrown.message, next: thrown.remediation, ...thrown.detail }
}

function script(path: string, ...text: string[]): string {
  writeFileSync(path, `#!/bin/sh\n${text.join('\n')}\n`)
  chmodSync(path, 0o755)
  return path
}

test('trunk comes from the remote and goes there; nothing of the person moves', async () => {
  const { bare, clones, trunk } = await team(['ann', 'bob'])
  const [ann, bob] = clones as [Clone, Clone]
  // Hooks of the person's would tell by their traces; so would tracking branches, tags, FETCH_HEAD.
  for (const hook of ['pre-push', 'reference-transaction', 'post-merge']) {
    script(join(ann.gitDir, 'hooks', hook), `touch "${box.dir}/ran-${hook}"`, 'exit 1')
  }
  box.sh(join(box.dir, 'seed'), 'git', 'push', '-q', 'origin', 'main:refs/tags/v1')
  const view = humanView(box, 'plain', ann.root)
  const bobView = humanView(box, 'plain', bob.root)

  expect(await fetchRemoteTrunk(box.host, ann, 'origin')).toBe(trunk)
  const first = landing(ann, trunk, 'first')
  await pushTrunk(box.host, ann, 'origin', { old: trunk, commit: first })
  expect(tipOf(bare)).toBe(first)
  expect(box.sh(bare, 'git', 'for-each-ref', '--format=%(refname)')).toBe(
    'refs/heads/main\nrefs/tags/v1\n',
  )

  expect(await fetchRemoteTrunk(box.host, bob, 'origin')).toBe(first)
  const { revision } = await readRevision(box.host, bob, first, { ignoreFiles: true })
  expect(revision.parents).toEqual([trunk])
  expect(await fetchRemoteTrunk(box.host, bob, 'origin')).toBe(first)
  const second = landing(bob, first, 'second')
  await pushTrunk(box.host, bob, 'origin', { old: first, commit: second })
  expect(await fetchRemoteTrunk(box.host, ann, 'origin')).toBe(second)

  for (const clone of clones) {
    expect(await trunkCommit(box.host, clone, 'main')).toBe(trunk)
    expect(await storedTrunk(box.host, clone)).toBe(trunk)
    expect((await pull(box.host, clone)).commit).toBe(trunk)
    expect(existsSync(join(clone.gitDir, 'FETCH_HEAD'))).toBe(false)
  }
  expect(humanView(box, 'plain', ann.root)).toEqual(view)
  expect(humanView(box, 'plain', bob.root)).toEqual(bobView)
  expect(box.attempt(box.dir, 'sh', '-c', 'ls ran-*').code).not.toBe(0)
})

test('a task begins on the trunk of the team, ahead of the clone', async () => {
  const { clones } = await team(['ann'])
  const [ann] = clones as [Clone]
  const seed = join(box.dir, 'seed')
  edit(seed, { 'new.txt': 'new\n', '.av.toml': 'remote = "origin"\n' })
  const newer = commitAll(box, seed, 'two')
  box.sh(seed, 'git', 'push', '-q', 'origin', 'main')
  expect(await fetchRemoteTrunk(box.host, ann, 'origin')).toBe(newer)
  expect((await teamFileOf(box.host, ann, newer)).remote).toBe('origin')
  const { workspace } = await begin(box, ann, newer)
  expect(readFileSync(join(workspace.folder, 'new.txt'), 'utf8')).toBe('new\n')
  edit(workspace.folder, { 'new.txt': 'newer\n' })
  const taken = await checkpoint(box.host, workspace)
  expect([taken.base, taken.files]).toEqual([
    newer,
    [{ path: 'new.txt', status: 'modified', from: null }],
  ])
})

test('a trunk that is not there yet is pushed once', async () => {
  const { bare, clones, trunk } = await team(['ann'])
  const [ann] = clones as [Clone]
  box.sh(bare, 'git', 'update-ref', '-d', 'refs/heads/main')
  expect(await fetchRemoteTrunk(box.host, ann, 'origin')).toBeNull()
  await pushTrunk(box.host, ann, 'origin', { old: null, commit: trunk })
  expect(tipOf(bare)).toBe(trunk)
  const commit = landing(ann, trunk, 'next')
  expect(await faultOf(pushTrunk(box.host, ann, 'origin', { old: null, commit }))).toMatchObject({
    code: 'conflict',
    reason: 'trunk_moved',
    there: trunk,
  })
})

test('of pushes from the same trunk, exactly one wins', async () => {
  const { bare, clones, trunk } = await team(['ann', 'bob'])
  let old = trunk
  for (let round = 0; round < 3; round++) {
    for (const clone of clones) expect(await fetchRemoteTrunk(box.host, clone, 'origin')).toBe(old)
    const moves = clones.map((clone, n) => landing(clone, old, `round ${round} of ${n}`))
    const ends = await Promise.allSettled(
      clones.map((clone, n) => pushTrunk(box.host, clone, 'origin', { old, commit: moves[n]! })),
    )
    const won = ends.flatMap((end, n) => (end.status === 'fulfilled' ? [moves[n]] : []))
    const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    expect(won).toHaveLength(1)
    expect(lost.map((fault: Fault) => fault.detail.reason)).toEqual(['trunk_moved'])
    expect(tipOf(bare)).toBe(won[0]!)
    old = won[0]!
  }
  expect(box.sh(bare, 'git', 'rev-list', '--count', 'main').trim()).toBe('5')
  const late = { old: trunk, commit: landing(clones[0]!, trunk, 'late') }
  expect(await faultOf(pushTrunk(box.host, clones[0]!, 'origin', late))).toMatchObject({
    code: 'conflict',
    reason: 'trunk_moved',
    there: old,
  })
  expect(tipOf(bare)).toBe(old)
})

test('a trunk that went back is followed, and never pushed by force', async () => {
  // A home that git's lists of folders would take apart.
  box = { ...box, host: { ...box.host, home: join(box.dir, 'a:v "x" \u00fc') } }
  const { bare, clones, trunk } = await team(['ann'])
  const [ann] = clones as [Clone]
  const next = landing(ann, trunk, 'next')
  await pushTrunk(box.host, ann, 'origin', { old: trunk, commit: next })
  expect(
    await faultOf(pushTrunk(box.host, ann, 'origin', { old: next, commit: trunk })),
  ).toMatchObject({ code: 'refused_rule', reason: 'not_fast_forward' })
  expect(tipOf(bare)).toBe(next)
  box.sh(bare, 'git', 'update-ref', 'refs/heads/main', trunk)
  expect(await fetchRemoteTrunk(box.host, ann, 'origin')).toBe(trunk)
})

test.each(['pre-receive', 'update'])('a server that refuses by %s is quoted', async (hook) => {
  const { bare, clones, trunk } = await team(['ann'])
  const [ann] = clones as [Clone]
  script(
    join(bare, 'hooks', hook),
    'echo "system: main is protected; see https://joe:hunter2@example.org/rules" >&2',
    'printf "\\033[31mask a reviewer\\033[0m\\n" >&2',
    'exit 1',
  )
  const view = humanView(box, 'plain', ann.root)
  const commit = landing(ann, trunk, 'next')
  const fault = await faultOf(pushTrunk(box.host, ann, 'origin', { old: trunk, commit }))
  expect(fault).toMatchObject({ code: 'refused_rule', reason: 'push_refused', remote: 'origin' })
  expect(fault.next).toContain('pull request')
  const said = String(fault.said)
  expect(said).toContain('main is protected; see https://example.org/rules')
  expect(said).toContain('ask a reviewer')
  expect(said).toContain('hook declined')
  expect(said).not.toMatch(/hunter2|\p{Cc}|(?:^|,)system:/u)
  expect(tipOf(bare)).toBe(trunk)
  expect(await pushedTo(box.host, ann, commit)).toEqual([])
  expect(humanView(box, 'plain', ann.root)).toEqual(view)
})

test('a push whose answer was lost is found to have arrived, or not, or is not known', async () => {
  const { bare, clones, trunk } = await team(['ann'])
  const [ann] = clones as [Clone]
  const broken = script(join(box.dir, 'broken'), 'exit 1')
  const first = landing(ann, trunk, 'first')

  box.sh(ann.root, 'git', 'config', 'remote.origin.receivepack', broken)
  expect(
    await faultOf(pushTrunk(box.host, ann, 'origin', { old: trunk, commit: first })),
  ).toMatchObject({ code: 'conflict', reason: 'remote_unreachable', pushed: 'unknown' })
  expect(tipOf(bare)).toBe(trunk)

  // Everything arrives, and then the connection is gone.
  box.sh(ann.root, 'git', 'config', '--unset', 'remote.origin.receivepack')
  script(join(bare, 'hooks', 'post-receive'), 'kill -9 $PPID')
  await pushTrunk(box.host, ann, 'origin', { old: trunk, commit: first })
  expect(tipOf(bare)).toBe(first)

  box.sh(ann.root, 'git', 'config', 'remote.origin.uploadpack', broken)
  const second = landing(ann, first, 'second')
  expect(
    await faultOf(pushTrunk(box.host, ann, 'origin', { old: first, commit: second })),
  ).toMatchObject({ code: 'conflict', reason: 'remote_unreachable', pushed: 'unknown' })
  expect(tipOf(bare)).toBe(second)
})

test('a remote that does not answer, is not there, or is a folder of the repository', async () => {
  const { bare, clones, trunk } = await team(['ann'])
  const [ann] = clones as [Clone]
  const commit = landing(ann, trunk, 'next')
  box.sh(ann.root, 'git', 'remote', 'add', 'gone', 'https://joe:hunter2@127.0.0.1:1/x.git')
  const gone = await faultOf(fetchRemoteTrunk(box.host, ann, 'gone'))
  expect(gone).toMatchObject({ code: 'conflict', reason: 'remote_unreachable', remote: 'gone' })
  expect(JSON.stringify(gone)).not.toContain('hunter2')
  expect(gone.message).toMatch(/^The git remote "gone" cannot be reached: fatal: unable to access/)
  expect(await faultOf(pushTrunk(box.host, ann, 'gone', { old: trunk, commit }))).toMatchObject({
    code: 'conflict',
    reason: 'remote_unreachable',
    pushed: 'unknown',
  })

  // Repository content must not become a place to fetch from.
  box.sh(ann.root, 'git', 'clone', '-q', '--bare', bare, join(ann.root, 'folder'))
  for (const name of ['folder', './folder', `file://${bare}`, '--upload-pack=x', 'origin..', '']) {
    expect(await faultOf(fetchRemoteTrunk(box.host, ann, name))).toMatchObject({
      code: 'not_found',
      reason: 'remote_unknown',
    })
  }
})

test("the person's own settings decide where a remote is and how it is reached", async () => {
  const { bare, clones, trunk } = await team(['ann'])
  const [ann] = clones as [Clone]
  const inside = (...args: string[]) => box.sh(ann.root, 'git', 'config', ...args)
  inside('remote.up.stream.url', 'short:team.git')
  inside('remote.up.stream.mirror', 'true')
  inside('remote.up.stream.fetch', '+refs/heads/*:refs/heads/*')
  inside('remote.up.stream.push', '+refs/*:refs/*')
  inside('push.followTags', 'true')
  // Known only where the repository lies: a store of av is elsewhere.
  const file = join(box.dir, 'home', 'work.conf')
  writeFileSync(file, `[url "file://${box.dir}/"]\n\tinsteadOf = short:\n`)
  appendFileSync(
    join(box.dir, 'home', '.gitconfig'),
    `[includeIf "gitdir:${ann.root}/"]\n\tpath = ${file}\n`,
  )
  expect(await fetchRemoteTrunk(box.host, ann, 'up.stream')).toBe(trunk)
  const commit = landing(ann, trunk, 'next')
  await pushTrunk(box.host, ann, 'up.stream', { old: trunk, commit })
  expect(tipOf(bare)).toBe(commit)
  expect(await trunkCommit(box.host, ann, 'main')).toBe(trunk)
  expect(await pushedTo(box.host, ann, commit)).toEqual(['up.stream'])

  // A path relative to the checkout, as `git clone ../team.git` does not leave it, but people do.
  inside('remote.near.url', '../team.git')
  expect(await fetchRemoteTrunk(box.host, ann, 'near')).toBe(commit)
  expect(await pushedTo(box.host, ann, commit)).toEqual(['near', 'up.stream'])
})

test('what was pushed is told by the tracking branch of the person as well', async () => {
  const { clones, trunk } = await team(['ann'])
  const [ann] = clones as [Clone]
  edit(ann.root, { 'c.txt': 'c\n' })
  const commit = commitAll(box, ann.root, 'mine')
  expect(await pushedTo(box.host, ann, trunk)).toEqual(['origin'])
  expect(await pushedTo(box.host, ann, commit)).toEqual([])
  expect(await pushedTo(box.host, ann, 'f'.repeat(40) as CommitId)).toEqual([])
  box.sh(ann.root, 'git', 'push', '-q')
  expect(await pushedTo(box.host, ann, commit)).toEqual(['origin'])
})

test.each([
  ['sha256', { init: ['--object-format=sha256'] }],
  ['a shallow clone', { clone: ['--depth=1'] }],
])('%s', async (_name, options) => {
  const { bare, clones, trunk } = await team(['ann', 'bob'], options)
  const [ann, bob] = clones as [Clone, Clone]
  const commit = landing(ann, trunk, 'next')
  await pushTrunk(box.host, ann, 'origin', { old: trunk, commit })
  expect(tipOf(bare)).toBe(commit)
  expect(await fetchRemoteTrunk(box.host, bob, 'origin')).toBe(commit)
})

test('a pure jj repository', async () => {
  const { bare, trunk } = await team([])
  const root = join(box.dir, 'pure')
  mkdirSync(root)
  box.sh(root, 'jj', 'git', 'init', '--no-colocate', '.')
  const store = join(root, '.jj', 'repo', 'store', 'git')
  box.sh(root, 'jj', 'git', 'remote', 'add', 'origin', `file://${bare}`)
  box.sh(root, 'git', '--git-dir', store, 'fetch', '-q', 'origin', 'main:refs/heads/main')
  box.sh(root, 'jj', 'git', 'import')
  const { clone } = await adopt(box, root)
  const view = humanView(box, 'purejj', root)
  expect(await fetchRemoteTrunk(box.host, clone, 'origin')).toBe(trunk)
  const commit = landing(clone, trunk, 'next')
  await pushTrunk(box.host, clone, 'origin', { old: trunk, commit })
  expect(tipOf(bare)).toBe(commit)
  expect(humanView(box, 'purejj', root)).toEqual(view)
})

test("what no bundle holds travels by a ref of its own on the team's remote", async () => {
  const { bare, clones, trunk } = await team(['ann', 'bob'])
  const [ann, bob] = clones as [Clone, Clone]
  const { workspace } = await begin(box, ann, trunk)
  edit(workspace.folder, { 'big.bin': 'as if\n' })
  const { commit: tip } = await checkpoint(box.host, workspace)
  const views = clones.map((clone) => humanView(box, 'plain', clone.root))
  expect(await receiveCommit(box.host, bob, 'origin', tip)).toBe(false)
  await sendCommit(box.host, ann, 'origin', tip)
  await sendCommit(box.host, ann, 'origin', tip)
  expect(box.sh(bare, 'git', 'for-each-ref', '--format=%(refname)')).toBe(
    `refs/av/${tip}\nrefs/heads/main\n`,
  )
  expect(await receiveCommit(box.host, bob, 'origin', tip)).toBe(true)
  const started = await begin(box, bob, tip, 't2')
  expect(readFileSync(join(started.workspace.folder, 'big.bin'), 'utf8')).toBe('as if\n')
  expect(clones.map((clone) => humanView(box, 'plain', clone.root))).toEqual(views)

  // The server says no; and what others left there is looked at before jj sees it.
  const bogus = '1'.repeat(40)
  const text = box
    .sh(bare, 'git', 'cat-file', 'commit', tip)
    .replace(/\n\n/, `\njj:trees ${bogus} ${bogus} ${bogus}\n\n`)
  writeFileSync(join(box.dir, 'commit'), text)
  const write = ['hash-object', '-t', 'commit', '-w', join(box.dir, 'commit')]
  const hostile = box.sh(bare, 'git', ...write).trim() as CommitId
  box.sh(bare, 'git', 'update-ref', `refs/av/${hostile}`, hostile)
  expect(await faultOf(receiveCommit(box.host, bob, 'origin', hostile))).toMatchObject({
    code: 'internal',
    reason: 'bundle_corrupt',
  })
  expect(await hasCommit(box.host, bob, hostile)).toBe(false)
  script(join(bare, 'hooks', 'update'), 'exit 1')
  const other = landing(ann, trunk, 'other')
  expect(await faultOf(sendCommit(box.host, ann, 'origin', other))).toMatchObject({
    code: 'refused_rule',
    reason: 'push_refused',
  })
})

test("only trunk's version of the team's file counts, and only as a file", async () => {
  const { clones, trunk } = await team(['ann'])
  const [ann] = clones as [Clone]
  expect(await teamFileOf(box.host, ann, null)).toMatchObject({ remote: null, carryGlobs: null })
  expect(await teamFileOf(box.host, ann, trunk)).toMatchObject({ remote: null, warnings: [] })
  edit(ann.root, { '.av.toml': 'remote = "evil"\n' })
  expect((await teamFileOf(box.host, ann, trunk)).remote).toBeNull()
  const said = commitAll(box, ann.root, 'said')
  await pull(box.host, ann)
  expect((await teamFileOf(box.host, ann, said)).remote).toBe('evil')
  for (const other of [{ link: 'a.txt' }, `#${'x'.repeat(70_000)}`, 'remote = "a/b"\n']) {
    edit(ann.root, { '.av.toml': other })
    const commit = commitAll(box, ann.root, 'other')
    await pull(box.host, ann)
    expect(await faultOf(teamFileOf(box.host, ann, commit))).toMatchObject({
      code: 'bad_input',
      reason: 'bad_project_file',
    })
    edit(ann.root, { '.av.toml': null })
  }
})
