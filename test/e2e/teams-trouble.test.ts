import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../daemon/household.ts'
import { commitAll, edit, walk } from '../workspace/sandbox.ts'
import { FrailLine } from './frail-line.ts'
import { SHOP } from './shop.ts'
import { type Desk, TEAM, Team, whyNoTeam } from './team.ts'
import { read } from './terminal.ts'

setDefaultTimeout(120_000)

const skipped = whyNoTeam === null ? '' : ` (skipped: ${whyNoTeam})`

/** A task of the desk's agent, with one file of its own, submitted. */
async function submitOne({ agent, root }: Desk, id: string, file = `src/${id}.ts`): Promise<void> {
  await agent.does(`task start "Make ${id}" --id ${id}`, root)
  await agent.goesTo(id)
  edit(agent.cwd, { [file]: `export const NAME = '${id}'\n` })
  await agent.does(`record decision "It is ${id}" --at ${file}`)
  await agent.does('submit')
}

describe.skipIf(whyNoTeam !== null)(`trouble in a team${skipped}`, () => {
  let team: Team
  let line: FrailLine
  beforeAll(async () => {
    team = await Team.make(TEAM, async (url) => {
      line = await FrailLine.to(url)
      return line.through(url)
    })
    await team.mei.person.does('init')
    await team.kim.person.does('init')
  })
  afterAll(async () => {
    await team?.[Symbol.asyncDispose]()
    await line?.[Symbol.asyncDispose]()
  })

  test('a conflict met at one desk comes into the files of its owner at the other', async () => {
    const { mei, kim } = team
    await submitOne(kim, 'theirs', 'src/both.ts')
    await submitOne(mei, 'ours', 'src/both.ts')
    await mei.person.does('approve theirs')
    await mei.person.does('approve ours')
    await mei.person.does('merge ours')
    const { code, text } = await mei.person.types('merge theirs')
    expect([code, text]).toEqual([5, expect.stringContaining('theirs conflicted, owner ben\n')])
    expect(text).toContain('    on trunk: ours Make ours\n')
    expect(text).toContain('    this task: theirs Make theirs\n')
    expect(text).toContain('r:ID decision: It is ours\n')
    expect(text).toContain('r:ID decision: It is theirs\n')
    expect(await kim.agent.does('checkpoint')).toContain('the conflicts are in the files now')
    expect(read(kim.agent.cwd, 'src/both.ts')).toContain('<<<<<<<')
    expect((await kim.agent.fails('resolve'))[0]).toBe(5)
    edit(kim.agent.cwd, { 'src/both.ts': "export const NAME = 'ours and theirs'\n" })
    await kim.agent.does('resolve')
    await kim.agent.does('submit')
    await mei.person.does('approve theirs')
    await mei.person.does('merge theirs')
    expect(team.history).toEqual(['init', 'Make ours', 'Make theirs'])
  })

  test('what was pushed is not undone; a revert adds a commit at the remote', async () => {
    const { mei } = team
    const refused = await mei.machine.refusal(['undo', 'theirs'], { cwd: mei.root })
    expect(refused).toMatchObject({ exit: 5, detail: { reason: 'pushed', remotes: ['origin'] } })
    expect(refused.remediation).toContain('av revert theirs')
    await mei.person.does('revert theirs')
    expect(team.history.at(-1)).toBe('Revert "Make theirs"')
    expect(mei.git('show', 'main:src/both.ts')).toBe("export const NAME = 'ours'")
  })

  test("a lease that lapsed by the database's clock is taken over at the other desk", async () => {
    const { mei, kim } = team
    await submitOne(mei, 'silent')
    await kim.person.does('request-changes silent -m "More"')
    edit(mei.agent.cwd, { 'src/silent.ts': 'kept\n' })
    await mei.agent.does('checkpoint')
    edit(mei.agent.cwd, { 'src/silent.ts': 'never seen\n' })
    expect((await kim.agent.fails('claim silent', kim.root))[0]).toBe(5)
    await team.inDatabase('UPDATE clock_shift SET millis = 1801000')
    await kim.agent.does('claim silent', kim.root)
    await team.inDatabase('UPDATE clock_shift SET millis = 0')
    await kim.agent.goesTo('silent')
    expect(read(kim.agent.cwd, 'src/silent.ts')).toBe('kept\n')
    const before = walk(mei.agent.cwd)
    for (const words of ['checkpoint', 'submit', 'record note "Mine"', 'abandon --yes']) {
      expect([words, (await mei.agent.fails(words))[0]]).toEqual([words, 6])
    }
    expect(walk(mei.agent.cwd)).toEqual(before)
  })

  test('where the remote does not answer nothing is merged, and work goes on', async () => {
    const { mei, kim } = team
    await submitOne(kim, 'lonely')
    await mei.person.does('approve lonely')
    const before = [team.trunk, kim.git('rev-parse', 'main')]
    renameSync(team.bare, `${team.bare}.gone`)
    const refused = await kim.machine.refusal(['merge', 'lonely'], { cwd: kim.root })
    expect(refused).toMatchObject({ exit: 6, detail: { reason: 'remote_unreachable' } })
    expect(await kim.agent.does('task start "Alone" --id alone', kim.root)).toContain(
      'Trunk is taken as this clone has it.',
    )
    renameSync(`${team.bare}.gone`, team.bare)
    expect([team.trunk, kim.git('rev-parse', 'main')]).toEqual(before)
    await kim.person.does('merge lonely')
  })

  test('a trunk moved by force is followed, and said', async () => {
    const { mei, kim } = team
    const third = team.clone('third')
    team.box.sh(third, 'git', 'reset', '-q', '--hard', 'HEAD~1')
    const forced = commitAll(team.box, third, 'Something else')
    team.box.sh(third, 'git', 'push', '-q', '--force', 'origin', 'main')
    const synced = await mei.machine.data('sync', [], { cwd: mei.root })
    expect(synced).toMatchObject({ moved: true, forced: true, trunkCommit: forced })
    await submitOne(kim, 'after')
    await mei.person.does('approve after')
    // Her own branch still has what was taken off: it is left to her.
    expect(await kim.person.does('merge after')).toContain('your own branch main stays where it is')
    expect(team.history.slice(-2)).toEqual(['Something else', 'Make after'])
  })

  test('without the database nothing is written nor kept for later, and then it goes on', async () => {
    const { kim } = team
    kim.agent.cwd = kim.root
    await kim.agent.does('task start "On a frail line" --id frail')
    await kim.agent.goesTo('frail')
    await kim.agent.does('record decision "Hold on"')
    const cwd = kim.agent.cwd
    const facts = async () => {
      const log = await team.mei.machine.data('log', ['--all'], { cwd: team.mei.root })
      const task = await team.mei.machine.data('task.show', ['frail'], { cwd: team.mei.root })
      return [log.items.length, task.state, task.head]
    }
    edit(cwd, { 'src/frail.ts': 'export const FRAIL = true\n' })
    const before = await facts()
    for (const words of ['record note "Lost"', 'checkpoint', 'submit', 'claim frail']) {
      line.cut()
      const [code, text] = await kim.agent.fails(words)
      expect([words, code, text]).toEqual([words, 7, expect.stringContaining('Nothing was stored')])
      line.mend()
      expect(await facts()).toEqual(before)
    }
    // In the middle of it: before its first message to the server, its fourth, and so on.
    for (const [words, done] of [
      ['record note "Once"', async () => (await facts())[0] !== before[0]],
      ['submit', async () => (await facts())[1] === 'in_review'],
    ] as const) {
      for (let messages = 0; ; messages += 3) {
        line.cutAfter(messages)
        const { code } = await kim.agent.types(words)
        line.mend()
        if (code === 0) {
          expect(messages).toBeGreaterThan(3)
          break
        }
        expect([words, messages, code]).toEqual([words, messages, 7])
        expect(await done()).toBe(false)
      }
      expect(await done()).toBe(true)
    }
  })

  test('a merge that lost the database after its push is finished by whoever comes next', async () => {
    const { mei, kim } = team
    await submitOne(kim, 'late')
    await mei.person.does('approve late')
    const [pushed, goOn] = [join(team.bare, 'pushed'), join(team.bare, 'go-on')]
    const hook = join(team.bare, 'hooks/post-receive')
    const waits = `touch ${pushed}; while [ ! -e ${goOn} ]; do sleep 0.05; done`
    writeFileSync(hook, `#!/bin/sh\n${waits}\n`, { mode: 0o755 })
    const merging = kim.person.types('merge late')
    await until(() => existsSync(pushed))
    line.cut()
    writeFileSync(goOn, '')
    const { code, text } = await merging
    line.mend()
    rmSync(hook)
    expect([code, text]).toEqual([
      7,
      expect.stringMatching(
        /^Error: Trunk has moved by the merge of late, but .*\nHint: Run `av sync`/m,
      ),
    ])
    expect(team.history.at(-1)).toBe('Make late')
    expect(await mei.person.does('task show late')).toStartWith('late in_review, owner ben\n')
    // Her slot lapses in a minute.
    await team.inDatabase('UPDATE clock_shift SET millis = 61000')
    expect(await mei.person.does('sync')).toContain('late was left half-way, and is finished\n')
    await team.inDatabase('UPDATE clock_shift SET millis = 0')
    expect(await mei.person.does('task show late')).toStartWith('late merged, owner ben\n')
    expect(team.history.filter((subject) => subject === 'Make late')).toHaveLength(1)
  })

  test('a daemon older than the schema keeps no verdict', async () => {
    const { mei, kim } = team
    const name = '9001_from_the_future'
    await mei.person.does('approve frail')
    await team.inDatabase(
      `INSERT INTO schema_migration VALUES ('${name}', 'unknown', '9.9.9', '2031-01-01')`,
    )
    for (const words of ['approve frail', 'request-changes frail -m "No"', 'merge frail']) {
      expect([words, ...(await kim.person.fails(words))]).toEqual([
        words,
        7,
        expect.stringContaining('migrated by a newer av'),
      ])
    }
    await team.inDatabase(`DELETE FROM schema_migration WHERE name = '${name}'`)
    const { verdicts, state } = await mei.machine.data('review.show', ['frail'], { cwd: mei.root })
    expect([state, verdicts.map(({ by }) => by)]).toEqual(['in_review', ['mei']])
    await kim.person.does('merge frail')
  })
})

describe.skipIf(whyNoTeam !== null)(`a team without a remote${skipped}`, () => {
  test("trunk is one clone's branch: from another nothing is merged", async () => {
    await using team = await Team.make(SHOP)
    const { mei, kim } = team
    await mei.person.does('init')
    await kim.person.does('init')
    await submitOne(kim, 'local')
    await mei.person.does('approve local')
    const refused = await kim.machine.refusal(['merge', 'local'], { cwd: kim.root })
    expect(refused).toMatchObject({ exit: 5, code: 'refused_rule' })
    expect(refused.detail.reason).toBe('trunk_elsewhere')
    expect(refused.remediation).toContain('name a `remote` in .av.toml')
    await mei.person.does('merge local')
    expect(mei.git('log', '-1', '--format=%s')).toBe('Make local')
    expect(team.history).toEqual(['init'])
  })
})
