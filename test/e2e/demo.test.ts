import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Machine, type Ran } from '../support/machine.ts'

const LONG_MS = 120_000

describe('the demo', () => {
  let machine: Machine
  let ran: Ran
  let repo: string
  beforeAll(async () => {
    machine = new Machine()
    ran = await machine.run(['demo'])
    repo = join(ran.out.split('\n', 1)[0] ?? '', 'av-demo')
  }, LONG_MS)
  // What is kept for people lies below TMPDIR, which is this machine's own.
  afterAll(() => machine[Symbol.asyncDispose]())

  test('ends well, tells what it does, and says where it is kept', () => {
    expect([ran.code, repo.startsWith(machine.box.dir)]).toEqual([0, true])
    expect(ran.err).toContain(`cd ${repo} && av log`)
    expect(ran.err).not.toContain('Error')
    expect(ran.err).not.toContain('Warning')
    for (const step of [
      ...['init', 'task start', 'record decision', 'checkpoint', 'pack', 'expand'],
      ...['submit', 'review show', 'approve', 'merge'],
    ]) {
      expect(ran.err).toMatch(new RegExp(`^(?:you|ada|ben)\\$ av ${step}\\b`, 'm'))
    }
  })

  test('shows no id that cannot be opened in the folder that is kept', async () => {
    const ids = [...new Set(ran.err.match(/\b(?:r|c|s|rcp):[0-9a-f]{8,}\b/g))]
    const kinds = new Set(ids.map((id) => id.split(':')[0]))
    expect([...kinds].sort()).toEqual(['c', 'r', 'rcp', 's'])
    const opened = await machine.data('expand', ids, { cwd: repo })
    expect(opened.items.map(({ id }) => id)).toEqual(ids)
    for (const id of ids.filter((each) => each.startsWith('rcp:'))) {
      const receipt = await machine.text(['receipt', id, '--explain'], { cwd: repo })
      expect(receipt).toContain('score and tier of every line agree')
    }
  })

  test('shows tasks that can be opened, by name and in its folders', async () => {
    const { items } = await machine.data('task.list', ['--all'], { cwd: repo })
    expect(items.map(({ owner, state }) => `${owner} ${state}`).sort()).toEqual([
      'ada merged',
      'ben open',
    ])
    for (const { id, workspace } of items) {
      expect(ran.err).toContain(id)
      expect((await machine.data('expand', [id], { cwd: repo })).items[0]?.id).toBe(id)
      expect(workspace).toStartWith(join(repo, '../ws/'))
      expect((await machine.data('status', [], { cwd: workspace ?? '' })).task?.id).toBe(id)
    }
  })

  test("leaves the person's checkout clean, with what was merged", () => {
    const git = (...words: string[]) => machine.box.sh(repo, 'git', ...words)
    expect(git('status', '--porcelain', '--ignored')).toBe('')
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(git('log', '--format=%an: %s')).toBe(
      'ada: Refresh sessions before they expire\nYou: A session store and two handlers\n',
    )
    expect(git('stash', 'list')).toBe('')
  })
})
