import type {
  AttestationView,
  ReviewItem,
  ReviewView,
  ThreadView,
  VerdictView,
} from '../../api/review-views.ts'
import type { List, LogItem, TaskView } from '../../api/views.ts'
import { prose, visibleLine } from '../visible.ts'
import { ago, counted, facts, id, indented, largerLimit, moreLine, shortCommit } from './lines.ts'
import type { Page, Rendered } from './page.ts'
import { standing, taskHead } from './tasks.ts'
import { logItem } from './why.ts'
import { uncoveredLines } from './work.ts'

export const reviewRenderers = {
  'review.list': (list: List<ReviewItem>, page: Page): Rendered => ({
    out: `${list.items.map((item) => reviewLine(item, page)).join('')}${moreLine(list, page, largerLimit(list))}`,
    ...(list.items.length === 0 && { talk: 'Nothing waits for a review.\n' }),
  }),
  'review.show': (review: ReviewView, page: Page): Rendered => ({
    out: reviewText(review, page),
    talk: `\`av diff ${visibleLine(review.id)}\` shows the change itself.\n`,
  }),
  'review.resolve': (record: LogItem, page: Page): Rendered => ({
    out: `${id(record.id, page)} resolved\n  ${prose(record.summary)}\n`,
  }),
  approve: (task: TaskView, page: Page): Rendered => ({
    out: `${taskHead(task, page)}${facts(standing(task))}`,
    talk: `\`av merge ${visibleLine(task.id)}\` lands it.\n`,
  }),
  'request-changes': (task: TaskView, page: Page): Rendered => ({ out: taskHead(task, page) }),
  attest: (report: AttestationView, page: Page): Rendered => ({
    out: `${id(report.task, page)} ${checkWords(report)}\n`,
  }),
} as const

function reviewLine(item: ReviewItem, page: Page): string {
  const { files, symbols, openThreads, failing, approvedBy } = item
  const what = [
    `${counted(files, 'file')}, ${counted(symbols, 'symbol')}`,
    approvedBy === null ? 'not approved' : `approved by ${visibleLine(approvedBy)}`,
    ...(openThreads === 0 ? [] : [`${counted(openThreads, 'open point')}`]),
    ...(failing.length === 0 ? [] : [`failing: ${failing.map(visibleLine).join(', ')}`]),
    `waiting since ${ago(item.updatedAt, page)}`,
  ]
  return `${taskHead(item, page)}  ${what.join('; ')}\n`
}

const FILES_SHOWN_MAX = 50

function reviewText(review: ReviewView, page: Page): string {
  const { files, threads, records, verdicts, attestations, head } = review
  const inThreads = new Set(
    threads.flatMap(({ root, replies }) => [root.id, ...replies.map((reply) => reply.id)]),
  )
  const left = files.length - FILES_SHOWN_MAX
  return [
    taskHead(review, page),
    facts([['checkpoint', head === null ? 'none yet' : shortCommit(head)], ...standing(review)]),
    section('Changes', [
      ...files
        .slice(0, FILES_SHOWN_MAX)
        .map(({ path, status }) => `  ${status.padEnd(8)}  ${visibleLine(path)}\n`),
      ...(left > 0 ? [`  … and ${left} more: \`av diff ${visibleLine(review.id)}\`\n`] : []),
      uncoveredLines(review.uncovered),
    ]),
    section(
      'Why',
      records.filter((record) => !inThreads.has(record.id)).map((record) => logItem(record, page)),
    ),
    section(
      'Points',
      threads.map((thread) => threadText(thread, page)),
    ),
    section(
      'Checks',
      attestations.map((one) => `  ${checkWords(one)}, ${ago(one.at, page)}\n`),
    ),
    section(
      'Verdicts',
      verdicts.map((verdict) => verdictLine(verdict, page)),
    ),
  ].join('')
}

function section(title: string, lines: readonly string[]): string {
  const text = lines.join('')
  return text === '' ? '' : `\n${title}\n${text}`
}

function threadText({ root, replies, isOpen }: ThreadView, page: Page): string {
  const answers = replies.map(
    (reply) =>
      `    ${visibleLine(reply.author)}: ${prose(reply.summary)}\n${reply.body === '' ? '' : indented(reply.body, reply.id)}`,
  )
  return `${logItem(root, page)}  ${isOpen ? 'open' : 'resolved'}\n${answers.join('')}`
}

function checkWords({ name, exit, dirty, commit, by, command }: AttestationView): string {
  return [
    `${visibleLine(name)} ${exit === 0 ? 'passed' : `failed with ${exit}`}`,
    `on ${shortCommit(commit)}${dirty ? ' and changes beyond it' : ''}`,
    `says ${visibleLine(by)}`,
    ...(command === '' ? [] : [visibleLine(command)]),
  ].join(', ')
}

function verdictLine(verdict: VerdictView, page: Page): string {
  const { result, by, isSelf, isCarried, carriedOver, tip, counts, at } = verdict
  const what = result === 'approve' ? 'approved' : 'changes asked for'
  const words = [
    `${what} by ${visibleLine(by)}${isSelf ? ' (its own owner)' : ''}`,
    `at ${shortCommit(tip)}`,
    ago(at, page),
    ...(isCarried ? ['carried to a newer trunk'] : []),
    ...(carriedOver.length === 0 ? [] : [`over ${carriedOver.map(visibleLine).join(', ')}`]),
    ...(result === 'approve' && !counts ? ['does not count any more'] : []),
  ]
  return `  ${words.join(', ')}\n`
}
