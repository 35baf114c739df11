import type { Database } from './database.ts'
import type { SessionLedger } from './session-ledger.ts'
import { addAttestation, listAttestations, liveAttestations } from './sql/attestations.ts'
import * as bundles from './sql/bundles.ts'
import { addCheckpoint, lastCheckpoint, liveCheckpoints } from './sql/checkpoints.ts'
import { claimTask } from './sql/claim-task.ts'
import { listClaims } from './sql/claims.ts'
import { closeLanding } from './sql/close-landing.ts'
import * as code from './sql/code-index.ts'
import * as kept from './sql/code-index-rows.ts'
import {
  addConvention,
  conventionsByPrefix,
  listConventions,
  moveConvention,
} from './sql/conventions.ts'
import { listLandings, openLanding } from './sql/landings.ts'
import { purge } from './sql/purge.ts'
import { listReceipts, putReceipt, receiptsByPrefix } from './sql/receipts.ts'
import * as records from './sql/record-query.ts'
import { addRecord } from './sql/records.ts'
import * as repos from './sql/repos.ts'
import * as ledger from './sql/session-ledger.ts'
import * as slots from './sql/slot.ts'
import { moveTask } from './sql/steps.ts'
import { assertAllStorable } from './sql/storable.ts'
import { findTask } from './sql/task-row.ts'
import { createTask, listTasks, tasksByPrefix } from './sql/tasks.ts'
import { resolvedThreads, resolveThread } from './sql/threads.ts'
import { conflictTask, landElsewhere, voidApproval } from './sql/trunk-and-task.ts'
import { findVectors, putVectors, vectorLength } from './sql/vectors.ts'
import { addVerdict, listVerdicts } from './sql/verdicts.ts'
import type { Store } from './store.ts'
import type { TaskLife } from './task-life.ts'
import type { TrunkSlot } from './trunk-slot.ts'

/**
 * The store on any Postgres whose schema is up to date. Only this file holds the database; what stands in `sql/` is
 * given the one thing to run its statements on, so that no transaction can wait for itself.
 */
export function sqlStore(database: Database): Store {
  return {
    backend: database.backend,
    ...repoMethods(database),
    ...taskMethods(database),
    ...lifeMethods(database),
    ...bundleMethods(database),
    ...slotMethods(database),
    ...recordMethods(database),
    ...conventionMethods(database),
    ...receiptMethods(database),
    ...codeMethods(database),
    ...ledgerMethods(database),
    maintain: async () => {
      await database.write(ledger.forgetIdleSessions)
      await database.maintain()
    },
    close: () => database.close(),
  }
}

type Methods<Name extends keyof Store> = Pick<Store, Name>

function repoMethods({
  read,
  write,
}: Database): Methods<
  | 'now'
  | 'createRepo'
  | 'reposLike'
  | 'repo'
  | 'position'
  | 'repos'
  | 'updateRepo'
  | 'actorsOf'
  | 'purge'
> {
  return {
    now: () => read(repos.databaseNow),
    createRepo: async (repo, by) => {
      assertAllStorable('repo', [repo, by])
      return write((q) => repos.createRepo(q, repo, by))
    },
    reposLike: (identity) => read((q) => repos.reposLike(q, identity)),
    repo: (id) => read((q) => repos.findRepo(q, id)),
    position: (id) => read((q) => repos.positionOf(q, id)),
    repos: () => read(repos.listRepos),
    updateRepo: async (id, change) => {
      assertAllStorable('repo', change)
      return write((q) => repos.updateRepo(q, id, change))
    },
    actorsOf: (repo) => read((q) => repos.actorsOf(q, repo)),
    purge: (repo, id, by) => write((q) => purge(q, repo, id, by)),
  }
}

function taskMethods({
  read,
  write,
}: Database): Methods<
  | 'createTask'
  | 'task'
  | 'tasksByPrefix'
  | 'listTasks'
  | 'claims'
  | 'addCheckpoint'
  | 'lastCheckpoint'
  | 'liveCheckpoints'
