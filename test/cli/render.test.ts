import { describe, expect, test } from 'bun:test'
import type { Output } from '../../src/api/routes.ts'
import { COMMANDS, type CommandName } from '../../src/cli/commands.ts'
import { paintFor } from '../../src/cli/paint.ts'
import type { Page } from '../../src/cli/render/page.ts'
import { render } from '../../src/cli/render.ts'
import { NOW_MS } from './recording-terminal.ts'
import { REVIEW_EXPECTED } from './rendered-review.ts'
import { SEARCH_EXPECTED } from './rendered-search.ts'
import { SESSION_EXPECTED } from './rendered-session.ts'
import { HOSTILE, poisoned, SAMPLES } from './samples.ts'

const PAGE: Page = {
  ...{ nowMs: NOW_MS, isTty: false, columns: null, isQuiet: false },
  paint: paintFor(false),
}
const TTY: Page = { ...PAGE, isTty: true, columns: 80 }

const show = <N extends CommandName>(name: N, data: Output<N> = SAMPLES[name], page = PAGE) =>
  render(name, data, page)

describe('what people read', () => {
  const EXPECTED: { readonly [N in CommandName]: string } = {
    ...REVIEW_EXPECTED,
    ...SEARCH_EXPECTED,
    ...SESSION_EXPECTED,
    init: 'hono was known; this clone joined it, trunk main at 0123456789ab\n',
    status: `hono trunk main at 0123456789ab
fix-the-login-race-ab2c open, owner ada, needs_attention
  Fix the login race
  workspace  /home/ada/ws/hono/fix-the-login-race-ab2c
actor ada, no session
daemon running, pid 41, version 0.1.0, started 3 hours ago, 162 MB
  store  pglite
  home   /home/ada/.local/share/av
degraded: index, semantic
`,
    config: `AV_LEASE_SECS 1800 (default)
    Seconds.
AV_ACTOR not set (environment)
    Who calls.
`,
    'config.get': '1800\n',
    'config.set': 'AV_LEASE_SECS 60 (config.toml)\n',
    'index.run': `1200 files, 9000 symbols in the index, 1 file read just now (3 MB)
  as text   2 that a grammar failed on
  left out  30 that are ignored, binary, generated, vendored or too large
`,
    'daemon.start': `daemon running, pid 41, version 0.1.0, started 3 hours ago, 162 MB
  store  pglite
  home   /home/ada/.local/share/av
`,
    'daemon.stop': 'daemon not running\n  home  /home/ada/.local/share/av\n',
    'daemon.status': 'daemon not running\n  home  /home/ada/.local/share/av\n',
    'daemon.run': 'daemon not running\n  home  /home/ada/.local/share/av\n',
    'daemon.logs': 'one\ntwo\n',
    migrate: 'schema 0001_records in pglite, 1 migration applied\n  0001_records\n',
    purge: 'r:12345678 purged, at position 9\n  not reached: landed commit messages\n',
    demo: '/tmp/av-demo-1\n',
    'task.start': `fix-the-login-race-ab2c open, owner ada, needs_attention
  Fix the login race
  workspace  /home/ada/ws/hono/fix-the-login-race-ab2c
  base       0123456789ab
`,
    'task.list': `fix-the-login-race-ab2c  open        ada       3 minutes ago  Fix the login race
a-b2cd                   handed_off  no owner  3 minutes ago  Log out all sessions
… and more: --limit 4 shows more
`,
    'task.show': `fix-the-login-race-ab2c open, owner ada, needs_attention
  Fix the login race
  workspace  none here
  base       0123456789ab
  head       0123456789ab
  parent     a-b2cd
  claim      generation 2, lease ends in 20 minutes
  started    1 day ago, last changed 3 minutes ago
`,
    'task.path': '/home/ada/ws/hono/a b\n',
    checkpoint: `fix-the-login-race-ab2c checkpoint 0123456789ab, 2 files, 1 symbol changed since its base
  modified  src/session.ts
  renamed   src/new.ts (from src/old.ts)
  left out (too large): big.bin
  left out (repository of its own): vendor/x
  conflict  src/both.ts
`,
    diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\ta\r\n+\tb\r\n',
    record: `r:12345678 decision, fix-the-login-race-ab2c
  Refresh 30 s early
  at src/session.ts:Session.refresh
  2 secrets were replaced before storing
`,
    log: `r:12345678 decision, ada, 30 seconds ago, fix-the-login-race-ab2c (superseded)
  Refresh 30 s early
  at src/session.ts:Session.refresh (changed since recorded)
  at docs/start.md (moved from README.md)
  supersedes r:00000001, r:00000002, superseded by r:00000009, from rcp:12345678
    Clocks drift.

      They do.
… and more: --limit 2 shows more
`,
    why: `r:12345678 decision, ada, 30 seconds ago, fix-the-login-race-ab2c
  Refresh 30 s early
  at src/session.ts:Session.refresh (changed since recorded)
  at docs/start.md (moved from README.md)
  from rcp:12345678
`,
    'convention.add': `c:12345678 src/api/**, active, required, ada, 2025-11-01
    Handlers return a Result.
    They never throw.
`,
    'convention.list': `c:12345678 src/api/**, active, required, ada, 2025-11-01
    Handlers return a Result.
    They never throw.
c:12345678 src/api/**, active, ada, 2025-11-01
    Handlers return a Result.
    They never throw.
`,
    'convention.retire': `c:12345678 src/api/**, retired, required, ada, 2025-11-01
    Handlers return a Result.
    They never throw.
`,
    'convention.propose': `c:12345678 src/api/**, proposed, required, ada, 2025-11-01
    Handlers return a Result.
    They never throw.
`,
    'convention.accept': `c:12345678 src/api/**, active, required, ada, 2025-11-01
    Handlers return a Result.
    They never throw.
`,
    pack: '# av pack: x\n## Task\n- goal\nreceipt: rcp:12345678\n',
    expand: 'r:12345678 decision\n> Refresh 30 s early\n\ns:12345678 src/session.ts\n',
    receipt: `rcp:12345678 fix-the-login-race-ab2c, 1 hour ago
{
  "budget": 800
}
`,
    'receipt.list': `rcp:12345678 fix-the-login-race-ab2c, 1 hour ago
… and more: --limit 2 shows more
`,
  }
  for (const { name } of COMMANDS) {
    test(name, () => expect(show(name).out).toBe(EXPECTED[name]))
  }
})

