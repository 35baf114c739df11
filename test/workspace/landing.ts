import { expect } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitId } from '../../src/domain/repo.ts'
import type { Clone } from '../../src/workspace/clone.ts'
import type { Sandbox } from './sandbox.ts'

/** Files of a landing by path: text, null to remove, a link's target. */
export type Landed = Readonly<Record<string, string | null | { readonly link: string }>>

/** A commit in the clone's store that nothing of the person's knows yet, as `av merge` makes it. */
export function landing(
  box: Sandbox,
  clone: Clone,
  parent: CommitId | null,
  files: Landed,
  message = 'task\n',
): CommitId {
  const store = join(clone.dir, 'git')
  const ref = `refs/av/landing-${++landings}`
  const changes = Object.entries(files).map(([path, to]) => {
    const name = quoted(path)
    if (to === null) return `D ${name}\n`
    const [mode, text] = typeof to === 'string' ? ['100644', to] : ['120000', to.link]
    return `M ${mode} inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`
  })
  const stream = [
    `commit ${ref}\ncommitter av <av@localhost> ${1_700_000_000 + landings} +0000\n`,
    `data ${Buffer.byteLength(message)}\n${message}\n`,
    parent === null ? '' : `from ${parent}\n`,
    // Removals first: a file may take the place of a folder.
    ...changes.sort((a, b) => (a[0] === b[0] ? 0 : a[0] === 'D' ? -1 : 1)),
  ].join('')
  const ran = Bun.spawnSync(['git', '--git-dir', store, 'fast-import', '--quiet'], {
    env: box.host.env,
    stdin: Buffer.from(stream),
  })
  if (ran.exitCode !== 0) throw new Error(ran.stderr.toString())
  const commit = box.sh(store, 'git', 'rev-parse', ref).trim() as CommitId
  box.sh(store, 'git', 'update-ref', '-d', ref)
  return commit
}

let landings = 0

/** A path as fast-import reads it. */
function quoted(path: string): string {
  const bytes = [...Buffer.from(path)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
  return `"${bytes.join('')}"`
}

export function trunkOf(box: Sandbox, clone: Clone): string | null {
  const asked = ['git', '--git-dir', clone.gitDir, 'rev-parse', '-q', '--verify', 'refs/heads/main']
  return box.attempt(box.dir, ...asked).out.trim() || null
}

/** Nothing of av is left in the git directory of a checkout. */
export function expectNoLocks(gitDir: string): void {
  const left = ['index.lock', 'av-index', 'av-index.lock', 'HEAD.lock', 'refs/heads/main.lock']
  expect(left.filter((name) => existsSync(join(gitDir, name)))).toEqual([])
}

export const readText = (...parts: string[]): string => readFileSync(join(...parts), 'utf8')