> {
  return {
    createTask: async (repo, task, by) => {
      assertAllStorable('task', [task, by])
      return write((q) => createTask(q, repo, task, by))
    },
    task: (repo, id) => read((q) => findTask(q, repo, id)),
    tasksByPrefix: (repo, prefix, limit) => read((q) => tasksByPrefix(q, repo, prefix, limit)),
    listTasks: (repo, filter, limit) => read((q) => listTasks(q, repo, filter, limit)),
    claims: (repo, task) => read((q) => listClaims(q, repo, task)),
    addCheckpoint: async (repo, checkpoint, by) => {
      assertAllStorable('checkpoint', [checkpoint, by])
      return write((q) => addCheckpoint(q, repo, checkpoint, by))
    },
    lastCheckpoint: (repo, task) => read((q) => lastCheckpoint(q, repo, task)),
    liveCheckpoints: (repo) => read((q) => liveCheckpoints(q, repo)),
  }
}

type BundleMethod = 'bundleOf' | 'putBundlePart' | 'bundlePart'

function lifeMethods({ read, write }: Database): Omit<TaskLife, BundleMethod> {
  return {
    claimTask: async (repo, claim, by) => {
      assertAllStorable('claim', [claim, by])
      return write((q) => claimTask(q, repo, claim, by))
    },
    moveTask: async (repo, step, by) => {
      assertAllStorable('step', [step, by])
      return write((q) => moveTask(q, repo, step, by))
    },
    addVerdict: async (repo, verdict, by) => {
      assertAllStorable('verdict', [verdict, by])
      return write((q) => addVerdict(q, repo, verdict, by))
    },
    verdicts: (repo, task) => read((q) => listVerdicts(q, repo, task)),
    resolveThread: async (repo, root, by) => {
      assertAllStorable('thread', [root, by])
      return write((q) => resolveThread(q, repo, root, by))
    },
    resolvedThreads: (repo, task) => read((q) => resolvedThreads(q, repo, task)),
    addAttestation: async (repo, attestation, by) => {
      assertAllStorable('attestation', [attestation, by])
      return write((q) => addAttestation(q, repo, attestation, by))
    },
    attestations: (repo, task) => read((q) => listAttestations(q, repo, task)),
    liveAttestations: (repo) => read((q) => liveAttestations(q, repo)),
  }
}

function bundleMethods({ read, write }: Database): Pick<TaskLife, BundleMethod> {
  return {
    bundleOf: (repo, tip) => read((q) => bundles.bundleOf(q, repo, tip)),
    putBundlePart: async (repo, bundle, part, by) => {
      assertAllStorable('bundle', bundle)
      return write((q) => bundles.putBundlePart(q, repo, bundle, part, by))
    },
    bundlePart: (repo, bundle, ordinal) =>
      read((q) => bundles.findBundlePart(q, repo, bundle, ordinal)),
  }
}

function slotMethods({ read, write }: Database): TrunkSlot {
  return {
    takeSlot: async (repo, want, by) => {
      assertAllStorable('slot', [want, by])
      return write((q) => slots.takeSlot(q, repo, want, by))
    },
    freeSlot: (repo, slot) => write((q) => slots.freeSlot(q, repo, slot)),
    openLanding: async (repo, landing, by) => {
      assertAllStorable('landing', [landing, by])
      return write((q) => openLanding(q, repo, landing, by))
    },
    closeLanding: (repo, close, by) => write((q) => closeLanding(q, repo, close, by)),
    conflictTask: async (repo, conflict, by) => {
      assertAllStorable('conflict', [conflict, by])
      return write((q) => conflictTask(q, repo, conflict, by))
    },
    voidApproval: async (repo, stale, by) => {
      assertAllStorable('approval', [stale, by])
      return write((q) => voidApproval(q, repo, stale, by))
    },
    noteTrunk: (repo, move, by) => write((q) => slots.noteTrunk(q, repo, move, by)),
    landElsewhere: (repo, landed, by) => write((q) => landElsewhere(q, repo, landed, by)),
    landings: (repo, filter, limit) => read((q) => listLandings(q, repo, filter, limit)),
  }
}

function recordMethods({
  read,
  write,
}: Database): Methods<
  | 'addRecord'
  | 'record'
  | 'recordsById'
  | 'recordTexts'
  | 'recordsByPrefix'
  | 'listRecords'
  | 'recordsAfter'
  | 'lastPurge'
