import type { Manifest } from '../domain/receipt.ts'
import type { Handler } from './deps.ts'
import { renderExplanation } from './explanation.ts'
import { findReceipt, findRepo, findTask } from './lookup.ts'

export const showReceipt: Handler<'receipt'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const { id, task, at, manifest } = await findReceipt(store, repo.id, input.id)
  return {
    ...{ id, task, at, manifest },
    // Written by `pack` in this very shape; an older version's is read as far as it agrees.
    explanation: input.explain ? renderExplanation(manifest as Manifest) : null,
  }
}

export const listReceipts: Handler<'receipt.list'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const task = input.task === undefined ? null : await findTask(store, repo.id, input.task)
  const page = await store.listReceipts(
    repo.id,
    task === null ? {} : { task: task.id },
    input.limit,
  )
  return { items: page.items.map(({ id, task, at }) => ({ id, task, at })), more: page.more }
}
