import type { Input } from '../api/routes.ts'
import { ACTOR_NAME_MAX, type Caller } from '../domain/actor.ts'
import { Fault } from '../domain/fault.ts'
import { CHECKPOINT_STATES } from '../domain/lifecycle.ts'
import { redact } from '../domain/redact.ts'
import type { CommitId } from '../domain/repo.ts'
import { LIVE_STATES, type Task, type TaskId, taskSlug } from '../domain/task.ts'
import { assertStorable, clipChars } from '../domain/text.ts'
import type { NewTask } from '../store/store.ts'
import type { Deps, Handler } from './deps.ts'
import { findRepo, findTask } from './lookup.ts'
import { viewCheckpoint, viewTask } from './views.ts'

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

export const startTask: Handler<'task.start'> = async (deps, input, caller) => {
  const wanted = { owned: true, base: input.base as CommitId | null, offeredTo: null }
  const task = await createTask(deps, input, wanted, caller)
  warmUp(deps)
  return viewTask(task)
}

/** A task for whoever claims it. To offer it to somebody is a hint to people, no right. */
export const fileTask: Handler<'task.file'> = async (deps, input, caller) => {
  if (input.offer !== undefined) assertStorable('name', input.offer)
  const offeredTo =
    input.offer === undefined ? null : clipChars(redact(input.offer).text, ACTOR_NAME_MAX)
  return viewTask(await createTask(deps, input, { owned: false, base: null, offeredTo }, caller))
}

type Described = Pick<Input<'task.file'>, 'repo' | 'goal' | 'id' | 'parent'>

async function createTask(
  { store, world, leaseSecs }: Deps,
  input: Described,
  wanted: Pick<NewTask, 'owned' | 'base' | 'offeredTo'>,
  caller: Caller,
): Promise<Task> {
  assertStorable('goal', input.goal)
  const repo = await findRepo(store, input.repo)
  const parent = input.parent === undefined ? null : await findTask(store, repo.id, input.parent)
  const goal = redact(input.goal).text
  return store.createTask(
    repo.id,
    {
      id: (input.id ?? null) as TaskId | null,
      slug: taskSlug(goal),
      digits: base32(world.randomHex(26)),
      goal,
      kind: 'work',
      leaseSecs,
      parent: parent?.id ?? null,
      ...wanted,
    },
    caller,
  )
}

/**
 * What a started task asks for next is a pack: the tokenizer's table is loaded while its folder is
 * made. A failure is the pack's to tell.
 */
function warmUp({ countTokens }: Deps): void {
  countTokens().catch(() => undefined)
}

/** A base32 digit for each byte. */
function base32(hex: string): string {
  return [...Buffer.from(hex, 'hex')].map((byte) => BASE32[byte & 31]).join('')
}

export const listTasks: Handler<'task.list'> = async ({ store }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const states = input.state ? [input.state] : input.all ? undefined : LIVE_STATES
  const filter = { ...(states && { states }), ...(input.mine && { owner: caller.actor }) }
  const page = await store.listTasks(repo.id, filter, input.limit)
  return { items: page.items.map(viewTask), more: page.more }
}

export const showTask: Handler<'task.show'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  return viewTask(await findTask(store, repo.id, givenTask(input.task)))
}

/** @throws Fault `bad_input` where neither a word nor a workspace tells the task. */
export function givenTask(task: string | undefined): string {
  if (task !== undefined) return task
  throw new Fault(
    'bad_input',
    'No task is named, and you do not stand in a workspace.',
    'Name one (`av task list`), or go to its workspace: cd "$(av task path TASK)".',
    { detail: { reason: 'no_task' } },
  )
}

export const checkpoint: Handler<'checkpoint'> = async ({ store, leaseSecs }, input, caller) => {
  const repo = await findRepo(store, input.repo)
  const { checkpoint: stored } = await store.addCheckpoint(
    repo.id,
    {
      task: input.task as TaskId,
      commit: input.commit as CommitId,
      change: input.change,
      base: input.base as CommitId | null,
      message: redact(input.message ?? '').text,
      files: input.files,
      symbols: input.symbols,
      patch: input.patch,
      incomplete: input.incomplete,
      tree: input.tree,
      conflicts: input.conflicts,
      leaseSecs,
      states: CHECKPOINT_STATES,
    },
    caller,
  )
  return viewCheckpoint(stored)
}