> {
  return {
    addRecord: async (repo, record, by, as) => {
      assertAllStorable('record', [record, by])
      return write((q) => addRecord(q, repo, record, by, as))
    },
    record: (repo, id) => read((q) => records.findRecord(q, repo, id)),
    recordsById: (repo, ids) => read((q) => records.recordsById(q, repo, ids)),
    recordTexts: (repo, ids) => read((q) => records.recordTexts(q, repo, ids)),
    recordsByPrefix: (repo, prefix, limit) =>
      read((q) => records.recordsByPrefix(q, repo, prefix, limit)),
    listRecords: (repo, filter, limit) => read((q) => records.listRecords(q, repo, filter, limit)),
    recordsAfter: (repo, after, limit) => read((q) => records.recordsAfter(q, repo, after, limit)),
    lastPurge: (repo) => read((q) => records.lastPurge(q, repo)),
  }
}

function conventionMethods({
  read,
  write,
}: Database): Methods<'addConvention' | 'moveConvention' | 'conventionsByPrefix' | 'conventions'> {
  return {
    addConvention: async (repo, convention, by) => {
      assertAllStorable('convention', [convention, by])
      return write((q) => addConvention(q, repo, convention, by))
    },
    moveConvention: (repo, id, from, to, by) =>
      write((q) => moveConvention(q, repo, id, from, to, by)),
    conventionsByPrefix: (repo, prefix, limit) =>
      read((q) => conventionsByPrefix(q, repo, prefix, limit)),
    conventions: (repo, states) => read((q) => listConventions(q, repo, states)),
  }
}

function receiptMethods({
  read,
}: Database): Methods<'putReceipt' | 'receiptsByPrefix' | 'listReceipts'> {
  return {
    putReceipt: async (repo, receipt) => {
      // The manifest is JSON, which escapes whatever text cannot hold.
      assertAllStorable('receipt', { ...receipt, manifest: '' })
      return read((q) => putReceipt(q, repo, receipt))
    },
    receiptsByPrefix: (repo, prefix, limit) =>
      read((q) => receiptsByPrefix(q, repo, prefix, limit)),
    listReceipts: (repo, filter, limit) => read((q) => listReceipts(q, repo, filter, limit)),
  }
}

function codeMethods({
  read,
  write,
}: Database): Methods<
  | 'missingFiles'
  | 'putFiles'
  | 'files'
  | 'unparsable'
  | 'putTree'
  | 'tree'
  | 'filesAfter'
  | 'treesAfter'
  | 'vectors'
  | 'putVectors'
  | 'vectorLength'
  | 'dropCodeIndex'
> {
  return {
    missingFiles: (repo, version, blobs) => read((q) => code.missingFiles(q, repo, version, blobs)),
    putFiles: async (repo, version, files) => {
      const keys = files.map(({ blob, language, status }) => [blob, language, status])
      assertAllStorable('file', [version, keys])
      return write((q) => code.putFiles(q, repo, version, files))
    },
    files: (repo, version, blobs) => read((q) => code.findFiles(q, repo, version, blobs)),
    unparsable: (repo, version) => read((q) => code.unparsable(q, repo, version)),
    putTree: (repo, tree, entries) => write((q) => code.putTree(q, repo, tree, entries)),
    tree: (repo, tree) => read((q) => code.findTree(q, repo, tree)),
    filesAfter: (repo, after, limit) => read((q) => kept.filesAfter(q, repo, after, limit)),
    treesAfter: (repo, after, limit) => read((q) => kept.treesAfter(q, repo, after, limit)),
    vectors: (repo, embedder, keys) => read((q) => findVectors(q, repo, embedder, keys)),
    putVectors: async (repo, embedder, vectors) => {
      assertAllStorable('embedder', embedder)
      return write((q) => putVectors(q, repo, embedder, vectors))
    },
    vectorLength: (repo, embedder) => read((q) => vectorLength(q, repo, embedder)),
    dropCodeIndex: (repo, limit) => write((q) => kept.dropCodeIndex(q, repo, limit)),
  }
}

function ledgerMethods({ read, write }: Database): SessionLedger {
  return {
    sentTo: (repo, reader) => read((q) => ledger.sentTo(q, repo, reader)),
    noteSent: async (repo, reader, delivery) => {
      assertAllStorable('reader', [reader, delivery])
      return write((q) => ledger.noteSent(q, repo, reader, delivery))
    },
    resetSession: async (repo, session) => {
      assertAllStorable('session', session)
      return write((q) => ledger.resetSession(q, repo, session))
    },
    listSessions: (repo, filter, limit) => read((q) => ledger.listSessions(q, repo, filter, limit)),
    listSent: (repo, session, limit) => read((q) => ledger.listSent(q, repo, session, limit)),
  }
}
