import type { Caller } from '../domain/actor.ts'
import {
  CONVENTION_BYTES_MAX,
  type Convention,
  type ConventionState,
  compileGlob,
} from '../domain/convention.ts'
import { Fault } from '../domain/fault.ts'
import { redact } from '../domain/redact.ts'
import { assertStorable, utf8Bytes } from '../domain/text.ts'
import type { Deps, Handler } from './deps.ts'
import { findConvention, findRepo } from './lookup.ts'
import { viewConvention } from './views.ts'

type Wanted = {
  readonly repo: string
  readonly glob: string
  readonly text: string
  readonly required: boolean
}

export const addConvention: Handler<'convention.add'> = async (deps, input, caller) => {
  assertHuman(caller, 'add')
  return viewConvention(await store(deps, input, 'active', caller))
}

export const proposeConvention: Handler<'convention.propose'> = async (deps, input, caller) =>
  viewConvention(await store(deps, input, 'proposed', caller))

async function store(
  deps: Deps,
  wanted: Wanted,
  state: ConventionState,
  caller: Caller,
): Promise<Convention> {
  const repo = await findRepo(deps.store, wanted.repo)
  compileGlob(wanted.glob)
  assertStorable('convention', wanted.text)
  const bytes = utf8Bytes(wanted.text)
  if (bytes > CONVENTION_BYTES_MAX) {
    throw new Fault(
      'bad_input',
      `The convention has ${bytes} bytes; the limit is ${CONVENTION_BYTES_MAX}.`,
      'Say the rule in a few lines, and link to the reasons.',
      { detail: { reason: 'convention_too_long', bytes, limit: CONVENTION_BYTES_MAX } },
    )
  }
  return deps.store.addConvention(
    repo.id,
    {
      digits: deps.world.randomHex(16),
      glob: wanted.glob,
      text: redact(wanted.text).text,
      required: wanted.required,
      state,
    },
    caller,
  )
}

export const listConventions: Handler<'convention.list'> = async ({ store }, input) => {
  const repo = await findRepo(store, input.repo)
  const states = input.all ? (['proposed', 'active', 'retired'] as const) : (['active'] as const)
  const all = await store.conventions(repo.id, states)
  const { path } = input
  const items = path === null ? all : all.filter(({ glob }) => compileGlob(glob)(path))
  const { limit } = input
  return { items: items.slice(0, limit).map(viewConvention), more: items.length > limit }
}

export const retireConvention: Handler<'convention.retire'> = async ({ store }, input, caller) => {
  assertHuman(caller, 'retire')
  const repo = await findRepo(store, input.repo)
  const { id } = await findConvention(store, repo.id, input.id)
  return viewConvention(
    await store.moveConvention(repo.id, id, ['proposed', 'active'], 'retired', caller),
  )
}

export const acceptConvention: Handler<'convention.accept'> = async ({ store }, input, caller) => {
  assertHuman(caller, 'accept')
  const repo = await findRepo(store, input.repo)
  const { id } = await findConvention(store, repo.id, input.id)
  return viewConvention(await store.moveConvention(repo.id, id, ['proposed'], 'active', caller))
}

/** Rules bind everybody's work, so a human answers for each. */
function assertHuman(caller: Caller, verb: string): void {
  if (caller.kind === 'human') return
  throw new Fault(
    'refused_rule',
    `${caller.actor} is an agent; only a human may ${verb} a convention.`,
    'Propose it with `av convention propose`, and ask a human to accept it.',
    { detail: { reason: 'humans_only' } },
  )
}
