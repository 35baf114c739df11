import type { Output, RouteName } from '../api/routes.ts'
import { Fault } from '../domain/fault.ts'
import type { Session } from './session.ts'

/** The fields a person gave, checked against `givenFields` of the row. */
export type Given = Readonly<Record<string, unknown>>

/** What a command of the contract does at the caller, before and after the daemon's part. */
export type Command<N extends RouteName> = (session: Session, given: Given) => Promise<Output<N>>

/** The task a word, `AV_TASK` or the workspace one stands in tells, in that order. */
export function taskGiven(session: Session, given: unknown, workspaceTask: string | null): string {
  const task = typeof given === 'string' ? given : session.tools.task || workspaceTask
  if (task) return task
  throw new Fault(
    'bad_input',
    'No task is named, and you do not stand in a workspace.',
    'Name one (`av task list`), or go to its workspace: cd "$(av task path TASK)".',
    { detail: { reason: 'no_task' } },
  )
}
