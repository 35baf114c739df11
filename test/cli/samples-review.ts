import type { AttestationView, LandedView, VerdictView } from '../../src/api/review-views.ts'
import type { Output } from '../../src/api/routes.ts'
import type { LogItem, TaskView } from '../../src/api/views.ts'
import { COMMIT, record, task } from './sample-task.ts'

const NEWER = 'fedcba9876543210fedcba9876543210fedcba98'
const SAID_AT = '2026-01-02T11:57:00.000Z'

const inReview: TaskView = { ...task, state: 'in_review', flags: [], head: COMMIT }
const approved: TaskView = { ...inReview, approvedBy: 'mei' }
const merged: TaskView = { ...approved, state: 'merged', landed: NEWER }
const landed: LandedView = {
  ...merged,
  ...{ carried: 'overlap', carriedOver: ['README.md'], conflicts: [], followUp: null },
}

const verdict: VerdictView = {
  ...{ position: 8, result: 'approve', by: 'mei', at: SAID_AT, base: COMMIT, tip: COMMIT },
  ...{ tree: NEWER, patch: '1:abc', trunk: COMMIT, isSelf: false },
  ...{ carriedOver: ['README.md'], isCarried: true, counts: true },
}

const report: AttestationView = {
  ...{ task: task.id, name: 'unit', command: 'bun test', exit: 1, commit: COMMIT, dirty: true },
  ...{ log: '1 failed\n', by: 'ada', at: SAID_AT, position: 9, redacted: 0 },
}

const point: LogItem = {
  ...{ ...record, id: 'r:000000aa', kind: 'review', author: 'mei', body: '' },
  ...{ supersedes: [], supersededBy: [], marks: [], receipt: null, summary: 'Name the margin' },
}

/** Results of the commands of handing over, review and merge. */
export const reviewSamples = {
  'task.file': { ...task, owner: null, workspace: null, flags: [], offeredTo: 'ben' },
  submit: { ...inReview, uncovered: ['src/session.ts:Session.end'] },
  handoff: {
    ...{ ...task, state: 'handed_off', uncovered: [], record: 'r:12345678' },
    bundle: '# Handoff of x\n- goal: y\n',
  },
  'handoff.show': {
    ...{ task: task.id, bundle: '# Handoff of x\n- goal: y\n' },
    ...{ tokens: 12, budget: 2_000, omitted: 0 },
  },
  claim: {
    ...{ ...task, flags: [], isRenewal: false },
    previous: { actor: 'ben', session: null, generation: 1, since: '2026-01-02T09:00:00.000Z' },
  },
  abandon: { ...task, state: 'abandoned', head: COMMIT, workspace: null },
  'review.list': {
    items: [{ ...approved, files: 2, symbols: 1, openThreads: 1, failing: ['unit'] }],
    more: true,
  },
  'review.show': {
    ...inReview,
    approvalVoid: 'it conflicts with trunk',
    files: [{ path: 'src/session.ts', status: 'modified', from: null }],
    symbols: ['src/session.ts:Session.refresh'],
    uncovered: ['src/session.ts:Session.end'],
    patch: '1:abc',
    records: [record, point],
    threads: [
      {
        root: point,
        replies: [{ ...point, id: 'r:000000bb', author: 'ada', summary: 'MARGIN_MS it is' }],
        isOpen: true,
      },
    ],
    verdicts: [
      { ...verdict, counts: false },
      {
        ...{ ...verdict, result: 'request_changes', by: 'ada', isSelf: true, tip: NEWER },
        ...{ carriedOver: [], isCarried: false },
      },
    ],
    attestations: [report, { ...report, name: 'lint', command: '', exit: 0, dirty: false }],
    failing: ['unit'],
  },
  'review.resolve': point,
  approve: approved,
  'request-changes': { ...task, flags: [] },
  attest: report,
  merge: {
    ...{ ...landed, state: 'conflicted', landed: null, approvedBy: null, carriedOver: [] },
    ...{ carried: null, approvalVoid: 'it conflicts with trunk', conflicted: ['src/session.ts'] },
    conflicts: [
      {
        path: 'src/session.ts',
        tasks: [
          { id: task.id, goal: task.goal, isOwn: true },
          { id: 'a-b2cd', goal: 'Log out\n all sessions', isOwn: false },
        ],
        records: [
          { id: 'r:12345678', task: task.id, kind: 'decision', summary: 'Refresh 30 s early' },
        ],
      },
    ],
  },
  resolve: { ...task, flags: [] },
  undo: { ...landed, ...approved, carried: null, carriedOver: [] },
  revert: { ...landed, flags: ['reverted'], carried: null, carriedOver: [] },
  sync: {
    ...{ id: 'repo-1', repo: 'hono', trunk: 'main', trunkCommit: NEWER, from: COMMIT },
    ...{ moved: true, forced: true },
    landed: [{ task: task.id, commit: NEWER, by: 'Mei' }],
    settled: [
      { task: 'a-b2cd', landed: true },
      { task: 'c-d2ef', landed: false },
    ],
    removed: ['/home/ada/ws/hono/old'],
    kept: [{ folder: '/home/ada/ws/hono/other', why: 'It was changed after the merge.' }],
  },
} as const satisfies { readonly [N in Name]: Output<N> }

type Name =
  | 'task.file'
  | 'submit'
  | 'handoff'
  | 'handoff.show'
  | 'claim'
  | 'abandon'
  | 'review.list'
  | 'review.show'
  | 'review.resolve'
  | 'approve'
  | 'request-changes'
  | 'attest'
  | 'merge'
  | 'resolve'
  | 'undo'
  | 'revert'
  | 'sync'
