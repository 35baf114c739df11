import { clip, codeLine, proseLine } from './sanitise.ts'
import { countChars, utf8Bytes } from './text.ts'

/** UTF-8 bytes of a whole message. */
const MESSAGE_BYTES_MAX = 8 * 1024
const RECEIPTS_MAX = 20
const SUBJECT_CHARS_MAX = 72
/** Code points of a line of the body, except where one word is longer. */
const LINE_CHARS_MAX = 72
const GOAL_CHARS_MAX = 1_200
const BODY_CHARS_MAX = 300

/** A record as the message tells it. */
export type LandingRecord = {
  readonly id: string
  readonly summary: string
  readonly body: string
}

/**
 * The message of the commit that lands on trunk, for readers who only have git: the goal, decisions and dead ends in
 * the order given, and trailers as the last paragraph. At most 8 KiB; what did not fit is counted.
 *
 * Goal and records are untrusted. Below the subject no line of theirs stands at a line's start: each is a list item, or
 * indented. So none is a trailer, a comment, a divider, a header or a patch to git, whatever it says.
 */
export function landingMessage(input: {
  readonly task: { readonly id: string; readonly goal: string }
  readonly decisions: readonly LandingRecord[]
  readonly deadEnds: readonly LandingRecord[]
  readonly receipts: readonly string[]
  readonly kind?: 'merge' | 'revert'
  /** Of a revert: what it takes back. */
  readonly reverted?: { readonly commit: string; readonly goal: string }
}): string {
  const id = token(input.task.id)
  const head = input.kind === 'revert' ? revertHead(input) : mergeHead(input.task.goal)
  const trailers = [`Av-Task: ${id}`, ...receiptTrailers(input.receipts)]
  const fixed = [...head, `${trailers.join('\n')}\n`].join('\n\n')
  const lists = [
    listOf('Decisions:', input.decisions, id),
    listOf('Dead ends:', input.deadEnds, id),
  ].filter(({ items }) => items.length > 0)
  fill(lists, MESSAGE_BYTES_MAX - utf8Bytes(fixed))
  const told = lists.map(paragraph)
  return [...head, ...told, `${trailers.join('\n')}\n`].join('\n\n')
}

function mergeHead(goal: string): string[] {
  const [first = '', ...rest] = goal
    .trim()
    .split(/\r\n?|\n/)
    .map(goalLine)
  const line = subjectLine(first)
  const subject = wholeWords(line, SUBJECT_CHARS_MAX)
  const lines = subject === line ? rest : [first, ...rest]
  const told = lines.filter((line) => line !== '').join('\n')
  return told === '' ? [subject] : [subject, indented(clip(told, GOAL_CHARS_MAX)).join('\n')]
}

/** A list item stays one: indented as it will be, it is no mark to anybody. */
function goalLine(line: string, at: number): string {
  const item = at === 0 ? null : /^\s{0,8}[-*+]\s+(\S.*)$/s.exec(line)
  return item === null
    ? proseLine(line, GOAL_CHARS_MAX)
    : `- ${proseLine(item[1]!, GOAL_CHARS_MAX)}`
}

function revertHead({
  task,
  reverted,
}: Pick<Parameters<typeof landingMessage>[0], 'task' | 'reverted'>): string[] {
  const [first = ''] = (reverted?.goal ?? task.goal).trim().split(/\r\n?|\n/)
  const line = cutScissors(proseLine(first, GOAL_CHARS_MAX))
  const goal = wholeWords(line, SUBJECT_CHARS_MAX - 'Revert ""'.length)
  const subject = `Revert "${goal}"`
  return reverted === undefined
    ? [subject]
    : [subject, `This reverts commit ${token(reverted.commit)}.`]
}

/** Marks that git or a rebase acts on at a subject's start are escaped. */
function subjectLine(line: string): string {
  const safe = /^(?:fixup|squash|amend)!|^;/i.test(line) ? `\\${line}` : line
  return safe === '' ? '(no goal)' : cutScissors(safe)
}

