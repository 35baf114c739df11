import type { LogItem } from '../api/views.ts'
import type { Caller } from '../domain/actor.ts'
import { anchorsIn } from '../domain/anchor-moves.ts'
import { claimFault, everHeld } from '../domain/claim.ts'
import {
  COMMENT_KINDS,
  checkRecordText,
  SUMMARY_CHARS_MAX,
  type TaskRecord,
} from '../domain/record.ts'
import { redact } from '../domain/redact.ts'
import type { Repo, RepoId } from '../domain/repo.ts'
import { LIVE_STATES, TASK_STATES, type Task } from '../domain/task.ts'
import { clipChars } from '../domain/text.ts'
import type { RecordFilter, Store } from '../store/store.ts'
import { listWithMoved } from './anchored-records.ts'
import { asCodeView } from './code.ts'
import type { IndexedView } from './code-indexes.ts'
import type { Deps, Handler } from './deps.ts'
import { findReceipt, findRecord, findRepo, findTask } from './lookup.ts'
import { givenTask } from './tasks.ts'
import { viewLogItem, viewRecord } from './views.ts'

/** States in which somebody who never held a task may still comment on it. */
const COMMENT_STATES = TASK_STATES.filter((state) => state !== 'abandoned')

export const record: Handler<'record'> = async (deps, input, caller) => {
  const { store, world, leaseSecs } = deps
  const body = input.body ?? ''
  checkRecordText(input.summary, body)
  const repo = await findRepo(store, input.repo)
  const task = await findTask(
    store,
    repo.id,
    givenTask(input.task ?? input.workspaceTask ?? undefined),
  )
  const as = await standing(store, task, caller, input.kind)
  const summary = redact(input.summary)
  const rest = redact(body)
  const stored = await store.addRecord(
    repo.id,
    {
      digits: world.randomHex(16),
      task: task.id,
      kind: input.kind,
      summary: clipChars(summary.text, SUMMARY_CHARS_MAX),
      body: rest.text,
      anchors: input.anchors,
      supersedes: await recordIds(store, repo.id, input.supersedes),
      replyTo:
        input.replyTo === undefined ? null : (await findRecord(store, repo.id, input.replyTo)).id,
      receipt: await receiptOf(store, repo.id, input.receipt, caller),
      redacted: summary.count + rest.count,
      leaseSecs,
      states: as === 'owner' ? LIVE_STATES : COMMENT_STATES,
    },
    caller,
    as,
  )
  return viewRecord(stored)
}

/** Whoever held the task writes under his claim; everybody else may only leave a comment. */
async function standing(
  store: Store,
  task: Task,
  caller: Caller,
  kind: TaskRecord['kind'],
): Promise<'owner' | 'comment'> {
  const claims = await store.claims(task.repo, task.id)
  if (everHeld(claims, caller)) return 'owner'
  if (!(COMMENT_KINDS as readonly string[]).includes(kind)) throw claimFault(task, claims, caller)
  return 'comment'
}

async function recordIds(store: Store, repo: RepoId, given: readonly string[]) {
  const found = await Promise.all(given.map((id) => findRecord(store, repo, id)))
  return [...new Set(found.map(({ id }) => id))]
}

/** The receipt named, or whether to look for the last one of the caller's session. */
async function receiptOf(store: Store, repo: RepoId, given: string | undefined, caller: Caller) {
  if (given !== undefined) return (await findReceipt(store, repo, given)).id
  return caller.session === null ? null : 'last'
}

export const log: Handler<'log'> = async (deps, input) => {
  const repo = await findRepo(deps.store, input.repo)
  const task = input.task === undefined ? null : await findTask(deps.store, repo.id, input.task)
  const filter: RecordFilter = {
    ...(task && { task: task.id }),
    ...(input.kind && { kind: input.kind }),
    ...(input.path !== null && { path: input.path }),
    all: input.all,
  }
  return list(deps, repo, filter, input.all ? LIST_MAX : input.limit, input.view)
}

export const why: Handler<'why'> = async (deps, input) => {
  const repo = await findRepo(deps.store, input.repo)
  const filter: RecordFilter = {
    path: input.path,
    ...(input.symbol !== null && { symbol: input.symbol }),
    all: input.all,
  }
  return list(deps, repo, filter, input.limit, input.view)
}

/** `--all` lifts the limit a person sees; a list still ends somewhere. */
const LIST_MAX = 10_000

async function list(
  deps: Deps,
  repo: Repo,
  filter: RecordFilter,
  limit: number,
  given: Parameters<typeof asCodeView>[0],
) {
  const view = await viewGiven(deps, repo.id, given)
  const { items, more } = await listWithMoved(deps, repo, filter, view, limit)
  return { items: markedItems(items, view), more }
}

/** The code the caller stands on, as far as it is known here. */
export async function viewGiven(
  { indexes }: Pick<Deps, 'indexes'>,
  repo: RepoId,
  given: Parameters<typeof asCodeView>[0],
): Promise<IndexedView | null> {
  const code = asCodeView(given)
  return code === null ? null : indexes.of(repo).view(code)
}

/** Records, with what became of their code in a view, and where it is now. */
export function markedItems(
  records: readonly TaskRecord[],
  view: IndexedView | null,
): readonly LogItem[] {
  const states = anchorsIn(
    view,
    records.flatMap(({ anchors }) => anchors),
  )
  let from = 0
  return records.map((record) => {
    const own = states.slice(from, from + record.anchors.length)
    from += own.length
    return viewLogItem(record, own)
  })
}

export function markedItem(record: TaskRecord, view: IndexedView | null): LogItem {
  return viewLogItem(record, anchorsIn(view, record.anchors))
}
