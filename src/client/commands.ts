import type { Output, RouteName } from '../api/routes.ts'
import { abandon, claim } from './claim-command.ts'
import type { Command, Given } from './command.ts'
import { merge } from './merge.ts'
import { pathAt } from './path-at.ts'
import { findPlace } from './place.ts'
import { reindex } from './reindex-command.ts'
import { initRepo, purge, runIndex, showStatus } from './repo-commands.ts'
import { approve, attest, listReviews, requestChanges, showReview } from './review-commands.ts'
import type { CommandResult, Invocation, RunCommand } from './run-command.ts'
import { search } from './search-command.ts'
import { Session, type Toolbox } from './session.ts'
import { sync } from './sync.ts'
import { revert, undo } from './take-back.ts'
import { listTasks, showTask, startTask, taskPath } from './task-commands.ts'
import { expand, log, pack, record, why } from './why-commands.ts'
import { checkpoint, diff, handoff, resolve, showHandoff, submit } from './work-commands.ts'

/** Those that look at files, run jj, or write down what was granted. */
const COMMANDS: { readonly [N in RouteName]?: Command<N> } = {
  init: initRepo,
  status: showStatus,
  'index.run': runIndex,
  reindex,
  purge,
  'task.start': startTask,
  'task.list': listTasks,
  'task.show': showTask,
  'task.path': taskPath,
  checkpoint,
  diff,
  submit,
  handoff,
  'handoff.show': showHandoff,
  claim,
  abandon,
  'review.list': listReviews,
  'review.show': showReview,
  approve,
  'request-changes': requestChanges,
  attest,
  merge,
  resolve,
  undo,
  revert,
  sync,
  record,
  log,
  why,
  pack,
  expand,
  search,
  'convention.list': async (session, given) => {
    const place = await findPlace(session)
    return session.call('convention.list', {
      ...given,
      repo: place.repo,
      path: pathAt(place, given.at),
    })
  },
}

/** Calls that are about the store, not about one repo. */
const OF_THE_STORE = new Set<RouteName>(['migrate', 'repo.list'])

/**
 * Runs the commands of the contract. One without a part of its own here goes to the daemon as it
 * was given, for the repo one stands in.
 * @param local what runs without repository and daemon calls: settings, the daemon itself, the demo
 */
export function createRunCommand(
  tools: Toolbox,
  local: { readonly [N in RouteName]?: (given: Given) => Promise<Output<N>> },
): RunCommand {
  return async <N extends RouteName>(name: N, given: Given, invocation: Invocation) => {
    const session = new Session(tools, invocation)
    const atOnce = local[name]
    const command = COMMANDS[name] ?? passOn(name)
    try {
      const data = atOnce ? await atOnce(given) : await command(session, given)
      const { warnings, exit, afterOutput } = session
      return {
        ...{ data, warnings, exit },
        ...(afterOutput !== null && { afterOutput }),
      } satisfies CommandResult<N>
    } catch (thrown) {
      invocation.warn(session.warnings)
      throw thrown
    }
  }
}

function passOn<N extends RouteName>(name: N): Command<N> {
  return async (session, given) => {
    const repo = OF_THE_STORE.has(name) ? {} : { repo: (await findPlace(session)).repo }
    const call = session.call.bind(session) as (name: string, args: object) => Promise<unknown>
    return (await call(name satisfies RouteName, { ...given, ...repo })) as Output<N>
  }
}
