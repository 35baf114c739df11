import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FOUND_KINDS, fuseFound } from '../../src/domain/found.ts'
import { IndexTally } from '../../src/domain/index-check.ts'
import type { Task, TaskId } from '../../src/domain/task.ts'
import { TaskTexts } from '../../src/domain/task-search.ts'

test('the best of each kind comes first, why before where', () => {
  const lists = { record: ['r:1', 'r:2'], code: ['s:1'], task: ['a', 'b'] }
  expect(fuseFound(lists).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    ...['record r:1', 'code s:1', 'task a', 'record r:2', 'task b'],
  ])
})

test('what is found is each thing once, in the order of its kind', () => {
  const ids = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 8 })
  fc.assert(
    fc.property(fc.record({ record: ids, code: ids, task: ids }), (lists) => {
      const found = fuseFound(lists)
      for (const kind of FOUND_KINDS) {
        const of = found.filter((each) => each.kind === kind).map(({ id }) => id)
        expect(of).toEqual(lists[kind])
      }
    }),
    { seed: 11, numRuns: 200 },
  )
})

test('tasks are found by goal and id; ties go by id, not by the order they came in', () => {
  const task = (id: string, goal: string) => ({ id: id as TaskId, goal }) as Task
  const tasks = [
    task('b-aaaa', 'Prolong the sessions'),
    task('a-bbbb', 'Prolong the sessions'),
    task('count-pigeons-x2y3', 'Birds'),
  ]
  const search = (all: readonly Task[], term: string) =>
    new TaskTexts(all).search([{ term, weight: 1 }], 5).map(({ id }) => String(id))
  expect(search(tasks, 'session')).toEqual(['a-bbbb', 'b-aaaa'])
  expect(search(tasks.toReversed(), 'session')).toEqual(['a-bbbb', 'b-aaaa'])
  expect(search(tasks, 'pigeon')).toEqual(['count-pigeons-x2y3'])
  expect(search([], 'pigeon')).toEqual([])
})

test('differences are counted by part, with at most ten examples, each once', () => {
  const tally = new IndexTally()
  tally.note('trees', 'missing', 'a/v1')
  for (let n = 0; n < 12; n++) tally.note('files', 'leftOver', `version ${n % 11}`)
  tally.note('scans', 'different', 'x', 0)
  expect(tally.differences.map(({ part, missing, leftOver }) => [part, missing, leftOver])).toEqual(
    [
      ['files', 0, 12],
      ['trees', 1, 0],
    ],
  )
  expect(tally.differences[0]?.examples).toHaveLength(10)
})
