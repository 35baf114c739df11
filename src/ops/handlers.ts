import type { CallName } from '../api/routes.ts'
import { checkTask } from './claims.ts'
import { indexFiles, indexState, indexTree } from './code.ts'
import {
  acceptConvention,
  addConvention,
  listConventions,
  proposeConvention,
  retireConvention,
} from './conventions.ts'
import type { Handler } from './deps.ts'
import { expand } from './expand.ts'
import { pack } from './pack.ts'
import { listReceipts, showReceipt } from './receipts.ts'
import { log, record, why } from './records.ts'
import { init, listRepos, migrate, purge, status } from './repos.ts'
import { checkpoint, listTasks, showTask, startTask } from './tasks.ts'

export type Handlers = { readonly [N in CallName]: Handler<N> }

/** Every call has a handler: leave one out and this does not compile. */
export const handlers: Handlers = {
  init,
  status,
  'repo.list': listRepos,
  migrate,
  purge,
  'task.start': startTask,
  'task.list': listTasks,
  'task.show': showTask,
  'task.check': checkTask,
  checkpoint,
  record,
  log,
  why,
  'convention.add': addConvention,
  'convention.list': listConventions,
  'convention.retire': retireConvention,
  'convention.propose': proposeConvention,
  'convention.accept': acceptConvention,
  'index.state': indexState,
  'index.tree': indexTree,
  'index.files': indexFiles,
  pack,
  expand,
  receipt: showReceipt,
  'receipt.list': listReceipts,
}
