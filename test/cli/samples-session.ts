import type { Output } from '../../src/api/routes.ts'
import type { SentView, SessionView } from '../../src/api/views.ts'

const session: SessionView = {
  ...{ session: 's-1', actors: ['ada', 'claude-code'], items: 2, resets: 1 },
  at: '2026-01-02T11:57:00.000Z',
}

const sent: SentView = {
  ...{ id: 'r:12345678', tier: 'full', actor: 'ada', receipt: 'rcp:12345678' },
  at: '2026-01-02T11:00:00.000Z',
}

/** A result of every command about what readers have. */
export const sessionSamples = {
  'session.list': {
    items: [session, { ...session, session: 's-1/agent-7', actors: [], items: 1, resets: 0 }],
    more: true,
  },
  'session.show': {
    ...session,
    sent: [sent, { ...sent, id: 'map:src/', tier: 'handle', actor: 'claude-code' }],
    more: true,
  },
  'session.reset': { session: 's-1', forgotten: 2 },
} as const satisfies {
  readonly [N in 'session.list' | 'session.show' | 'session.reset']: Output<N>
}