describe('on a terminal', () => {
  for (const { name } of COMMANDS) {
    // The pack's text was made safe where it was built, and is to be printed exactly.
    if (name === 'pack') continue
    test(`${name} lets no text steer it`, () => {
      const data = poisoned(SAMPLES[name]) as Output<typeof name>
      const { out, talk = '' } = render(name, data, TTY)
      expect(`${out}${talk}`.replace(/[\n\t]/g, '')).not.toMatch(
        /[\p{Cc}\p{Zl}\p{Bidi_Control}\u{e0041}]/u,
      )
    })
  }

  test('a diff shows its control characters, and is untouched in a pipe', () => {
    const data = { ...SAMPLES.diff, diff: `+${HOSTILE}\n` }
    expect(show('diff', data, TTY).out).toBe(
      '+^[]0;owned^G^[[2J^M<U+202E>evil<U+2028><U+009B>31m<U+E0041>end\n',
    )
    expect(show('diff', data).out).toBe(`+${HOSTILE}\n`)
  })

  test('a path in a pipe is the path, whatever it holds', () => {
    expect(show('task.path', { id: 'x', path: '/a\n\x1bb' }).out).toBe('/a\n\x1bb\n')
    expect(show('task.path', { id: 'x', path: '/a\n\x1bb' }, TTY).out).toBe('/a^J^[b\n')
  })

  test('a goal of a list is cut to the line', () => {
    const items = [{ ...SAMPLES['task.start'], goal: `修复 ${'登录竞争 '.repeat(20)}` }]
    const { out } = show('task.list', { items, more: false }, TTY)
    expect(out).toBe(
      'fix-the-login-race-ab2c  open  ada  3 minutes ago  修复 登录竞争 登录竞争 登录…\n',
    )
    expect(Bun.stringWidth(out.trimEnd())).toBe(79)
  })

  test('colours are for ids and states', () => {
    const { out } = show('task.list', SAMPLES['task.list'], { ...TTY, paint: paintFor(true) })
    expect(out.split('\n')[1]).toBe(
      '\x1b[2ma-b2cd                 \x1b[0m  \x1b[33mhanded_off\x1b[0m  no owner  3 minutes ago  Log out all sessions',
    )
  })
})

