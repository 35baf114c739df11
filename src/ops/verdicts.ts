import type { Input } from '../api/routes.ts'
import type { Caller } from '../domain/actor.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { Task } from '../domain/task.ts'
import type { NewVerdict } from '../store/task-life.ts'
import type { Deps, Handler } from './deps.ts'
import { findRepo, findTask } from './lookup.ts'
import { messageRecord, type StepRecord } from './step-record.ts'
import { givenTask } from './tasks.ts'
import { viewTask } from './views.ts'

/**
 * A verdict is on content: what the reviewer's machine has of the task is held against its last checkpoint, in the
 * transaction that keeps the verdict.
 */
export const approve: Handler<'approve'> = async (deps, input, caller) => {
  const record = messageRecord(deps, caller, input.message ?? '', [])
  return viewTask(await judge(deps, input, 'approve', record, caller))
}

export const requestChanges: Handler<'request-changes'> = async (deps, input, caller) => {
  const record = messageRecord(deps, caller, input.message, input.anchors)
  if (record === null) throw nothingSaid()
  return viewTask(await judge(deps, input, 'request_changes', record, caller))
}

type Reviewed = Pick<
  Input<'approve'>,
  'repo' | 'task' | 'base' | 'tip' | 'tree' | 'patch' | 'trunk'
>

async function judge(
  { store, leaseSecs }: Deps,
  input: Reviewed,
  result: NewVerdict['result'],
  record: StepRecord | null,
  caller: Caller,
): Promise<Task> {
  const repo = await findRepo(store, input.repo)
  const { id } = await findTask(store, repo.id, givenTask(input.task))
  const { tree, patch } = input
  const { task } = await store.addVerdict(
    repo.id,
    {
      ...{ task: id, result, tree, patch, record, leaseSecs },
      base: input.base as CommitId | null,
      tip: input.tip as CommitId,
      trunk: input.trunk as CommitId | null,
    },
    caller,
  )
  return task
}

function nothingSaid(): Fault {
  return new Fault('bad_input', 'The message is empty.', 'Say what is to change: `-m "…"`.', {
    detail: { reason: 'empty_message' },
  })
}