function receiptTrailers(receipts: readonly string[]): string[] {
  const cited = receipts.filter((receipt) => /^rcp:[0-9a-f]{1,64}$/.test(receipt))
  return [...new Set(cited)].slice(0, RECEIPTS_MAX).map((receipt) => `Av-Receipt: ${receipt}`)
}

type List = {
  readonly title: string
  readonly items: readonly { readonly short: string; readonly long: string }[]
  readonly more: (count: number) => string
  /** How many of the items are told, from the first on, and which of them with their reasons. */
  shown: number
  readonly long: Set<number>
}

function listOf(title: string, records: readonly LandingRecord[], task: string): List {
  const items = records.map(({ summary, body }) => {
    const said = proseLine(summary)
    const short = `- ${said === '' ? '(empty)' : indented(said).join('\n').trimStart()}`
    const [first = ''] = body
      .replace(/\r\n?/g, '\n')
      .trim()
      .split(/\n[^\S\n]*\n/, 1)
    const reason = proseLine(first, BODY_CHARS_MAX)
    return { short, long: [short, ...indented(reason)].join('\n') }
  })
  const more = (count: number) => `(and ${count} more: av log --task ${task})`
  return { title, items, more, shown: 0, long: new Set() }
}

/** First as many summaries as fit, of both lists by turns; then as many reasons. */
function fill(lists: readonly List[], bytes: number): void {
  let left = bytes
  for (const list of lists) left -= utf8Bytes(`\n\n${list.title}\n${list.more(list.items.length)}`)
  const take = (cost: number) => {
    if (cost > left) return false
    left -= cost
    return true
  }
  const longest = Math.max(0, ...lists.map(({ items }) => items.length))
  for (let at = 0; at < longest; at++) {
    for (const list of lists) {
      const item = list.items[at]
      if (item !== undefined && list.shown === at && take(1 + utf8Bytes(item.short))) list.shown++
    }
  }
  for (let at = 0; at < longest; at++) {
    for (const list of lists) {
      const item = list.items[at]
      if (item === undefined || at >= list.shown) continue
      if (take(utf8Bytes(item.long) - utf8Bytes(item.short))) list.long.add(at)
    }
  }
}

function paragraph({ title, items, more, shown, long }: List): string {
  const told = items.slice(0, shown).map((item, at) => (long.has(at) ? item.long : item.short))
  const rest = items.length - shown
  return [title, ...told, ...(rest > 0 ? [more(rest)] : [])].join('\n')
}

/** Lines of prose, wrapped between words and indented by two. */
function indented(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = []
    let last = ''
    for (const word of cutScissors(line).split(' ')) {
      if (last !== '' && countChars(last) + 1 + countChars(word) > LINE_CHARS_MAX - 2) {
        lines.push(last)
        last = word
      } else last = last === '' ? word : `${last} ${word}`
    }
    return last === '' ? lines.map(indent) : [...lines, last].map(indent)
  })
}

const indent = (line: string): string => `  ${line}`

/** `-- >8 --` makes `git am` drop what stands above it, however far it is indented. */
function cutScissors(line: string): string {
  return line.replace(/(?<=-.*)(?:>8|8<|>%|%<)|(?:>8|8<|>%|%<)(?=.*-)/g, (mark) =>
    mark.split('').join('\\'),
  )
}

/** At most `max` code points, `…` included, cut between words where there are some. */
function wholeWords(line: string, max: number): string {
  if (countChars(line) <= max) return line
  const start = [...line].slice(0, max - 1).join('')
  const space = start.lastIndexOf(' ')
  return `${space > max / 2 ? start.slice(0, space) : start}…`
}

/** An id within a line of ours: one word. */
function token(text: string): string {
  return codeLine(text, 100).replaceAll(' ', '-')
}
