import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../src/domain/fault.ts'
import type { CommitId } from '../../src/domain/repo.ts'
import { bringCommit, pull } from '../../src/workspace/attach.ts'
import {
  BUNDLE_BYTES_MAX,
  type Bundle,
  hasCommit,
  makeBundle,
  takeBundle,
} from '../../src/workspace/bundle.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit, storeJj } from '../../src/workspace/clone.ts'
import { jj } from '../../src/workspace/jj.ts'
import { readRevision } from '../../src/workspace/revision.ts'
import { resolveCommit, treeOf } from '../../src/workspace/tree.ts'
import {
  adopt,
  begin,
  commitAll,
  digest,
  edit,
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

/** Two clones of one repository, each with a store of its own, and a task with a snapshot in the first. */
async function two(options: { git?: string[]; clone?: string[] } = {}) {
  const root = join(box.dir, 'one')
  box.sh(box.dir, 'git', 'init', '-q', '-b', 'main', ...(options.git ?? []), root)
  edit(root, { 'a.txt': lines(20), 'dir/b.txt': 'b\n' })
  commitAll(box, root, 'first')
  edit(root, { 'c.txt': 'c\n' })
  commitAll(box, root, 'second')
  box.sh(box.dir, 'git', 'clone', '-q', ...(options.clone ?? []), `file://${root}`, 'two')
  const one = await adopt(box, root)
  const other = await adopt(box, join(box.dir, 'two'))
  expect(other.clone.dir).not.toBe(one.clone.dir)
  expect(other.trunk).toBe(one.trunk)
  const { workspace } = await begin(box, one.clone, one.trunk)
  return { root, from: one.clone, to: other.clone, base: one.trunk!, workspace }
}

async function faultOf(doing: Promise<unknown>): Promise<{ code: string; reason: string }> {
  const thrown: unknown = await doing.then(
    () => new Error('it was done'),
    (error: unknown) => error,
  )
  if (!(thrown instanceof Fault)) throw thrown
  return { code: thrown.code, reason: thrown.detail.reason ?? '', ...thrown.detail }
}

const CORRUPT = { code: 'internal', reason: 'bundle_corrupt' }

/** All that a bundle could leave behind in a store. */
function storeView(clone: Clone) {
  const git = (...args: string[]) => box.sh(clone.dir, 'git', '--git-dir', storeGit(clone), ...args)
  return {
    refs: git('for-each-ref'),
    objects: git('cat-file', '--batch-all-objects', '--batch-check'),
    heads: box.sh(
      clone.dir,
      ...['jj', '--no-pager', '-R', storeJj(clone), '--ignore-working-copy', '--at-op', '@'],
      ...['log', '--no-graph', '-r', 'all()', '-T', 'commit_id ++ "\n"'],
    ),
  }
}

test('a task travels: the same commit, tree and change in another store, and nothing else moves', async () => {
  const { from, to, base, workspace, root } = await two()
  edit(workspace.folder, { 'a.txt': lines(21), 'new file ü.bin': Uint8Array.of(0, 255, 13, 10) })
  const { commit: tip } = await checkpoint(box.host, workspace)
  const view = humanView(box, 'plain', root)
  const refs = storeView(from).refs

  const bundle = await makeBundle(box.host, from, { base, tip })
  const bytes = readFileSync(bundle.file)
  expect(bundle).toEqual({ id: digest(bytes), base, tip, file: bundle.file, bytes: bytes.length })
  expect(bytes.length).toBeLessThan(2_000)
  expect(storeView(from).refs).toBe(refs)
  // It is a bundle as git knows them.
  const said = box.attempt(box.dir, 'git', '-C', to.root, 'bundle', 'verify', bundle.file)
  expect([said.code, said.out]).toEqual([0, expect.stringContaining(`${tip} refs/av/${tip}`)])

  expect(await hasCommit(box.host, to, tip)).toBe(false)
  const before = storeView(to)
  await takeBundle(box.host, to, bundle)
  expect(await hasCommit(box.host, to, tip)).toBe(true)
  const after = storeView(to)
  const added = after.refs.split('\n').filter((line) => !before.refs.includes(line))
  expect(added.filter((line) => !line.includes('refs/jj/keep/'))).toEqual([
    `${tip} commit\trefs/remotes/av/${tip}`,
  ])
  const [here, there] = await Promise.all(
    [from, to].map((clone) => readRevision(box.host, clone, tip, { ignoreFiles: true })),
  )
  expect(there!.revision).toEqual(here!.revision)
  const [tree, theirs] = await Promise.all(
    [from, to].map((clone) => treeOf(box.host, { gitDir: storeGit(clone) }, tip)),
  )
  expect(theirs).toBe(tree!)
  expect(readdirSync(join(to.dir, 'bundles'))).toEqual([])
  expect(humanView(box, 'plain', root)).toEqual(view)

  // Again, from nothing: what is at hand is not read a second time.
  rmSync(bundle.file)
  await takeBundle(box.host, to, bundle)
  box.sh(to.dir, 'git', '--git-dir', storeGit(to), 'fsck', '--strict', '--no-dangling')
})

test('two bundles of the same span are the same bytes in files of their own', async () => {
  // A home that git's lists of folders would take apart.
  box = { ...box, host: { ...box.host, home: join(box.dir, 'a:v "x" \u00fc') } }
  const { from, to, base, workspace } = await two()
  edit(workspace.folder, { 'a.txt': lines(22) })
  const { commit: tip } = await checkpoint(box.host, workspace)
  const [a, b] = await Promise.all([0, 1].map(() => makeBundle(box.host, from, { base, tip })))
  expect(a!.id).toBe(b!.id)
  expect(a!.file).not.toBe(b!.file)
  await Promise.all([a, b].map((bundle) => takeBundle(box.host, to, bundle!)))
  expect(await hasCommit(box.host, to, tip)).toBe(true)
})

test('a conflict travels as a conflict', async () => {
  const { root, from, to, workspace, base } = await two()
  edit(workspace.folder, { 'a.txt': lines(19, 2) })
  await checkpoint(box.host, workspace)
  edit(root, { 'a.txt': `other\n${lines(18, 3)}` })
  const trunk = commitAll(box, root, 'third')
  await pull(box.host, from)
  await jj(box.host, from, ['rebase', '-s', `roots(${base}..@)`, '-o', trunk], {
    workspace: workspace.folder,
  })
  const { commit: tip, conflict } = await checkpoint(box.host, workspace)
  expect(conflict).toBe(true)
  const bundle = await makeBundle(box.host, from, { base: trunk, tip })

  const refused = await faultOf(takeBundle(box.host, to, bundle))
  expect(refused).toMatchObject({
    code: 'conflict',
    reason: 'bundle_prerequisite',
    missing: [trunk],
  })
  box.sh(to.root, 'git', 'pull', '-q')
  await pull(box.host, to)
  await takeBundle(box.host, to, bundle)
  const { revision } = await readRevision(box.host, to, tip, { ignoreFiles: true })
  expect(revision).toMatchObject({ conflict: true, conflictedFiles: ['a.txt'], parents: [trunk] })
  const started = await begin(box, to, tip, 't2')
  expect(readFileSync(join(started.workspace.folder, 'a.txt'), 'utf8')).toContain('<<<<<<<')
})

test.each([
  ['sha256', { git: ['--object-format=sha256'] }],
  ['a shallow clone', { clone: ['--depth=1'] }],
])('%s', async (_name, options) => {
  const { from, to, base, workspace } = await two(options)
  edit(workspace.folder, { 'a.txt': lines(30), 'dir/b.txt': null })
  const { commit: tip } = await checkpoint(box.host, workspace)
  await takeBundle(box.host, to, await makeBundle(box.host, from, { base, tip }))
  const { workspace: next } = await begin(box, to, tip, 't2')
  expect(readFileSync(join(next.folder, 'a.txt'), 'utf8')).toBe(lines(30))
  expect(existsSync(join(next.folder, 'dir/b.txt'))).toBe(false)
})

test('before the first commit of trunk, the whole history travels', async () => {
  const [from, to] = await Promise.all(
    ['one', 'two'].map(async (name) => {
      box.sh(box.dir, 'git', 'init', '-q', '-b', 'main', name)
      return (await adopt(box, join(box.dir, name))).clone
    }),
  )
  const { workspace } = await begin(box, from!, null)
  edit(workspace.folder, { 'a.txt': 'a\n' })
  const { commit: tip } = await checkpoint(box.host, workspace)
  await takeBundle(box.host, to!, await makeBundle(box.host, from!, { base: null, tip }))
  expect(await hasCommit(box.host, to!, tip)).toBe(true)
})

test('a stack travels from below: what is missing is named', async () => {
  const { from, to, base, workspace } = await two()
  edit(workspace.folder, { 'a.txt': lines(40) })
  const { commit: below } = await checkpoint(box.host, workspace)
  const { workspace: child } = await begin(box, from, below, 't2')
  edit(child.folder, { 'a.txt': lines(41) })
  const { commit: above } = await checkpoint(box.host, child)
  const first = await makeBundle(box.host, from, { base, tip: below })
  const second = await makeBundle(box.host, from, { base: below, tip: above })
  const view = storeView(to)
  expect(await faultOf(takeBundle(box.host, to, second))).toMatchObject({
    code: 'conflict',
    reason: 'bundle_prerequisite',
    missing: [below],
  })
  expect(storeView(to)).toEqual(view)
  await takeBundle(box.host, to, first)
  await takeBundle(box.host, to, second)
  const { revision } = await readRevision(box.host, to, above, { ignoreFiles: true })
  expect(revision.parents).toEqual([below])
})

test('no changed byte comes in', async () => {
  const { from, to, base, workspace } = await two()
  edit(workspace.folder, { 'a.txt': lines(50, 7) })
  const { commit: tip } = await checkpoint(box.host, workspace)
  const bundle = await makeBundle(box.host, from, { base, tip })
  const good = readFileSync(bundle.file)
  const view = storeView(to)
  const rewritten = (bytes: Buffer): Bundle => {
    writeFileSync(bundle.file, bytes)
    return { ...bundle, id: digest(bytes) }
  }
  for (let n = 0; n < 24; n++) {
    const bytes = Buffer.from(good)
    const at = Math.floor((n * good.length) / 24)
    bytes[at]! ^= 1 << (n % 8)
    writeFileSync(bundle.file, bytes)
    expect(await faultOf(takeBundle(box.host, to, bundle))).toMatchObject(CORRUPT)
    const { reason } = await faultOf(takeBundle(box.host, to, rewritten(bytes)))
    expect(['bundle_corrupt', 'bundle_prerequisite']).toContain(reason)
  }
  for (const bytes of [good.subarray(0, -1), good.subarray(0, 100), Buffer.alloc(0)]) {
    expect(await faultOf(takeBundle(box.host, to, rewritten(bytes)))).toMatchObject(CORRUPT)
  }
  const other = { ...rewritten(good), tip: 'f'.repeat(40) as CommitId }
  expect(await faultOf(takeBundle(box.host, to, other))).toMatchObject(CORRUPT)
  expect(storeView(to)).toEqual(view)
  await takeBundle(box.host, to, rewritten(good))
})

/** A bundle as a hostile client would make it: any header before any objects of a repository. */
function forge(
  git: string,
  tip: CommitId,
  header: readonly string[],
  less: readonly string[] = [],
) {
  const revisions = [tip, ...less.map((commit) => `^${commit}`)].join('\n')
  const packed = Bun.spawnSync(
    ['git', '--git-dir', git, 'pack-objects', '-q', '--revs', '--thin', '--stdout'],
    { stdin: Buffer.from(`${revisions}\n`), env: { PATH: process.env.PATH } },
  )
  expect(packed.exitCode).toBe(0)
  const bytes = Buffer.concat([Buffer.from(`${header.join('\n')}\n\n`), packed.stdout])
  const file = join(box.dir, 'forged.bundle')
  writeFileSync(file, bytes)
  return { id: digest(bytes), tip, file }
}

test('a bundle brings its tip under no name but its own, and nothing beside it', async () => {
  const { from, to, base, workspace } = await two()
  edit(workspace.folder, { 'a.txt': lines(60) })
  const { commit: tip } = await checkpoint(box.host, workspace)
  const view = storeView(to)
  const own = `${tip} refs/av/${tip}`
  const headers = [
    [`-${base} `, `${tip} refs/heads/main`],
    [`-${base} `, `${tip} refs/av/trunk`],
    [`-${base} `, `${tip} HEAD`],
    [`-${base} `, own, `${base} refs/heads/main`],
    [`-${base} `, `${base} refs/heads/main`, own],
    [`-${base} x`, own],
    [own, own],
    [`-${base} `],
  ]
  for (const header of headers) {
    const forged = forge(storeGit(from), tip, ['# v2 git bundle', ...header], [base])
    expect(await faultOf(takeBundle(box.host, to, forged))).toMatchObject(CORRUPT)
  }
  for (const start of [['# v3 git bundle', '@filter=blob:none'], ['# v1 git bundle'], ['']]) {
    const forged = forge(storeGit(from), tip, [...start, `-${base} `, own], [base])
    expect(await faultOf(takeBundle(box.host, to, forged))).toMatchObject(CORRUPT)
  }
  const elsewhere = forge(storeGit(from), base, ['# v2 git bundle', `-${base} `, own])
  const swapped = { ...elsewhere, tip }
  expect(await faultOf(takeBundle(box.host, to, swapped))).toMatchObject(CORRUPT)
  expect(storeView(to)).toEqual(view)
})

test('objects that git or jj could not live with stay out', async () => {
  const { root, to, base } = await two()
  const git = join(root, '.git')
  const write = (type: string, content: Uint8Array) => {
    const args = ['--git-dir', git, 'hash-object', '-t', type, '--literally', '-w', '--stdin']
    const ran = Bun.spawnSync(['git', ...args], { stdin: content, env: { PATH: process.env.PATH } })
    return ran.stdout.toString().trim()
  }
  const blob = write('blob', Buffer.from('x\n'))
  const tree = (name: Uint8Array) =>
    write(
      'tree',
      Buffer.concat([Buffer.from('100644 '), name, Buffer.of(0), Buffer.from(blob, 'hex')]),
    )
  const commit = (of: string, headers = '', parent: string = base) => {
    const who = 'A <a@example.org> 1700000000 +0000'
    const text = `tree ${of}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n${headers}\nm\n`
    return write('commit', Buffer.from(text)) as CommitId
  }
  const good = tree(Buffer.from('fine'))
  const inside = Buffer.concat([Buffer.from('40000 side\0'), Buffer.from(good, 'hex')])
  const sides = write('tree', inside)
  const three = `jj:trees ${good} ${good} ${good}\n`
  const noTree = '1'.repeat(40)
  const hostile = {
    'not UTF-8': commit(tree(Buffer.of(0x61, 0xff))),
    'not UTF-8, in a commit between': commit(good, '', commit(tree(Buffer.of(0x61, 0xff)))),
    "git's own folder": commit(tree(Buffer.from('.git'))),
    'a way out': commit(tree(Buffer.from('..'))),
    'a path as a name': commit(tree(Buffer.from('a/../../b'))),
    'sides that are not there': commit(good, `jj:trees ${noTree} ${noTree} ${noTree}\n`),
    'sides git did not look at': commit(good, `jj:trees ${good} ${good} ${good}\n`),
    'an even number of sides': commit(sides, `jj:trees ${good} ${good}\n`),
    'sides that are no ids': commit(good, 'jj:trees x\n'),
    'names for two of three sides': commit(sides, `jj:conflict-labels a\n b\n${three}`),
    'names for five of three sides': commit(
      sides,
      `jj:conflict-labels a\n b\n c\n d\n e\n${three}`,
    ),
    'names for no sides': commit(sides, 'jj:conflict-labels a\n b\n'),
  }
  const view = storeView(to)
  for (const [name, tip] of Object.entries(hostile)) {
    const header = ['# v2 git bundle', `-${base} `, `${tip} refs/av/${tip}`]
    const refused = await faultOf(takeBundle(box.host, to, forge(git, tip, header, [base])))
    expect({ name, ...refused }).toMatchObject({ name, ...CORRUPT })
    expect(storeView(to)).toEqual(view)
  }
  // What only jj finds wrong does not stay in its way.
  const odd = commit(sides, `${three} ${good}\n`)
  const oddHeader = ['# v2 git bundle', `-${base} `, `${odd} refs/av/${odd}`]
  const refused = await faultOf(takeBundle(box.host, to, forge(git, odd, oddHeader, [base])))
  expect(refused).toMatchObject(CORRUPT)
  const left = storeView(to)
  const kept = (line: string) => !line.endsWith(`refs/jj/keep/${odd}`)
  expect(left.refs.split('\n').filter(kept)).toEqual(view.refs.split('\n'))
  expect(left.heads).toBe(view.heads)
  // The same by hand, with nothing wrong in it, is let in: it is the contents that were refused.
  const tip = commit(sides, `jj:conflict-labels a\n b\n c\n${three}`)
  const header = ['# v2 git bundle', `-${base} `, `${tip} refs/av/${tip}`]
  await takeBundle(box.host, to, forge(git, tip, header, [base]))
  expect(await hasCommit(box.host, to, tip)).toBe(true)
})

test('objects that a bundle says it needs no other commit for must all be in it', async () => {
  const { root, to, base } = await two()
  edit(root, { 'd.txt': 'd\n' })
  const middle = commitAll(box, root, 'third')
  edit(root, { 'e.txt': 'e\n' })
  const tip = commitAll(box, root, 'fourth')
  const header = ['# v2 git bundle', `-${base} `, `${tip} refs/av/${tip}`]
  const forged = forge(join(root, '.git'), tip, header, [middle])
  expect(await faultOf(takeBundle(box.host, to, forged))).toMatchObject(CORRUPT)
})

test('what is over the limit is stopped, names the files, and leaves nothing behind', async () => {
  const root = gitRepo(box, { 'a.txt': 'a\n' })
  const { clone, trunk } = await adopt(box, root)
  box.sh(root, 'git', 'checkout', '-q', '-b', 'big')
  edit(root, { 'assets/big.bin': noise(70 * 1024 * 1024), 'small.bin': noise(1_000) })
  const tip = commitAll(box, root, 'big')
  await bringCommit(box.host, clone, tip)
  expect(await faultOf(makeBundle(box.host, clone, { base: trunk, tip }))).toMatchObject({
    code: 'too_large',
    reason: 'bundle_too_large',
    limit: BUNDLE_BYTES_MAX,
    files: [
      { path: 'assets/big.bin', bytes: 70 * 1024 * 1024 },
      { path: 'small.bin', bytes: 1_000 },
    ],
  })
  expect(existsSync(join(clone.dir, 'bundles'))).toBe(false)
})

/** Bytes that do not compress, the same each time. */
function noise(length: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4))
  let state = 0x9e3779b9
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[i] = state
  }
  return new Uint8Array(words.buffer, 0, length)
}

test('objects alone are no commit at hand: a take that was cut off is done again', async () => {
  const { from, to, base, workspace } = await two()
  edit(workspace.folder, { 'a.txt': lines(70) })
  const { commit: tip } = await checkpoint(box.host, workspace)
  const bundle = await makeBundle(box.host, from, { base, tip })
  box.sh(to.dir, 'git', '--git-dir', storeGit(to), 'bundle', 'unbundle', bundle.file)
  expect(await resolveCommit(box.host, { gitDir: storeGit(to) }, tip)).toBe(tip)
  expect(await hasCommit(box.host, to, tip)).toBe(false)
  await takeBundle(box.host, to, bundle)
  expect(await hasCommit(box.host, to, tip)).toBe(true)
})
