import { recordsMovedTo } from '../domain/anchor-moves.ts'
import type { TaskRecord } from '../domain/record.ts'
import type { Repo } from '../domain/repo.ts'
import type { Page, RecordFilter } from '../store/store.ts'
import type { IndexedView } from './code-indexes.ts'
import type { Deps } from './deps.ts'

type Held = Pick<Deps, 'store' | 'indexes'>

/**
 * Records as the store lists them and, where they are asked for by a path, those whose code has moved
 * there since, as far as a view shows it; newest first.
 */
export async function listWithMoved(
  deps: Held,
  repo: Repo,
  filter: RecordFilter,
  view: IndexedView | null,
  limit: number,
): Promise<Page<TaskRecord>> {
  const [listed, moved] = await Promise.all([
    deps.store.listRecords(repo.id, filter, limit),
    movedRecords(deps, repo, filter, view, limit + 1),
  ])
  if (moved.length === 0) return listed
  const byId = new Map([...listed.items, ...moved].map((record) => [record.id, record]))
  const items = [...byId.values()].sort((a, b) => b.position - a.position)
  return { items: items.slice(0, limit), more: listed.more || items.length > limit }
}

/** So many are read at once of those that moved: of a folder they may be many. */
const AT_ONCE = 500

async function movedRecords(
  { store, indexes }: Held,
  repo: Repo,
  { path, symbol, task, kind, all }: RecordFilter,
  view: IndexedView | null,
  limit: number,
): Promise<readonly TaskRecord[]> {
  if (view === null || path === undefined) return []
  const index = await indexes.current(repo)
  const records = all ? await index.facts.searched.everyRecord() : index.lexical
  const moved = recordsMovedTo(records, view, { path, symbol: symbol ?? null })
  const isWanted = (record: TaskRecord) =>
    (task === undefined || record.task === task) &&
    (kind === undefined || record.kind === kind) &&
    (all || record.supersededBy.length === 0)
  const found: TaskRecord[] = []
  for (let from = 0; from < moved.length && found.length < limit; from += AT_ONCE) {
    const ids = moved.slice(from, from + AT_ONCE).map(({ id }) => id)
    const read = await store.recordsById(repo.id, ids)
    found.push(...read.filter(isWanted))
  }
  return found.slice(0, limit)
}
