import type { LogItem, TaskView } from '../../src/api/views.ts'

export const COMMIT = '0123456789abcdef0123456789abcdef01234567'

export const task: TaskView = {
  id: 'fix-the-login-race-ab2c',
  goal: 'Fix the login race',
  kind: 'work',
  state: 'open',
  owner: 'ada',
  generation: 2,
  leaseExpiresAt: '2026-01-02T12:20:00.000Z',
  base: COMMIT,
  head: null,
  workspace: '/home/ada/ws/hono/fix-the-login-race-ab2c',
  flags: ['needs_attention'],
  parent: null,
  approvedBy: null,
  approvalVoid: null,
  conflicted: [],
  offeredTo: null,
  landed: null,
  createdAt: '2026-01-01T12:00:00.000Z',
  updatedAt: '2026-01-02T11:57:00.000Z',
}

export const record: LogItem = {
  id: 'r:12345678',
  task: task.id,
  kind: 'decision',
  summary: 'Refresh 30 s early',
  anchors: [
    {
      path: 'src/session.ts',
      symbol: 'Session.refresh',
      hash: 'ab',
      mark: 'changed since recorded',
      movedTo: null,
    },
    {
      ...{ path: 'README.md', symbol: null, hash: 'cd', mark: 'moved since recorded' },
      movedTo: { path: 'docs/start.md', symbol: null },
    },
  ],
  redacted: 0,
  position: 4,
  body: 'Clocks drift.\r\n\r\n  They do.\n',
  author: 'ada',
  at: '2026-01-02T11:59:30.000Z',
  supersedes: ['r:00000001', 'r:00000002'],
  supersededBy: ['r:00000009'],
  replyTo: null,
  receipt: 'rcp:12345678',
  marks: ['superseded', 'changed since recorded', 'moved since recorded'],
}
