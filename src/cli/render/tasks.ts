import type { Output } from '../../api/routes.ts'
import type { CheckpointView, TaskView } from '../../api/views.ts'
import { cutTo } from '../columns.ts'
import { prose, visible, visibleLine } from '../visible.ts'
import { ago, counted, facts, id, largerLimit, moreLine, shortCommit } from './lines.ts'
import type { Page, Rendered } from './page.ts'

export const taskRenderers = {
  'task.start': (task: TaskView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts([workspace(task), base(task)])}`,
    ...(task.workspace !== null && {
      talk: 'Work in that folder; `av checkpoint` keeps a state.\n',
    }),
  }),
  'task.file': (task: TaskView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts(standing(task))}`,
    talk: `\`av claim ${visibleLine(task.id)}\` makes it one's own.\n`,
  }),
  'task.list': taskList,
  'task.show': (task: TaskView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts([
      workspace(task),
      base(task),
      ['head', task.head === null ? 'no checkpoint yet' : shortCommit(task.head)],
      ...(task.parent === null ? [] : [['parent', visibleLine(task.parent)] as const]),
      ['claim', claim(task, page)],
      ...standing(task),
      ['started', `${ago(task.createdAt, page)}, last changed ${ago(task.updatedAt, page)}`],
    ])}`,
  }),
  'task.path': ({ path }: Output<'task.path'>, page: Page): Rendered => ({
    out: `${page.isTty ? visibleLine(path) : path}\n`,
  }),
  checkpoint: (checkpoint: CheckpointView, page: Page): Rendered => ({
    out: checkpointText(checkpoint, page),
  }),
  diff: ({ task, diff }: Output<'diff'>, page: Page): Rendered => ({
    out: page.isTty ? visible(diff) : diff,
    ...(diff === '' && { talk: `${visibleLine(task)} has changed nothing.\n` }),
  }),
} as const

/** Id, state, owner; the goal below. */
export function taskHead(task: TaskView, page: Page): string {
  const parts = [
    page.paint.state(task.state),
    ...(task.kind === 'work' ? [] : [task.kind]),
    task.owner === null ? 'no owner' : `owner ${visibleLine(task.owner)}`,
    ...task.flags.map(visibleLine),
  ]
  return `${id(task.id, page)} ${parts.join(', ')}\n  ${prose(task.goal)}\n`
}

function workspace(task: TaskView): readonly [string, string] {
  return ['workspace', task.workspace === null ? 'none here' : visibleLine(task.workspace)]
}

function base(task: TaskView): readonly [string, string] {
  if (task.base !== null) return ['base', shortCommit(task.base)]
  // Of one that nobody ever claimed, the work has not begun anywhere.
  return ['base', task.generation === 0 ? 'trunk, once it is claimed' : 'nothing: no commits yet']
}

/** What its review came to, and where it went. */
export function standing(task: TaskView): readonly (readonly [string, string])[] {
  const { approvedBy, approvalVoid, conflicted, landed, offeredTo } = task
  return [
    ...(offeredTo === null ? [] : [['offered', `to ${visibleLine(offeredTo)}`] as const]),
    ...(approvedBy === null ? [] : [['approved', `by ${approver(task, approvedBy)}`] as const]),
    ...(approvalVoid === null ? [] : [['approval', `void: ${visibleLine(approvalVoid)}`] as const]),
    ...(conflicted.length === 0
      ? []
      : [['conflicts', conflicted.map(visibleLine).join(', ')] as const]),
    ...(landed === null ? [] : [['landed', `as ${shortCommit(landed)}`] as const]),
    ...(task.state === 'abandoned' && task.head !== null
      ? [['recover', `av task start "GOAL" --from ${visibleLine(task.head)}`] as const]
      : []),
  ]
}

function approver(task: TaskView, by: string): string {
  return by === task.owner ? `${visibleLine(by)}, its own owner` : visibleLine(by)
}

function claim(task: TaskView, page: Page): string {
  const generation = `generation ${task.generation}`
  if (task.leaseExpiresAt === null) return generation
  const isOver = Date.parse(task.leaseExpiresAt) <= page.nowMs
  return `${generation}, lease ${isOver ? 'ran out' : 'ends'} ${ago(task.leaseExpiresAt, page)}`
}

function taskList(list: Output<'task.list'>, page: Page): Rendered {
  if (list.items.length === 0) {
    return { out: '', talk: 'No tasks. `av task start "GOAL"` begins one; --all shows old ones.\n' }
  }
  const rows = list.items.map((task) => {
    const owner = task.owner === null ? 'no owner' : visibleLine(task.owner)
    return { task, cells: [visibleLine(task.id), task.state, owner, ago(task.updatedAt, page)] }
  })
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map(({ cells }) => width(cells[at]))))
  const lines = rows.map(({ task, cells }) => {
    const padded = cells.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - width(cell)))
    const room = page.columns === null ? null : page.columns - padded.join('  ').length - 2
    const goal = prose(task.goal)
    const [first = '', state = '', ...others] = padded
    const painted = [
      page.paint.dim(first),
      state.replace(task.state, page.paint.state(task.state)),
      ...others,
      room === null || room < GOAL_ROOM_MIN ? goal : cutTo(room, goal),
    ]
    return `${painted.join('  ')}\n`
  })
  return { out: `${lines.join('')}${moreLine(list, page, largerLimit(list))}` }
}

const width = (cell: string | undefined): number => Bun.stringWidth(cell ?? '')

/** Where less is left, a goal runs on to the next line. */
const GOAL_ROOM_MIN = 20
const FILES_SHOWN_MAX = 50

function checkpointText(checkpoint: CheckpointView, page: Page): string {
  const { task, commit, files, symbols, incomplete } = checkpoint
  const what = `${counted(files.length, 'file')}, ${counted(symbols.length, 'symbol')}`
  const shown = files.slice(0, FILES_SHOWN_MAX).map(({ path, status, from }) => {
    const origin = from === null ? '' : ` (from ${visibleLine(from)})`
    return `  ${status.padEnd(8)}  ${visibleLine(path)}${origin}\n`
  })
  const left = files.length - shown.length
  return [
    `${id(task, page)} checkpoint ${shortCommit(commit)}, ${what} changed since its base\n`,
    ...shown,
    ...(left > 0 ? [`  … and ${left} more: \`av diff\` shows all\n`] : []),
    ...leftOut('too large', incomplete.tooLarge),
    ...leftOut('name cannot be kept', incomplete.badNames),
    ...leftOut('repository of its own', incomplete.nested),
    ...checkpoint.conflicts.map((path) => `  conflict  ${visibleLine(path)}\n`),
  ].join('')
}

function leftOut(why: string, paths: readonly string[]): readonly string[] {
  const shown = paths.slice(0, FILES_SHOWN_MAX)
  const left = paths.length - shown.length
  return [
    ...shown.map((path) => `  left out (${why}): ${visibleLine(path)}\n`),
    ...(left > 0 ? [`  left out (${why}): ${left} more\n`] : []),
  ]
}
