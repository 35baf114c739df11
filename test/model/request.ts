import type { Output, Sent } from '../../src/api/routes.ts'
import type { Caller } from '../../src/domain/actor.ts'

/** The calls that histories are made of. */
export type PlayedCall =
  | 'task.start'
  | 'task.file'
  | 'task.show'
  | 'task.list'
  | 'task.check'
  | 'claim'
  | 'record'
  | 'checkpoint'
  | 'submit'
  | 'handoff'
  | 'resolve'
  | 'abandon'
  | 'approve'
  | 'request-changes'
  | 'slot.take'
  | 'slot.free'
  | 'landing.open'
  | 'landing.close'
  | 'landing.conflict'
  | 'landing.stale'
  | 'trunk.note'
  | 'trunk.landed'

export type RequestOf<N extends PlayedCall> = {
  readonly name: N
  readonly input: Omit<Sent<N>, 'repo'>
  readonly by: Caller
}
export type Request = { readonly [N in PlayedCall]: RequestOf<N> }[PlayedCall]

/** What came of a request: `ok` with what it gave back, or a fault's code and reason. */
export type Answer =
  | { readonly kind: 'ok'; readonly output: Readonly<Record<string, unknown>> }
  | { readonly kind: 'fault'; readonly what: string; readonly thrown: Error }

/** A client at work: it asks for one thing after the other, and may be stopped for good at each. */
export type Program<T = void> = Generator<Request | LocalStep, T, Reply>
/** Something that a client does without the daemon; others may come in between. */
export type LocalStep = { readonly name: 'local'; readonly what: string }
export type Reply = { readonly output: unknown }

/** @throws Fault what the daemon refused it with */
export function* call<N extends PlayedCall>(
  name: N,
  input: Omit<Sent<N>, 'repo'>,
  by: Caller,
): Program<Output<N>> {
  const reply = yield { name, input, by } as Request
  return reply.output as Output<N>
}

/** Lets others come in between. */
export function* local(what: string): Program<void> {
  yield { name: 'local', what }
}
