import type { Input } from '../api/routes.ts'
import type { FoundItem } from '../api/search-view.ts'
import { type FoundCode, searchCode, weighRecords } from '../domain/code-search.ts'
import { FOUND_KINDS, type FoundKind, fuseFound } from '../domain/found.ts'
import { queryOf } from '../domain/query.ts'
import type { TaskRecord } from '../domain/record.ts'
import type { Repo } from '../domain/repo.ts'
import type { Task } from '../domain/task.ts'
import { asCodeView } from './code.ts'
import type { IndexedView, RepoIndex } from './code-indexes.ts'
import type { Handler } from './deps.ts'
import { findRepo } from './lookup.ts'
import { markedItem } from './records.ts'

/** Records and tasks, the code one stands in, by the words asked for; one list, best first. */
export const search: Handler<'search'> = async ({ store, indexes }, input) => {
  const repo = await findRepo(store, input.repo)
  const index = await indexes.current(repo)
  const code = asCodeView(input.view)
  const view = code === null ? null : await index.view(code)
  const kinds: readonly FoundKind[] = input.kind === undefined ? FOUND_KINDS : [input.kind]
  const [records, tasks] = await Promise.all([
    kinds.includes('record') ? foundRecords(index, input) : [],
    kinds.includes('task') ? foundTasks(index, repo, input) : [],
  ])
  const codes = kinds.includes('code') && view !== null ? foundCode(index, view, input.words) : []
  const shown = withoutGoals(records, tasks).map((record) => recordItem(record, view))
  const items = { record: shown, code: codes.map(codeItem), task: tasks.map(taskItem) }
  const fused = inOneList(items)
  const incomplete = view === null || view.missing > 0 || input.indexing
  return {
    items: fused.slice(0, input.limit),
    more: fused.length > input.limit,
    degraded: kinds.includes('code') && incomplete ? ['index'] : [],
  }
}

type Asked = Input<'search'>

function queryFor({ words }: Asked) {
  return queryOf(words.join(' '), words)
}

async function foundRecords(index: RepoIndex, asked: Asked): Promise<readonly TaskRecord[]> {
  const lexical = asked.all ? await index.facts.searched.everyRecord() : index.lexical
  // Twice as many: a task's own goal is taken out again.
  const hits = lexical.searchRecords(lexical.recordView(), queryFor(asked), 2 * asked.limit + 1)
  return weighRecords(await index.facts.records(hits.map(({ id }) => id)))
}

async function foundTasks(index: RepoIndex, repo: Repo, asked: Asked): Promise<readonly Task[]> {
  const texts = await index.facts.searched.tasks(repo.position)
  return texts.search(queryFor(asked), asked.limit + 1)
}

function foundCode(index: RepoIndex, view: IndexedView, words: readonly string[]) {
  return searchCode(index.lexical, view.lexical, index.lexical.recordView(), words)
}

/** A task that was found says its goal itself: its first record would say it again. */
function withoutGoals(records: readonly TaskRecord[], tasks: readonly Task[]) {
  const goals = new Map<string, string>(tasks.map(({ id, goal }) => [id, goal.trim()]))
  return records.filter(
    ({ kind, task, summary }) => kind !== 'intent' || goals.get(task) !== summary.trim(),
  )
}

function inOneList(items: Readonly<Record<FoundKind, readonly FoundItem[]>>): readonly FoundItem[] {
  const idsOf = (kind: FoundKind) => items[kind].map(({ id }) => id)
  const byKind = Object.fromEntries(
    FOUND_KINDS.map((kind) => [kind, new Map(items[kind].map((item) => [item.id, item]))]),
  )
  return fuseFound({ record: idsOf('record'), code: idsOf('code'), task: idsOf('task') }).flatMap(
    ({ kind, id }) => byKind[kind]?.get(id) ?? [],
  )
}

const NOWHERE = { path: null, line: null, symbol: null } as const

function recordItem(record: TaskRecord, view: IndexedView | null): FoundItem {
  const { id, kind, task, summary, anchors, marks } = markedItem(record, view)
  return { id, kind: 'record', type: kind, ...NOWHERE, summary, task, anchors, marks }
}

function codeItem({ id, path, symbol }: FoundCode): FoundItem {
  return {
    ...{ id, kind: 'code', type: symbol?.kind ?? 'file', path },
    ...{
      line: symbol?.line ?? null,
      symbol: symbol?.name ?? null,
      summary: symbol?.signature ?? '',
    },
    ...{ task: null, anchors: [], marks: [] },
  }
}

function taskItem({ id, state, goal, flags }: Task): FoundItem {
  const own = { id, kind: 'task', type: state, summary: goal, task: null, anchors: [] } as const
  return { ...own, ...NOWHERE, marks: flags }
}
