import type { ClaimView, HandoffView, SubmitView } from '../../api/review-views.ts'
import type { Output } from '../../api/routes.ts'
import type { TaskView } from '../../api/views.ts'
import { visible, visibleLine } from '../visible.ts'
import { ago, facts } from './lines.ts'
import type { Page, Rendered } from './page.ts'
import { standing, taskHead } from './tasks.ts'

export const workRenderers = {
  submit: (task: SubmitView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${uncoveredLines(task.uncovered)}`,
    talk: `\`av review show ${visibleLine(task.id)}\` shows what there is to review.\n`,
  }),
  handoff: (task: HandoffView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${uncoveredLines(task.uncovered)}\n${shownText(task.bundle, page)}`,
    talk: `\`av claim ${visibleLine(task.id)}\` takes it up.\n`,
  }),
  'handoff.show': ({ bundle, tokens, budget }: Output<'handoff.show'>, page: Page): Rendered => ({
    out: shownText(bundle, page),
    talk: `${tokens} of ${budget} tokens.\n`,
  }),
  claim: (task: ClaimView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts([
      ['workspace', visibleLine(task.workspace ?? 'none here')],
      ['claim', claimWords(task, page)],
    ])}`,
    ...(!task.isRenewal && {
      talk: `\`av handoff show ${visibleLine(task.id)}\` tells what is known of it.\n`,
    }),
  }),
  abandon: (task: TaskView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts(standing(task))}`,
  }),
  resolve: (task: TaskView, page: Page): Rendered => ({
    out: taskHead(task, page),
    talk: '`av submit` asks for a review again.\n',
  }),
} as const

const UNCOVERED_SHOWN_MAX = 50

/** `path:Symbol` of what no record explains. */
export function uncoveredLines(uncovered: readonly string[]): string {
  const shown = uncovered.slice(0, UNCOVERED_SHOWN_MAX)
  const left = uncovered.length - shown.length
  return [
    ...shown.map((symbol) => `  no record says why: ${visibleLine(symbol)}\n`),
    ...(left > 0 ? [`  … and ${left} more\n`] : []),
  ].join('')
}

function shownText(text: string, page: Page): string {
  return page.isTty ? visible(text) : text
}

function claimWords({ generation, isRenewal, previous }: ClaimView, page: Page): string {
  if (isRenewal) return `yours already, in generation ${generation}; the lease is longer now`
  if (previous === null) return `generation ${generation}, the first`
  const { actor, since } = previous
  return `generation ${generation}, after ${visibleLine(actor)} who held it since ${ago(since, page)}`
}
