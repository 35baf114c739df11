import { expect } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ADA, Machine, makeRepo } from '../support/machine.ts'
import { commitAll, edit, gitRepo } from '../workspace/sandbox.ts'
import type { Cases } from './error-case.ts'
import { SHOP } from './shop.ts'

/** Where a command stands: the repository, its trunk, the workspace, the tools. */
export const placeCases = {
  'not in a repository': {
    is: 'refused',
    code: 'not_found',
    says: [/nowhere is in no git or jj repository/],
    next: '-C DIR',
    provoke: async ({ machine }) => {
      const cwd = join(machine.box.dir, 'nowhere')
      mkdirSync(cwd)
      return { machine, words: ['log'], options: { cwd } }
    },
  },
  'or in one without `av init`': {
    is: 'refused',
    code: 'not_found',
    says: [/^av was not set up for .*\/strange yet/],
    next: 'Run `av init` in it',
    provoke: async ({ machine }) => {
      const root = gitRepo(machine.box, { 'a.txt': 'a\n', 'src/b.txt': 'b\n' }, 'strange')
      return { machine, words: ['task', 'start', 'x'], options: { cwd: join(root, 'src') } }
    },
  },
  'jj missing': {
    is: 'refused',
    code: 'tool_missing',
    says: ['jj 0.46.0 or newer is needed', 'none was found'],
    next: 'AV_JJ',
    provoke: async ({ machine, root }) => ({
      machine,
      words: ['task', 'start', 'A task that cannot have a folder'],
      options: { cwd: root, as: ADA, env: { AV_JJ: join(machine.box.dir, 'no-jj') } },
    }),
  },
  'or older than the minimum': {
    is: 'refused',
    code: 'tool_missing',
    says: ['jj 0.46.0 or newer is needed', '0.45.2 was found'],
    next: 'scripts/setup.sh',
    provoke: async ({ machine, root }) => {
      const old = join(machine.box.dir, 'old-jj')
      edit(machine.box.dir, { 'old-jj': '#!/bin/sh\necho "jj 0.45.2-1f2e3d"\n' })
      edit(machine.box.dir, { 'old-jj': { mode: 0o755 } })
      const options = { cwd: root, as: ADA, env: { AV_JJ: old } }
      return { machine, words: ['task', 'start', 'A task that cannot have a folder'], options }
    },
  },
  'the workspace folder was deleted': {
    is: 'refused',
    code: 'not_found',
    says: [/^The workspace folder of \S+ was deleted: .*Its last checkpoint is intact/],
    next: '`av task path`',
    provoke: async ({ machine, root, task, workspace }) => {
      edit(workspace, { 'src/sweep.ts': 'export function sweep(): void {}\n' })
      await machine.data('checkpoint', [], { cwd: workspace, as: ADA })
      rmSync(workspace, { recursive: true })
      return {
        machine,
        words: ['checkpoint'],
        options: { cwd: root, as: ADA, env: { AV_TASK: task } },
      }
    },
    after: async ({ machine, root, task, workspace }) => {
      const { path } = await machine.data('task.path', [task], { cwd: root, as: ADA })
      expect(path).toBe(workspace)
      expect(readFileSync(join(path, 'src/sweep.ts'), 'utf8')).toContain('sweep')
    },
  },
  'a path outside the repository': {
    is: 'refused',
    code: 'bad_input',
    says: ['The path "../../../etc/passwd" lies outside of the repository'],
    next: 'relative to where you stand',
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'note', 'Not ours', '--at', '../../../etc/passwd'],
      options: { cwd: workspace, as: ADA },
    }),
    after: async ({ machine, workspace }) => {
      // By the front door and by a link that leads out.
      edit(workspace, { away: { link: '/etc' } })
      for (const at of ['/etc/passwd', 'away/passwd', '.git/config', 'src/../../x']) {
        const words = ['record', 'note', 'Not ours', '--at', at, '--allow-missing']
        const refused = await machine.refusal(words, { cwd: workspace, as: ADA })
        expect([refused.code, at]).toEqual(['bad_input', at])
      }
      rmSync(join(workspace, 'away'))
    },
  },
  'a symbol that does not exist': {
    is: 'refused',
    code: 'not_found',
    says: ['There is no symbol Session.refrsh in src/session.ts'],
    next: /^Did you mean src\/session\.ts:Session\.refresh, src\/session\.ts:\S+, src\/session\.ts:\S+\?$/,
    provoke: async ({ machine, workspace }) => ({
      machine,
      words: ['record', 'note', 'Nowhere', '--at', 'src/session.ts:Session.refrsh'],
      options: { cwd: workspace, as: ADA },
    }),
    after: async ({ machine, workspace }) => {
      const words = ['record', 'note', 'Nowhere', '--at', 'src/sesion.ts']
      const refused = await machine.refusal(words, { cwd: workspace, as: ADA })
      expect(refused.message).toBe('There is no file src/sesion.ts here.')
      expect(refused.remediation).toMatch(/^Did you mean src\/session\.ts, \S+, \S+\?/)
    },
  },
  'a repository without commits': {
    is: 'survived',
    prove: async (_, made) => {
      const fresh = made.use(new Machine())
      const root = join(fresh.box.dir, 'fresh')
      mkdirSync(root)
      fresh.box.sh(root, 'git', 'init', '-q', '-b', 'main')
      expect(await fresh.data('init', [], { cwd: root })).toMatchObject({
        ...{ trunk: 'main', trunkCommit: null },
      })
      const task = await fresh.data('task.start', ['Begin'], { cwd: root, as: ADA })
      expect(task.base).toBeNull()
      const cwd = task.workspace ?? ''
      edit(cwd, { 'src/first.ts': 'export function first(): void {}\n' })
      expect(await fresh.data('checkpoint', [], { cwd, as: ADA })).toMatchObject({
        files: [{ path: 'src/first.ts', status: 'added', from: null }],
        symbols: ['src/first.ts:first'],
      })
      expect(await fresh.text(['pack'], { cwd, as: ADA })).toContain('src/first.ts')
    },
  },
  'or whose trunk has another name': {
    is: 'refused',
    code: 'bad_input',
    says: ['Which branch is trunk cannot be told', 'production', 'staging'],
    next: '--trunk',
    provoke: async ({ machine }) => ({
      machine,
      words: ['init'],
      options: { cwd: productionRepo(machine) },
    }),
    after: async ({ machine }, { options }) => {
      const init = await machine.data('init', ['--trunk', 'production'], options)
      expect(init).toMatchObject({ repo: 'other-trunk', trunk: 'production', created: true })
      const task = await machine.data('task.start', ['Begin'], { ...options, as: ADA })
      expect(task.base).toBe(init.trunkCommit)
      expect(existsSync(join(task.workspace ?? '', 'src/session.ts'))).toBe(true)
    },
  },
} as const satisfies Cases

function productionRepo(machine: Machine): string {
  const root = makeRepo(machine.box, 'plain', { ...SHOP, 'other.txt': 'o\n' }, 'other-trunk')
  machine.box.sh(root, 'git', 'branch', '-m', 'main', 'production')
  machine.box.sh(root, 'git', 'branch', 'staging')
  commitAll(machine.box, root, 'more')
  return realpathSync(root)
}
