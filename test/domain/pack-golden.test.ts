import { expect, test } from 'bun:test'
import { buildPack, type PackInput } from '../../src/domain/pack.ts'
import type { TaskId } from '../../src/domain/task.ts'
import {
  candidates,
  convention,
  files,
  liveTask,
  packInput,
  packTask,
  record,
  symbols,
} from '../support/pack-input.ts'
import { countTokens } from '../support/token-count.ts'

test('a small pack, as it is read', () => {
  const { text } = buildPack(smallInput(), countTokens)
  expect(text.replace(/rcp:[0-9a-f]{8}\n/, 'rcp:00000000\n')).toBe(`# av pack refresh-session
receipt: rcp:00000000
degraded: semantic
## Task
- goal: Refresh the session
- open; owner ada; base cccccccccccc; last checkpoint 2 files: first try; failing: unit
- last hand-back:
> Done: refresh works.
> Remains: the race at login.
- journal: now the race
## Map
- src/auth/ 3 files, 9 symbols: session.ts (Session, refresh)
## Decisions & dead ends
- r:2 dead end: A lock per user blocks logins [src/auth/session.ts:Session.refresh (changed since recorded)]
> Two tabs wait for each other.
> (from task other-task; cites rcp:12345678)
- r:1 decision: Tokens live 15 minutes [src/auth/session.ts]
## Code
- src/auth/session.ts (changed by this task)
L3-40 class Session // One user's visit.
L9-20 refresh(now: number): Token
- src/auth/login.ts
L5-30 login(user: string): Session
## Conventions
- c:1 src/auth/**: Never log a token.
- c:2 src/**: Tests first.
## Live work
- faster-login (open, bob) also changes src/auth/login.ts: Make login faster
> changes src/auth/login.ts:login; 4 entries in the log since it last wrote
`)
})

/** One of everything, each kind ranked by one list alone. */
function smallInput(): PackInput {
  const session = 'src/auth/session.ts'
  const records = [
    record('r:2', {
      ...{ kind: 'attempt', summary: 'A lock per user blocks logins', receipt: 'rcp:12345678' },
      ...{ body: 'Two tabs wait for each other.' },
      anchors: [{ path: session, symbol: 'Session.refresh', mark: 'changed since recorded' }],
    }),
    record('r:1', {
      ...{ summary: 'Tokens live 15 minutes', task: 'refresh-session' as TaskId },
      anchors: [{ path: session, symbol: null, mark: null }],
    }),
  ]
  const central = [{ name: 'session.ts', symbols: ['Session', 'refresh'] }]
  return packInput({
    task: packTask({
      checkpoint: { commit: 'd'.repeat(40), files: 2, message: 'first try' },
      ...{ failing: ['unit'], lastJournal: 'now the race' },
      handoff: 'Done: refresh works.\nRemains: the race at login.',
    }),
    degraded: ['semantic'],
    records,
    changed: [{ path: session, symbols: [] }],
    conventions: [
      convention('c:2', { text: 'Tests first.' }),
      convention('c:1', { glob: 'src/auth/**', text: 'Never log a token.', required: true }),
    ],
    live: [
      liveTask('faster-login', {
        ...{ goal: 'Make login faster', files: ['src/auth/login.ts'], silentPositions: 4 },
        symbols: ['src/auth/login.ts:login', 'src/other.ts:x'],
      }),
    ],
    candidates: candidates({
      folders: [{ path: 'src/auth/', files: 3, symbols: 9, central }],
      files: files([session, 'src/auth/login.ts']),
      symbols: symbols([
        {
          path: session,
          name: 'Session.refresh',
          line: 9,
          endLine: 20,
          signature: 'refresh(now: number): Token',
        },
        {
          path: session,
          name: 'Session',
          line: 3,
          endLine: 40,
          signature: 'class Session',
          doc: "One user's visit.",
        },
        {
          path: 'src/auth/login.ts',
          name: 'login',
          line: 5,
          endLine: 30,
          signature: 'login(user: string): Session',
        },
      ]),
      records: records.map(({ id }, at) => ({ id, ranks: { words: at + 1 } })),
      taskFiles: ['src/auth/login.ts', session],
    }),
  })
}
