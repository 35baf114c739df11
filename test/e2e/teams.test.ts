import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commitAll, edit, walk } from '../workspace/sandbox.ts'
import { TEAM, Team, whyNoTeam } from './team.ts'
import { read } from './terminal.ts'

setDefaultTimeout(120_000)

const skipped = whyNoTeam === null ? '' : ` (skipped: ${whyNoTeam})`

describe.skipIf(whyNoTeam !== null)(`a team on one Postgres${skipped}`, () => {
  let team: Team
  beforeAll(async () => {
    team = await Team.make(TEAM)
    await team.mei.person.does('init')
    expect(await team.kim.person.does('init')).toContain('was known; this clone joined it')
  })
  afterAll(() => team?.[Symbol.asyncDispose]())

  test('a task is begun at one desk, and reviewed and merged at the other', async () => {
    const { mei, kim } = team
    await mei.agent.does('task start "Sweep old sessions" --id sweep')
    await mei.agent.goesTo('sweep')
    edit(mei.agent.cwd, { 'src/sweep.ts': 'export function sweep(): void {}\n' })
    await mei.agent.does('record decision "One sweep a minute" --at src/sweep.ts:sweep')
    await mei.agent.does('submit')
    expect(await kim.person.does('review list')).toStartWith('sweep in_review, owner ada\n')
    expect(await kim.person.does('review show sweep')).toContain('One sweep a minute')
    expect(await kim.person.does('diff sweep')).toContain('\n+export function sweep(): void {}\n')
    // There is no such file at her desk: what she points at is what she looked at.
    await kim.person.does('request-changes sweep -m "How often?" --at src/sweep.ts:sweep')
    expect(await kim.person.fails('record note "There?" --task sweep --at src/swep.ts')).toEqual([
      4,
      expect.stringContaining('Did you mean src/sweep.ts'),
    ])
    expect(await mei.agent.does('review show sweep')).toContain(
      '  How often?\n  at src/sweep.ts:sweep\n  open\n',
    )
    edit(mei.agent.cwd, { 'src/sweep.ts': 'export function sweep(): void {\n  return\n}\n' })
    await mei.agent.does('submit')
    expect(await kim.person.does('review show sweep')).toContain(
      '  One sweep a minute\n  at src/sweep.ts:sweep (changed since recorded)\n',
    )
    await kim.person.does('approve sweep')
    expect(await kim.person.does('merge sweep')).toContain('  landed    as COMMIT\n')
    expect(team.history).toEqual(['init', 'Sweep old sessions'])
    // Her own branch followed what she pushed; his waits for him.
    expect(kim.git('rev-parse', 'main')).toBe(team.trunk)
    kim.git('fetch', '-q')
    expect(kim.git('status', '--porcelain', '--branch')).toBe('## main...origin/main')
    const synced = await mei.machine.data('sync', [], { cwd: mei.root })
    expect(synced).toMatchObject({ trunkCommit: team.trunk, forced: false, landed: [] })
    expect(await mei.person.does('task show sweep')).toStartWith('sweep merged, owner ada\n')
  })

  test('handed off at the one, it goes on at the other with the same files', async () => {
    const { mei, kim } = team
    await mei.agent.does('task start "Count by size" --id count', mei.root)
    await mei.agent.goesTo('count')
    edit(mei.agent.cwd, {
      'src/stock.py': 'def count(size):\n    return size\n',
      'src/legacy.ts': null,
      'bin/count': '#!/bin/sh\n',
    })
    edit(mei.agent.cwd, { 'bin/count': { mode: 0o755 } })
    await mei.agent.does('record attempt "By weight: nobody knows it" --at src/stock.py:count')
    await mei.agent.does('handoff --done "The count" --remaining "The README"')
    expect(await kim.agent.does('handoff show count')).toContain('By weight: nobody knows it')
    await kim.agent.does('claim count')
    await kim.agent.goesTo('count')
    expect(walk(kim.agent.cwd)).toEqual(walk(mei.agent.cwd))
    // From where she left it she writes no more.
    expect((await mei.agent.fails('checkpoint'))[0]).toBe(6)
    edit(kim.agent.cwd, { 'README.md': '# Shop\n\nIt counts.\n' })
    await kim.agent.does('record decision "By size" --at src/stock.py:count')
    await kim.agent.does('submit')
    await mei.person.does('review show count')
    await mei.person.does('approve count')
    await mei.person.does('merge count')
    expect(team.history.at(-1)).toBe('Count by size')
    expect(mei.git('show', 'main:README.md')).toBe('# Shop\n\nIt counts.')
  })

  test('a task on top of another travels with what it stands on', async () => {
    const { mei, kim } = team
    await mei.agent.does('task start "Prices" --id prices', mei.root)
    await mei.agent.goesTo('prices')
    edit(mei.agent.cwd, { 'src/price.ts': 'export const PRICE = 1\n' })
    await mei.agent.does('record decision "In cents" --at src/price.ts:PRICE')
    await mei.agent.does('submit')
    await mei.agent.does('task start "Rebates" --id rebates --parent prices')
    await mei.agent.goesTo('rebates')
    edit(mei.agent.cwd, { 'src/rebate.ts': 'export const REBATE = 0\n' })
    await mei.agent.does('record note "None yet" --at src/rebate.ts:REBATE')
    await mei.agent.does('handoff --remaining "A value"')
    await kim.agent.does('claim rebates', kim.root)
    await kim.agent.goesTo('rebates')
    expect(walk(kim.agent.cwd)).toEqual(walk(mei.agent.cwd))
    await mei.person.does('approve prices')
    await mei.person.does('merge prices')
    edit(kim.agent.cwd, { 'src/rebate.ts': 'export const REBATE = 2\n' })
    expect(await kim.agent.does('submit')).toContain(
      'prices was merged: the task stands on trunk now.',
    )
    await mei.person.does('approve rebates')
    await mei.person.does('merge rebates')
    expect(team.history.slice(-2)).toEqual(['Prices', 'Rebates'])
  })

  test('a push that the remote refuses changes nothing; what is merged there is recognised', async () => {
    const { mei, kim } = team
    await kim.agent.does('task start "Name the shop" --id name', kim.root)
    await kim.agent.goesTo('name')
    edit(kim.agent.cwd, { 'src/name.ts': "export const NAME = 'Shop'\n" })
    await kim.agent.does('record decision "A constant" --at src/name.ts:NAME')
    await kim.agent.does('submit')
    await mei.person.does('approve name')
    const hook = join(team.bare, 'hooks/pre-receive')
    writeFileSync(hook, '#!/bin/sh\necho "main is protected: open a pull request" >&2\nexit 1\n', {
      mode: 0o755,
    })
    const before = [team.trunk, mei.git('rev-parse', 'main'), mei.git('status', '--porcelain')]
    const refused = await mei.machine.refusal(['merge', 'name'], { cwd: mei.root })
    expect(refused).toMatchObject({ exit: 5, code: 'refused_rule' })
    expect(refused.detail).toMatchObject({ reason: 'push_refused' })
    expect(refused.remediation).toBe(
      'Merge by a pull request there, then run `av sync`, which recognises the result.',
    )
    expect([team.trunk, mei.git('rev-parse', 'main'), mei.git('status', '--porcelain')]).toEqual(
      before,
    )
    expect(await mei.person.does('task show name')).toContain('name in_review, owner ben\n')
    rmSync(hook)
    const { diff } = await mei.machine.data('diff', ['name'], { cwd: mei.root })
    const third = team.clone('third')
    writeFileSync(join(third, '.git/name.patch'), diff)
    team.box.sh(third, 'git', 'apply', '.git/name.patch')
    team.box.sh(third, 'git', 'config', 'user.name', 'Robin')
    const squashed = commitAll(team.box, third, 'Name the shop (#12)')
    edit(third, { 'src/after.ts': '' })
    commitAll(team.box, third, 'And something after it')
    team.box.sh(third, 'git', 'push', '-q', 'origin', 'main')
    const synced = await mei.machine.data('sync', [], { cwd: mei.root })
    expect(synced.landed).toEqual([{ task: 'name', commit: squashed, by: 'Robin' }])
    expect(await kim.machine.data('task.show', ['name'], { cwd: kim.root })).toMatchObject({
      ...{ state: 'merged', landed: squashed },
    })
    expect(read(mei.root, '.av.toml')).toBe(TEAM['.av.toml'])
  })

  test('two merges at once from two daemons land one after the other', async () => {
    const { mei, kim } = team
    for (const [desk, id] of [
      [mei, 'left'],
      [kim, 'right'],
    ] as const) {
      await desk.agent.does(`task start "The ${id} side" --id ${id}`, desk.root)
      await desk.agent.goesTo(id)
      edit(desk.agent.cwd, { [`src/${id}.ts`]: `export const SIDE = '${id}'\n` })
      await desk.agent.does(`record decision "The ${id} one" --at src/${id}.ts:SIDE`)
      await desk.agent.does('submit')
    }
    await mei.person.does('approve right')
    await kim.person.does('approve left')
    const before = team.history
    await Promise.all([mei.person.does('merge right'), kim.person.does('merge left')])
    expect(team.history.slice(0, -2)).toEqual([...before])
    expect(team.history.slice(-2).sort()).toEqual(['The left side', 'The right side'])
  })

  test('folders of merged tasks go when their time is over, but not with what is nowhere else', async () => {
    const { mei } = team
    const clean = join(mei.machine.workspaces, 'shop/left')
    const changed = join(mei.machine.workspaces, 'shop/sweep')
    const third = team.clone('fourth')
    edit(third, { '.av.toml': `${TEAM['.av.toml']}[policies.workspace]\nkeep_hours = 0\n` })
    commitAll(team.box, third, 'Keep no folders')
    team.box.sh(third, 'git', 'push', '-q', 'origin', 'main')
    edit(changed, { 'src/unkept.ts': 'nowhere else\n' })
    const { removed, kept } = await mei.machine.data('sync', [], { cwd: mei.root })
    expect(removed).toContain(clean)
    expect(existsSync(clean)).toBe(false)
    expect(removed).not.toContain(changed)
    expect(kept.map(({ folder }) => folder)).toContain(changed)
    expect(read(changed, 'src/unkept.ts')).toBe('nowhere else\n')
  })
})
