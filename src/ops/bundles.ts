import type { BundleView } from '../api/review-views.ts'
import { Fault } from '../domain/fault.ts'
import type { CommitId } from '../domain/repo.ts'
import type { BundleHead } from '../store/task-life.ts'
import type { Handler } from './deps.ts'
import { findRepo, findTask } from './lookup.ts'

/** How a task's commits travel: by the store, where that is one for several machines. */
export const bundleState: Handler<'bundle.state'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const bundle = await store.bundleOf(repo.id, input.tip as CommitId)
  return {
    isShared: store.backend === 'postgres',
    bundle: bundle === null ? null : viewBundle(bundle),
  }
}

function viewBundle({ id, task, base, tip, size, parts }: BundleHead): BundleView {
  return { id, task, base, tip, size, parts }
}

export const putBundle: Handler<'bundle.put'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const { id: task } = await findTask(store, repo.id, input.task)
  const { id, size, parts, ordinal } = input
  const data = Buffer.from(input.data, 'base64')
  if (size > BUNDLE_BYTES_MAX || data.length > size || ordinal >= parts) throw misfit(input)
  return store.putBundlePart(
    repo.id,
    {
      ...{ id, task, size, parts },
      base: input.base as CommitId | null,
      tip: input.tip as CommitId,
    },
    { ordinal, data },
    caller,
  )
}

const BUNDLE_BYTES_MAX = 64 * 1024 * 1024

function misfit({ size, parts, ordinal }: { size: number; parts: number; ordinal: number }): Fault {
  return new Fault(
    size > BUNDLE_BYTES_MAX ? 'too_large' : 'bad_input',
    `Part ${ordinal} of ${parts} of a bundle of ${size} bytes cannot be kept; the limit is ${BUNDLE_BYTES_MAX} bytes.`,
    'Put large files elsewhere, and make a checkpoint again.',
    { detail: { reason: 'bundle_size', size, limit: BUNDLE_BYTES_MAX } },
  )
}

export const bundlePart: Handler<'bundle.part'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const data = await store.bundlePart(repo.id, input.id, input.ordinal)
  if (data !== null) return { data: Buffer.from(data).toString('base64') }
  throw new Fault(
    'not_found',
    `The store has no part ${input.ordinal} of that bundle.`,
    'Run the command again: a newer bundle may have taken its place.',
    { detail: { reason: 'bundle_part_unknown', id: input.id, ordinal: input.ordinal } },
  )
}
