import { type CallName, isCall, ROUTE_NAMES } from '../../src/api/routes.ts'
import type { HandlersOn } from '../../src/daemon/server.ts'
import { Fault } from '../../src/domain/fault.ts'

/** Handlers for a daemon whose routes are not what is tested: all but the given ones refuse. */
export function handlersWith<D>(given: Partial<HandlersOn<D>>): HandlersOn<D> {
  const refuse = async (): Promise<never> => {
    throw new Fault('unsupported', 'This test has no such handler.', 'Give it one.')
  }
  const refusing: Partial<Record<CallName, typeof refuse>> = {}
  for (const name of ROUTE_NAMES) if (isCall(name)) refusing[name] = refuse
  return { ...(refusing as Record<CallName, typeof refuse>), ...given }
}