describe('talk', () => {
  test('the explanation of a pack goes beside it', () => {
    const rendered = show('pack', { ...SAMPLES.pack, explanation: 'r:1 bm25 #1' })
    expect(rendered).toEqual({ out: SAMPLES.pack.text, beside: 'r:1 bm25 #1\n' })
  })

  test('that of a receipt is the result', () => {
    const { out } = show('receipt', { ...SAMPLES.receipt, explanation: 'r:1 bm25 #1\n' })
    expect(out).toBe('rcp:12345678 fix-the-login-race-ab2c, 1 hour ago\nr:1 bm25 #1\n')
  })

  test('an empty list prints nothing, and says so beside', () => {
    const none = { items: [], more: false }
    for (const name of ['log', 'why', 'task.list', 'convention.list', 'receipt.list'] as const) {
      const { out, talk = '' } = show(name, none)
      expect([name, out]).toEqual([name, ''])
      expect(talk).toStartWith('No ')
    }
    expect(show('review.list', none)).toEqual({ out: '', talk: 'Nothing waits for a review.\n' })
  })

  test.each([
    ['overlap', 'The approval carried over an overlap in README.md.\n'],
    ['unchanged', 'Trunk had moved; the approval carried: the patch is the same.\n'],
    ['same_base', undefined],
  ] as const)('a merge whose approval is %s says so', (carried, talk) => {
    const merged = { ...SAMPLES.merge, state: 'merged', carriedOver: ['README.md'] } as const
    expect(show('merge', { ...merged, carried }).talk).toBe(talk)
  })

  test('a revert that conflicts names the task it became', () => {
    const { talk } = show('revert', { ...SAMPLES.revert, followUp: 'revert-it-ab2c' })
    expect(talk).toBe(
      'It conflicts: revert-it-ab2c is a task of yours now, to resolve and submit.\n',
    )
  })

  test('nothing more is said to whoever wants the result only', () => {
    expect(show('receipt.list', SAMPLES['receipt.list'], { ...PAGE, isQuiet: true }).out).toBe(
      'rcp:12345678 fix-the-login-race-ab2c, 1 hour ago\n',
    )
  })
})

test('ids come first on a line; a space, a comma or the end follows each', () => {
  for (const { name } of COMMANDS) {
    if (name === 'pack') continue
    const { out } = show(name)
    for (const [id] of out.matchAll(
      /(?:\b(?:rcp|r|c|s):[0-9a-f]{8}|fix-the-login-race-ab2c)[^/]?/g,
    )) {
      expect([name, id]).toEqual([name, expect.stringMatching(/[ ,\n]$/)])
    }
  }
})

test('a long body is cut, and the way to the rest is named', () => {
  const [item] = SAMPLES.log.items
  if (item === undefined) throw new Error('no sample')
  const body = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')
  const { out } = show('log', { items: [{ ...item, body }], more: false })
  expect(out).toContain('    line 11\n    … 28 more lines: av expand r:12345678\n')
  expect(out).not.toContain('line 12')
})
