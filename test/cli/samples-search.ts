import type { Output } from '../../src/api/routes.ts'
import type { CommandName } from '../../src/cli/commands.ts'
import { record, task } from './sample-task.ts'

type Samples = { readonly [N in CommandName]: Output<N> }

/** Results of searching, and of building the index anew. */
export const searchSamples: Pick<Samples, 'search' | 'reindex'> = {
  search: {
    items: [
      {
        ...{
          id: record.id,
          kind: 'record',
          type: 'decision',
          path: null,
          line: null,
          symbol: null,
        },
        ...{ summary: record.summary, task: task.id, anchors: record.anchors, marks: record.marks },
      },
      {
        ...{ id: 's:12345678', kind: 'code', type: 'method', path: 'src/session.ts', line: 12 },
        ...{ symbol: 'Session.refresh', summary: 'refresh(now: number): void' },
        ...{ task: null, anchors: [], marks: [] },
      },
      {
        ...{ id: 's:87654321', kind: 'code', type: 'file', path: 'src/a b.ts', line: null },
        ...{ symbol: null, summary: '', task: null, anchors: [], marks: [] },
      },
      {
        ...{ id: task.id, kind: 'task', type: 'open', path: null, line: null, symbol: null },
        ...{ summary: task.goal, task: null, anchors: [], marks: ['needs_attention'] },
      },
    ],
    more: true,
    degraded: ['index'],
  },
  reindex: {
    ...{ checked: true, dropped: 0, files: 1200, bytes: 2_600_000, symbols: 9000, records: 41 },
    ...{ leftOut: 3, unparsable: 1, asText: ['src/odd.py'], pending: 4, unseen: 12 },
    differences: [
      {
        ...{ part: 'files', missing: 1, different: 0, leftOver: 3 },
        examples: ['version 0123456789ab', 'src/lost.ts'],
      },
    ],
  },
}
