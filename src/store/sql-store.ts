import type { Database } from './database.ts'
import { addCheckpoint, lastCheckpoint, liveCheckpoints } from './sql/checkpoints.ts'
import * as code from './sql/code-index.ts'
import {
  addConvention,
  conventionsByPrefix,
  listConventions,
  moveConvention,
} from './sql/conventions.ts'
import { purge } from './sql/purge.ts'
import { listReceipts, putReceipt, receiptsByPrefix } from './sql/receipts.ts'
import * as records from './sql/record-query.ts'
import { addRecord } from './sql/records.ts'
import * as repos from './sql/repos.ts'
import { assertAllStorable } from './sql/storable.ts'
import { createTask, findTask, listClaims, listTasks, tasksByPrefix } from './sql/tasks.ts'
import type { Store } from './store.ts'

/**
 * The store on any Postgres whose schema is up to date. Only this file holds the database; what stands in `sql/` is
 * given the one thing to run its statements on, so that no transaction can wait for itself.
 */
export function sqlStore(database: Database): Store {
  return {
    backend: database.backend,
    ...repoMethods(database),
    ...taskMethods(database),
    ...recordMethods(database),
    ...conventionMethods(database),
    ...receiptMethods(database),
    ...codeMethods(database),
    maintain: () => database.maintain(),
    close: () => database.close(),
  }
}

type Methods<Name extends keyof Store> = Pick<Store, Name>

function repoMethods({
  read,
  write,
}: Database): Methods<
  'now' | 'createRepo' | 'reposLike' | 'repo' | 'repos' | 'updateRepo' | 'actorsOf' | 'purge'
> {
  return {
    now: () => read(repos.databaseNow),
    createRepo: async (repo, by) => {
      assertAllStorable('repo', [repo, by])
      return write((q) => repos.createRepo(q, repo, by))
    },
    reposLike: (identity) => read((q) => repos.reposLike(q, identity)),
    repo: (id) => read((q) => repos.findRepo(q, id)),
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

function recordMethods({
  read,
  write,
}: Database): Methods<
  | 'addRecord'
  | 'record'
  | 'recordsById'
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
  write,
}: Database): Methods<'putReceipt' | 'receiptsByPrefix' | 'listReceipts'> {
  return {
    putReceipt: async (repo, receipt) => {
      // The manifest is kept as JSON text, which escapes whatever text cannot hold.
      assertAllStorable('receipt', { ...receipt, manifest: null })
      return write((q) => putReceipt(q, repo, receipt))
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
  'missingFiles' | 'putFiles' | 'files' | 'unparsable' | 'putTree' | 'tree' | 'hasTree'
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
    hasTree: (repo, tree) => read((q) => code.hasTree(q, repo, tree)),
  }
}
