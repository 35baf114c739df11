import { expect, test } from 'bun:test'
import { LexicalIndex } from '../../src/domain/lexical.ts'
import type { RecordId, RecordKind, TaskRecord } from '../../src/domain/record.ts'
import type { Instant, Position, RepoId } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import { TaskRecords } from '../../src/ops/task-records.ts'

test('a task has its current records newest first, and knows where it last wrote one', () => {
  const index = new LexicalIndex()
  const own = new TaskRecords(index.records)
  const add = (record: TaskRecord) => {
    index.addRecord(record)
    own.add(record)
  }
  add(record('r:1', 4, 'login', 'intent', ['src/a.ts', 'src/a.ts', 'src/b.ts']))
  add(record('r:2', 5, 'cart', 'decision', ['src/a.ts']))
  add(record('r:3', 6, 'login', 'attempt', []))
  add(record('r:4', 7, 'login', 'note', ['src/c.ts']))
  own.remove('r:4' as RecordId)
  own.remove('r:4' as RecordId)
  own.remove('r:9' as RecordId)
  expect(own.of('login' as TaskId)).toEqual([
    { id: 'r:3' as RecordId, kind: 'attempt', intent: '', paths: [] },
    {
      ...{ id: 'r:1' as RecordId, kind: 'intent', intent: 'About r:1' },
      paths: ['src/a.ts', 'src/b.ts'],
    },
  ])
  expect(own.of('cart' as TaskId).map(({ id }) => String(id))).toEqual(['r:2'])
  expect(own.of('other' as TaskId)).toEqual([])
  expect(['login', 'cart', 'other'].map((task) => own.lastWrite(task as TaskId))).toEqual([7, 5, 0])
})

function record(
  id: string,
  position: number,
  task: string,
  kind: RecordKind,
  paths: readonly string[],
): TaskRecord {
  return {
    ...{ repo: 'repo' as RepoId, id: id as RecordId, position: position as Position },
    ...{ task: task as TaskId, kind, summary: `About ${id}`, body: '' },
    anchors: paths.map((path) => ({ path, symbol: null, hash: null })),
    ...{ supersedes: [], supersededBy: [], replyTo: null, receipt: null, author: 'ada' },
    ...{ session: null, redacted: 0, purged: false, at: '2026-01-01T00:00:00Z' as Instant },
  }
}
