import type { CallName } from '../api/routes.ts'
import { attest } from './attestations.ts'
import { bundlePart, bundleState, putBundle } from './bundles.ts'
import { checkTask, claim } from './claims.ts'
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
import { handoff, showHandoff } from './handoff.ts'
import { pack } from './pack.ts'
import { listReceipts, showReceipt } from './receipts.ts'
import { log, record, why } from './records.ts'
import { compareIndex, dropIndex, keptFiles, keptTrees, loadIndex, unparsable } from './reindex.ts'
import { init, listRepos, migrate, purge, status } from './repos.ts'
import { listReviews, resolveThread, showReview } from './review.ts'
import { search } from './search.ts'
import { acknowledgePack, listSessions, resetSession, showSession } from './sessions.ts'
import { abandon, resolve, submit } from './task-steps.ts'
import { checkpoint, fileTask, listTasks, showTask, startTask } from './tasks.ts'
import {
  closeLanding,
  conflictTask,
  freeSlot,
  landElsewhere,
  noteTrunk,
  openLanding,
  takeSlot,
  voidApproval,
} from './trunk-slot.ts'
import { approve, requestChanges } from './verdicts.ts'

export type Handlers = { readonly [N in CallName]: Handler<N> }

/** Every call has a handler: leave one out and this does not compile. */
export const handlers: Handlers = {
  init,
  status,
  'repo.list': listRepos,
  migrate,
  purge,
  'task.start': startTask,
  'task.file': fileTask,
  'task.list': listTasks,
  'task.show': showTask,
  'task.check': checkTask,
  checkpoint,
  submit,
  handoff,
  'handoff.show': showHandoff,
  claim,
  abandon,
  resolve,
  'review.list': listReviews,
  'review.show': showReview,
  'review.resolve': resolveThread,
  approve,
  'request-changes': requestChanges,
  attest,
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
  'index.drop': dropIndex,
  'index.load': loadIndex,
  'index.unparsable': unparsable,
  'index.rows': keptFiles,
  'index.listings': keptTrees,
  'index.compare': compareIndex,
  pack,
  'pack.ack': acknowledgePack,
  expand,
  search,
  receipt: showReceipt,
  'receipt.list': listReceipts,
  'session.list': listSessions,
  'session.show': showSession,
  'session.reset': resetSession,
  'slot.take': takeSlot,
  'slot.free': freeSlot,
  'landing.open': openLanding,
  'landing.close': closeLanding,
  'landing.conflict': conflictTask,
  'landing.stale': voidApproval,
  'trunk.note': noteTrunk,
  'trunk.landed': landElsewhere,
  'bundle.state': bundleState,
  'bundle.put': putBundle,
  'bundle.part': bundlePart,
}
