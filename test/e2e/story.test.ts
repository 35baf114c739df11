import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ADA, BEN, Machine, makeRepo } from '../support/machine.ts'
import { commitAll, edit } from '../workspace/sandbox.ts'
import { passLeases } from './leases.ts'
import { SHOP } from './shop.ts'
import { person, read, replace, Terminal } from './terminal.ts'

setDefaultTimeout(120_000)

/** One repository, two agents and a person: each chapter goes on from where the one before left it. */
describe('the story of a day', () => {
  let machine: Machine
  let root: string
  let mei: Terminal
  let ada: Terminal
  let ben: Terminal
  /** Ada's and Ben's folders, by task. */
  const folder: Record<string, string> = {}
  const git = (...words: string[]) => machine.box.sh(root, 'git', ...words).trim()

  beforeAll(() => {
    machine = new Machine()
    root = makeRepo(machine.box, 'plain', SHOP)
    mei = person(machine, root)
    ada = new Terminal(machine, ADA, root)
    ben = new Terminal(machine, BEN, root)
  })
  afterAll(() => machine[Symbol.asyncDispose]())

  test('two agents start beside each other, on the same files', async () => {
    await mei.does('init')
    expect(await ada.does('task start "Refresh sessions early" --id early')).toStartWith(
      'early open, owner ada\n  Refresh sessions early\n  workspace  ',
    )
    await ben.does('task start "Sign everybody out at once" --id sign-out')
    await ada.goesTo('early')
    folder.signOut = await ben.goesTo('sign-out')
    replace(ada.cwd, 'src/session.ts', 'now >= this.expiresAt', 'now >= this.expiresAt - 30_000')
    edit(ben.cwd, { 'src/api/sign-out.ts': 'export function signOut(): void {}\n' })
    expect(existsSync(join(ada.cwd, 'src/api/sign-out.ts'))).toBe(false)
    expect(read(root, 'src/session.ts')).toBe(String(SHOP['src/session.ts']))
  })

  test('nothing is submitted that does not say why', async () => {
    expect(await ada.fails('submit')).toEqual([
      5,
      `Error: No record tells why early is as it is. Not covered: src/session.ts:Session, src/session.ts:Session.refresh.
Hint: Keep a decision, a dead end or a note first: \`av record decision "…" --at PATH:SYMBOL\`.
`,
    ])
    await ada.does('record attempt "One timer per session: too many timers" --at src/session.ts')
    const decision = 'record decision "30 s early: the clocks of our hosts drift apart"'
    await ada.does(`${decision} --at src/session.ts:Session.refresh`)
    expect(await ada.does('submit')).toStartWith('early in_review, owner ada\n')
    expect(await ada.does('attest unit --exit 0 --command "bun test"')).toBe(
      'early unit passed, on COMMIT, says ada, bun test\n',
    )
  })

  test('a person reviews: the why, points, checks; asks for a change, and approves the second state', async () => {
    expect(await mei.does('review list')).toBe(`early in_review, owner ada
  Refresh sessions early
  1 file, 2 symbols; not approved; waiting since NOW
`)
    expect(await mei.does('diff early')).toContain('\n+    if (now >= this.expiresAt - 30_000) {\n')
    await mei.does(
      'request-changes early -m "Name the 30 seconds" --at src/session.ts:Session.refresh',
    )
    const [point] = (await machine.data('review.show', ['early'], { cwd: root })).threads
    const id = point?.root.id ?? ''
    await ada.does(`record note "MARGIN_MS it is" --reply-to ${id}`)
    replace(ada.cwd, 'src/session.ts', '- 30_000', '- MARGIN_MS')
    edit(ada.cwd, {
      'src/session.ts': `${read(ada.cwd, 'src/session.ts')}export const MARGIN_MS = 30_000\n`,
    })
    await ada.does('submit')
    // She saw another state: what she approves is what she looked at.
    expect(await mei.fails('approve early')).toEqual([
      5,
      expect.stringContaining('early changed since you looked at it'),
    ])
    const shown = await mei.does('review show early')
    expect(shown).toContain('30 s early: the clocks of our hosts drift apart')
    expect(shown).toContain('\nPoints\nr:ID review, mei, NOW, early\n  Name the 30 seconds\n')
    expect(shown).toContain('  open\n    ada: MARGIN_MS it is\n')
    expect(shown).toContain('\nChecks\n  unit passed, on COMMIT, says ada, bun test, NOW\n')
    expect(await mei.does(`review resolve ${id}`)).toBe('r:ID resolved\n  Name the 30 seconds\n')
    expect(await mei.does('approve early -m "Good."')).toContain('  approved  by mei\n')
    expect(await ada.fails('approve early')).toEqual([5, expect.stringContaining('own')])
  })

  test('her approval survives that trunk moved in another file', async () => {
    edit(root, { 'src/legacy.ts': null })
    commitAll(machine.box, root, 'The old login goes')
    expect(await ada.does('merge')).toBe(`early merged, owner ada
  Refresh sessions early
  approved  by mei
  landed    as COMMIT
Trunk had moved; the approval carried: the patch is the same.
`)
    expect(git('log', '-1', '--format=%an <%ae>%n%B')).toBe(`ada <av@localhost>
Refresh sessions early

Decisions:
- 30 s early: the clocks of our hosts drift apart

Dead ends:
- One timer per session: too many timers

Av-Task: early`)
    expect(read(root, 'src/session.ts')).toContain('- MARGIN_MS')
    expect(git('status', '--porcelain')).toBe('')
  })

  test('Ben hands his task off, and Ada takes it up where he left it', async () => {
    await ben.does(
      'record decision "Sign-out ends all sessions of a user" --at src/api/sign-out.ts',
    )
    const said = await ben.does(
      'handoff --done "The call" --remaining "A line in the README" --open "Who may call it?"',
    )
    expect(said).toStartWith('sign-out handed_off, owner ben\n')
    expect(said).toContain('Sign-out ends all sessions of a user')
    expect(said).toContain('A line in the README')
    expect(await ada.does('claim sign-out', root)).toContain(
      'claim      generation 2, after ben who held it since NOW\n',
    )
    folder.signOut2 = await ada.goesTo('sign-out')
    expect(folder.signOut2).toBe(`${folder.signOut}.g2`)
    expect(read(ada.cwd, 'src/api/sign-out.ts')).toBe('export function signOut(): void {}\n')
    // What he types from his folder now reaches nothing.
    edit(folder.signOut ?? '', { 'src/api/sign-out.ts': 'late\n' })
    expect(await ben.fails('checkpoint')).toEqual([
      6,
      `Error: claim lost: sign-out is no longer yours to write to; ada holds it since THEN, in generation 2.
Hint: Nothing was stored, and what you changed on disk stays where it is. See \`av task show sign-out\`.
`,
    ])
    expect(read(folder.signOut ?? '', 'src/api/sign-out.ts')).toBe('late\n')
  })

  test('an overlap in a text file is carried over as well', async () => {
    replace(ada.cwd, 'README.md', 'by themselves.', 'by themselves, or by sign-out.')
    await ada.does('submit')
    await mei.does('approve sign-out')
    replace(root, 'README.md', '## Sessions', '## Sessions of users')
    commitAll(machine.box, root, 'A better heading')
    expect(await mei.does('merge sign-out')).toContain(
      'The approval carried over an overlap in README.md.\n',
    )
    expect(read(root, 'README.md')).toContain('of users\n\nThey end by themselves, or by sign-out.')
  })

  test('one on a line beside the change is not: somebody has to look again', async () => {
    ada.cwd = root
    await ada.does('task start "Ended sessions never come back" --id ended')
    await ada.goesTo('ended')
    replace(ada.cwd, 'src/session.ts', 'this.expiresAt = 0', 'this.expiresAt = -1')
    await ada.does('record decision "Zero is a time" --at src/session.ts:Session.end')
    await ada.does('submit')
    await mei.does('approve ended')
    replace(root, 'src/session.ts', '  end(', '  /** For good. */\n  end(')
    const before = commitAll(machine.box, root, 'Say what end does')
    expect(await mei.fails('merge ended')).toEqual([
      5,
      `Error: The approval of ended does not hold on trunk as it is now. On the new trunk the change differs in a file that is not in carry_globs (src/session.ts).
Hint: Somebody is to look again: \`av review show ended\`, then \`av approve ended\`.
`,
    ])
    expect(git('rev-parse', 'main')).toBe(before)
    expect(await mei.does('review show ended')).toContain('  approval    void: ')
    await mei.does('approve ended')
    expect(await mei.does('merge ended')).toStartWith('ended merged, owner ada\n')
  })

  test('a lease that runs protects its owner; a lapsed one does not, and nothing of theirs is lost', async () => {
    ben.cwd = root
    await ben.does('task start "Count what is there" --id count')
    folder.count = await ben.goesTo('count')
    replace(ben.cwd, 'src/stock.py', 'return 1', 'return 2')
    await ben.does('record attempt "A counter in the database: too slow" --at src/stock.py:count')
    expect(await ada.fails('claim count', root)).toEqual([
      5,
      expect.stringMatching(/^Error: count is open and ben's until THEN: a lease is running\.$/m),
    ])
    await passLeases(machine)
    expect(await ada.does('claim count', root)).toContain('generation 2, after ben')
    await ada.goesTo('count')
    expect(ada.cwd).toBe(`${folder.count}.g2`)
    // What he never checkpointed came along.
    expect(read(ada.cwd, 'src/stock.py')).toContain('return 2')
    expect((await ben.fails('record note "Mine still"'))[0]).toBe(6)
    await ada.does('record decision "Two is what we have" --at src/stock.py:count')
    await ada.does('submit')
    await mei.does('approve count')
  })

  test('two sides of one line: trunk stays as it was, and both sides tell why', async () => {
    ben.cwd = root
    await ben.does('task start "Count three" --id three')
    await ben.goesTo('three')
    replace(ben.cwd, 'src/stock.py', 'return 1', 'return 3')
    await ben.does('record decision "Three by the last delivery" --at src/stock.py:count')
    await ben.does('submit')
    await mei.does('approve three')
    await mei.does('merge three')
    const before = git('rev-parse', 'main')
    const { code, text } = await mei.types('merge count')
    expect([code, text]).toEqual([
      5,
      `count conflicted, owner ada
  Count what is there
  approval   void: it conflicts with trunk
  conflicts  src/stock.py
  conflict  src/stock.py
    this task: count Count what is there
    on trunk: three Count three
    r:ID decision: Three by the last delivery
    r:ID decision: Two is what we have
    r:ID attempt: A counter in the database: too slow
Trunk is as it was. Its owner resolves the conflicts in the files, then runs \`av resolve\`.
`,
    ])
    expect(git('rev-parse', 'main')).toBe(before)
    expect(read(ada.cwd, 'src/stock.py')).toContain('<<<<<<<')
  })

  test('it is resolved by its owner, and not while a marker is left', async () => {
    expect(await ada.fails('resolve')).toEqual([
      5,
      `Error: Conflicts, or markers left from one, are in src/stock.py.
Hint: Resolve them in the workspace, take the markers out, and run the command again.
`,
    ])
    edit(ada.cwd, { 'src/stock.py': 'def count():\n    return 3 + 2\n' })
    expect(await ada.does('resolve')).toContain('count open, owner ada\n')
    await ada.does('submit')
    expect(await mei.fails('merge count')).toEqual([5, expect.stringContaining('not approved')])
    await mei.does('approve count')
    await mei.does('merge count')
    expect(read(root, 'src/stock.py')).toContain('return 3 + 2')
  })

  test('an undo takes the tip back and keeps the approval; a revert adds a commit', async () => {
    const before = git('rev-parse', 'main~1')
    expect(await mei.does('undo count')).toContain('count in_review, owner ada\n')
    expect(git('rev-parse', 'main')).toBe(before)
    expect(read(root, 'src/stock.py')).toContain('return 3\n')
    await mei.does('merge count')
    expect(await mei.fails('undo three')).toEqual([
      5,
      expect.stringContaining('`av revert three` adds a commit that takes it back.'),
    ])
    expect(await mei.does('revert count')).toContain('count merged, owner ada, reverted\n')
    expect(read(root, 'src/stock.py')).toContain('return 3\n')
    expect(git('log', '-1', '--format=%s')).toBe('Revert "Count what is there"')
  })

  test('a task on top of another moves to trunk when that one is merged', async () => {
    ada.cwd = root
    await ada.does('task start "Sweep old sessions" --id sweep')
    await ada.goesTo('sweep')
    edit(ada.cwd, { 'src/sweep.ts': 'export function sweep(): void {}\n' })
    await ada.does('record decision "One sweep a minute" --at src/sweep.ts:sweep --allow-missing')
    await ada.does('submit')
    await ben.does('task start "Tell how many were swept" --id swept --parent sweep', root)
    await ben.goesTo('swept')
    edit(ben.cwd, { 'src/sweep.ts': 'export function sweep(): number {\n  return 0\n}\n' })
    await ben.does('record decision "A number is enough" --at src/sweep.ts:sweep')
    await mei.does('approve sweep')
    await mei.does('merge sweep')
    expect(await ben.does('checkpoint')).toContain(
      'sweep was merged: the task stands on trunk now.\n',
    )
    const { base } = await machine.data('task.show', ['swept'], { cwd: root })
    expect(base).toBe(git('rev-parse', 'main'))
    await ben.does('submit')
    await mei.does('approve swept')
    await mei.does('merge swept')
  })

  test('what is given up can be taken up again from its last state', async () => {
    ben.cwd = root
    await ben.does('task start "A cache for counts" --id cache')
    const gone = await ben.goesTo('cache')
    edit(ben.cwd, { 'src/cache.py': 'CACHE = {}\n' })
    await ben.does('record attempt "It is never fresh" --at src/cache.py')
    expect(await ben.fails('abandon')).toEqual([2, expect.stringContaining('Say --yes')])
    const text = await ben.does('abandon --yes')
    expect(text).toContain('cache abandoned, owner ben\n')
    expect(existsSync(gone)).toBe(false)
    const { head } = await machine.data('task.show', ['cache'], { cwd: root })
    expect(text).toContain('av task start "GOAL" --from COMMIT\n')
    await ada.does(`task start "The cache again" --id again --from ${head}`, root)
    expect(read(await ada.goesTo('again'), 'src/cache.py')).toBe('CACHE = {}\n')
    expect(await mei.does('log --task cache')).toContain('It is never fresh')
  })

  test('in the end the person has a linear history and a clean checkout', () => {
    expect(git('log', '--reverse', '--format=%s, %an').split('\n')).toEqual([
      'init, Human',
      'The old login goes, Human',
      'Refresh sessions early, ada',
      'A better heading, Human',
      'Sign everybody out at once, ada',
      'Say what end does, Human',
      'Ended sessions never come back, ada',
      'Count three, ben',
      'Count what is there, ada',
      'Revert "Count what is there", mei',
      'Sweep old sessions, ada',
      'Tell how many were swept, ben',
    ])
    expect(git('log', '--merges', '--format=%H')).toBe('')
    expect(git('status', '--porcelain', '--branch')).toBe('## main')
    expect(git('fsck', '--no-dangling')).toBe('')
  })
})
