import type { ConflictView, LandedView, SyncView } from '../../api/review-views.ts'
import { prose, visibleLine } from '../visible.ts'
import { counted, facts, id, shortCommit } from './lines.ts'
import type { Page, Rendered } from './page.ts'
import { standing, taskHead } from './tasks.ts'

export const trunkRenderers = {
  merge: (task: LandedView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts(standing(task))}${conflictLines(task.conflicts)}`,
    ...talkOf(mergeWords(task)),
  }),
  undo: (task: LandedView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts(standing(task))}`,
    talk: 'Trunk is where it was before; the approval stays.\n',
  }),
  revert: (task: LandedView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts(standing(task))}${conflictLines(task.conflicts)}`,
    ...talkOf(
      task.followUp === null
        ? 'Trunk has a commit that takes it back.'
        : `It conflicts: ${visibleLine(task.followUp)} is a task of yours now, to resolve and submit.`,
    ),
  }),
  sync: (view: SyncView, page: Page): Rendered => ({ out: syncText(view, page) }),
} as const

const talkOf = (text: string) => (text === '' ? {} : { talk: `${text}\n` })

function mergeWords({ state, carried, carriedOver }: LandedView): string {
  if (state === 'conflicted') {
    return 'Trunk is as it was. Its owner resolves the conflicts in the files, then runs `av resolve`.'
  }
  if (carried === 'overlap') {
    return `The approval carried over an overlap in ${carriedOver.map(visibleLine).join(', ')}.`
  }
  return carried === 'unchanged'
    ? 'Trunk had moved; the approval carried: the patch is the same.'
    : ''
}

function conflictLines(conflicts: readonly ConflictView[]): string {
  return conflicts
    .flatMap(({ path, tasks, records }) => [
      `  conflict  ${visibleLine(path)}\n`,
      ...tasks.map(
        (task) =>
          `    ${task.isOwn ? 'this task' : 'on trunk'}: ${visibleLine(task.id)} ${prose(task.goal)}\n`,
      ),
      ...records.map(
        (record) => `    ${visibleLine(record.id)} ${record.kind}: ${prose(record.summary)}\n`,
      ),
    ])
    .join('')
}

function syncText(view: SyncView, page: Page): string {
  const { from, trunk, trunkCommit, moved, forced } = view
  const at = trunkCommit === null ? 'without commits' : `at ${shortCommit(trunkCommit)}`
  const was =
    from === null ? '' : `, was at ${shortCommit(from)}${forced ? ', moved by force' : ''}`
  return [
    `${visibleLine(view.repo)} trunk ${visibleLine(trunk)} ${at}${moved ? was : ', unchanged'}\n`,
    ...view.settled.map(
      ({ task, landed }) =>
        `${id(task, page)} was left half-way, ${landed ? 'and is finished' : 'and is given up'}\n`,
    ),
    ...view.landed.map(
      ({ task, commit, by }) =>
        `${id(task, page)} landed elsewhere as ${shortCommit(commit)}, by ${visibleLine(by)}\n`,
    ),
    ...(view.removed.length === 0
      ? []
      : [`${counted(view.removed.length, 'folder')} of merged tasks removed\n`]),
    ...view.kept.map(({ folder, why }) => `kept ${visibleLine(folder)}: ${visibleLine(why)}\n`),
  ].join('')
}
