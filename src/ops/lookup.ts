import type { Convention } from '../domain/convention.ts'
import { Fault } from '../domain/fault.ts'
import type { TaskRecord } from '../domain/record.ts'
import type { Repo, RepoId } from '../domain/repo.ts'
import type { Task, TaskId } from '../domain/task.ts'
import type { Receipt, Store } from '../store/store.ts'

/** Candidates that an ambiguous prefix names. */
const CANDIDATES_MAX = 6

/** @throws Fault `not_found` */
export async function findRepo(store: Store, id: string): Promise<Repo> {
  const repo = await store.repo(id as RepoId)
  if (repo === null) throw repoUnknown()
  return repo
}

/** A repo and how far its log is: what is asked before every pack. @throws Fault `not_found` */
export async function findLog(store: Store, id: string): Promise<RepoLog> {
  const position = await store.position(id as RepoId)
  if (position === null) throw repoUnknown()
  return { id: id as RepoId, position }
}

export type RepoLog = Pick<Repo, 'id' | 'position'>

function repoUnknown(): Fault {
  return new Fault(
    'not_found',
    'The store does not know this repository.',
    'Run `av init` in it; if AV_HOME or AV_DATABASE_URL was changed, set it back.',
    { detail: { reason: 'repo_unknown' } },
  )
}

/** The task of this id, or the only one whose id starts so. @throws Fault `not_found`, `bad_input` */
export async function findTask(store: Store, repo: RepoId, text: string): Promise<Task> {
  const exact = await store.task(repo, text as TaskId)
  if (exact) return exact
  return onlyOne(
    'task',
    text,
    await store.tasksByPrefix(repo, text, CANDIDATES_MAX),
    '`av task list --all`',
  )
}

export async function findRecord(store: Store, repo: RepoId, text: string): Promise<TaskRecord> {
  const found = await store.recordsByPrefix(repo, withMark('r:', text), CANDIDATES_MAX)
  return onlyOne('record', text, found, '`av log --all`')
}

export async function findConvention(
  store: Store,
  repo: RepoId,
  text: string,
): Promise<Convention> {
  const found = await store.conventionsByPrefix(repo, withMark('c:', text), CANDIDATES_MAX)
  return onlyOne('convention', text, found, '`av convention list --all`')
}

export async function findReceipt(store: Store, repo: RepoId, text: string): Promise<Receipt> {
  const found = await store.receiptsByPrefix(repo, withMark('rcp:', text), CANDIDATES_MAX)
  return onlyOne('receipt', text, found, '`av receipt list`')
}

function withMark(mark: string, text: string): string {
  return text.startsWith(mark) ? text : `${mark}${text}`
}

function onlyOne<T extends { readonly id: string }>(
  what: string,
  text: string,
  found: readonly T[],
  list: string,
): T {
  const [first] = found
  if (first === undefined) {
    throw new Fault('not_found', `There is no ${what} ${text}.`, `See ${list}.`, {
      detail: { reason: `${what}_unknown`, id: text },
    })
  }
  const exact = found.find(({ id }) => id === text)
  if (exact) return exact
  if (found.length === 1) return first
  const ids = found.map(({ id }) => id)
  throw new Fault(
    'bad_input',
    `${text} could be ${ids.slice(0, -1).join(', ')} or ${ids.at(-1)}.`,
    'Give more of the id.',
    { detail: { reason: 'ambiguous', candidates: ids } },
  )
}
