import { Fault } from './fault.ts'
import { type BundleFacts, type Entries, type Entry, entriesOf } from './handoff-entries.ts'
import { block, codeLine } from './sanitise.ts'

/** Tokens of a bundle, unless asked otherwise. */
export const HANDOFF_BUDGET = 2_000

export type HandoffBundle = {
  readonly text: string
  readonly tokens: number
  /** Ids of the records that the text tells, in its order. */
  readonly shown: readonly string[]
  /** How many things it could have told, and does not: records, items of the handoff, files, symbols, questions. */
  readonly omitted: number
}

/**
 * What the next owner of a task has to know, as Markdown of at most `budget` tokens: goal and state, the last handoff,
 * decisions and dead ends, other records, changes, open questions. The same facts give the same bytes. What has no room
 * is counted in the last line. Bodies go before summaries, notes before decisions and dead ends, symbols before files.
 * @throws Fault `bad_input` when goal and state alone need more
 */
export function handoffBundle(
  input: BundleFacts & { readonly budget: number },
  countTokens: (text: string) => number,
): HandoffBundle {
  const entries = entriesOf(input)
  const bundle = new Bundle(input.task.id, entries, countTokens)
  const least = bundle.tokens()
  const { budget } = input
  if (bundle.takeAll(budget)) return bundle.told()
  // Telling all can take less than telling that something was left out.
  if (!(least <= budget)) throw tooSmall(budget, bundle.takeAll(least) ? bundle.tokens() : least)
  bundle.reserve(budget)
  for (const step of stepsOf(entries)) bundle.take(step, Math.floor(step.share * budget))
  // Only a counter whose counts do not add up gets here with too much.
  while (bundle.tokens() > budget) bundle.giveBack()
  return bundle.told()
}

/** Entries that are taken in turn, each at one of its texts. */
type Step = {
  readonly entries: readonly Entry[]
  /** Index of the text; an entry without so rich a text is passed over. */
  readonly tier: number
  /** Of the budget, at most. */
  readonly share: number
  /** Taken only when these are in, whole, at that text or their richest. */
  readonly after: readonly { readonly entries: readonly Entry[]; readonly tier: number }[]
}

function stepsOf(all: Entries): Step[] {
  const { head, decisions, others, files, symbols, threads } = all
  const { done, remaining, broken, open } = all.handoff
  const handoff = [...remaining, ...broken, ...open, ...done]
  const summaries = [decisions, others].map((entries) => ({ entries, tier: 0 }))
  const step = (
    entries: readonly Entry[],
    tier: number,
    { share = 1, after = [] }: Partial<Pick<Step, 'share' | 'after'>> = {},
  ): Step => ({ entries, tier, share, after })
  const afterFiles = [{ entries: files, tier: 0 }]
  return [
    step([head], 1, { share: 0.3 }),
    step([head], 2, { share: 0.3 }),
    step(handoff, 0, { share: 0.35 }),
    step(decisions, 0, { share: 0.5 }),
    step(threads, 0, { share: 0.2 }),
    step(files, 0, { share: 0.25 }),
    step(decisions, 0),
    step(others, 0, { after: summaries.slice(0, 1) }),
    step(symbols, 0, { share: 0.15, after: afterFiles }),
    step(handoff, 0),
    step(threads, 0),
    step(decisions, 1, { after: summaries }),
    step(handoff, 1, { after: summaries }),
    step(threads, 1, { after: summaries }),
    step(others, 1, { after: [...summaries, { entries: decisions, tier: 1 }] }),
    step(files, 0),
    step(symbols, 0, { after: afterFiles }),
  ]
}

/** A bundle as it is filled: which entry is in at which of its texts. */
class Bundle {
  private readonly sections: readonly Section[]
  private readonly tiers = new Map<Entry, number>()
  /** Each change of a tier, so that the last can be taken back. */
  private readonly taken: { readonly entry: Entry; readonly before: number | undefined }[] = []
  private left = 0

  constructor(
    private readonly task: string,
    entries: Entries,
    private readonly countTokens: (text: string) => number,
  ) {
    this.sections = sectionsOf(entries)
    this.tiers.set(entries.head, 0)
  }

  /** Takes every entry at its richest, if that is within the budget. */
  takeAll(budget: number): boolean {
    const all = this.sections.flatMap(({ entries }) => entries)
    let tokens = 0
    for (const { texts } of all) {
      tokens += this.countTokens(texts.at(-1)!)
      if (tokens > budget) return false
    }
    const before = [...this.tiers]
    for (const entry of all) this.tiers.set(entry, entry.texts.length - 1)
    if (this.tokens() <= budget) return true
    this.tiers.clear()
    for (const [entry, tier] of before) this.tiers.set(entry, tier)
    return false
  }

  /** Sets apart what is told in any case: what is in already, and the last line at its widest. */
  reserve(budget: number): void {
    const widest = new Map([...this.tally().nouns.keys()].map((noun) => [noun, WIDEST]))
    const line = lastLine(this.task, { nouns: widest, shortened: WIDEST })
    this.left = budget - this.countTokens(this.body()) - this.countTokens(line)
  }

  take({ entries, tier, after }: Step, room: number): void {
    if (!after.every(({ entries, tier }) => entries.every((one) => this.isAt(one, tier)))) return
    let cap = Math.min(room, this.left)
    for (const entry of entries) {
      const before = this.tiers.get(entry)
      if (entry.texts[tier] === undefined || (before ?? -1) !== tier - 1) continue
      const cost = this.cost(entry, tier)
      if (cost <= cap) {
        cap -= cost
        this.left -= cost
        this.taken.push({ entry, before })
        this.tiers.set(entry, tier)
      } else if (tier === 0) return // what comes later is worth less
    }
  }

  giveBack(): void {
    const last = this.taken.pop()
    if (last === undefined)
      throw new RangeError('a handoff bundle over its budget has nothing to give back')
    if (last.before === undefined) this.tiers.delete(last.entry)
    else this.tiers.set(last.entry, last.before)
  }

  tokens(): number {
    return this.countTokens(this.text())
  }

  told(): HandoffBundle {
    const text = this.text()
    const shown = this.sections
      .flatMap(({ entries }) => entries)
      .filter((entry) => this.tiers.has(entry))
      .flatMap(({ record }) => record ?? [])
    const omitted = [...this.tally().nouns.values()].reduce((sum, count) => sum + count, 0)
    return { text, tokens: this.countTokens(text), shown: [...new Set(shown)], omitted }
  }

  private isAt(entry: Entry, tier: number): boolean {
    return (this.tiers.get(entry) ?? -1) >= Math.min(tier, entry.texts.length - 1)
  }

  /** Tokens that the entry's next text adds, its section's heading included when it is the first. */
  private cost(entry: Entry, tier: number): number {
    const text = this.countTokens(entry.texts[tier]!)
    if (tier > 0) return text - this.countTokens(entry.texts[tier - 1]!)
    const { heading, entries } = this.sections.find(({ entries }) => entries.includes(entry))!
    return entries.some((one) => this.tiers.has(one)) ? text : text + this.countTokens(heading)
  }

  private text(): string {
    return this.body() + lastLine(this.task, this.tally())
  }

  private body(): string {
    return this.sections
      .map(({ heading, entries }) => {
        const told = entries.flatMap((entry) => {
          const tier = this.tiers.get(entry)
          return tier === undefined ? [] : [entry.texts[tier]!]
        })
        return told.length === 0 ? '' : heading + told.join('')
      })
      .join('')
  }

  private tally(): Tally {
    const nouns = new Map<Entry['noun'], number>()
    let shortened = 0
    for (const entry of this.sections.flatMap(({ entries }) => entries)) {
      const tier = this.tiers.get(entry)
      if (tier === undefined) nouns.set(entry.noun, (nouns.get(entry.noun) ?? 0) + 1)
      else if (tier < entry.texts.length - 1) shortened++
    }
    return { nouns, shortened }
  }
}

type Section = { readonly heading: string; readonly entries: readonly Entry[] }

function sectionsOf(all: Entries): Section[] {
  const { done, remaining, broken, open } = all.handoff
  const { head, handoffHeading, decisions, others, files, symbols, threads } = all
  return [
    { heading: '', entries: [head] },
    { heading: handoffHeading, entries: [...done, ...remaining, ...broken, ...open] },
    { heading: '## Decisions & dead ends\n', entries: decisions },
    { heading: '## Other records\n', entries: others },
    { heading: '## Changes\n', entries: [...files, ...symbols] },
    { heading: '## Open questions\n', entries: threads },
  ]
}

/** How many of each kind are not told, and how many of those told are not at their richest. */
type Tally = { readonly nouns: ReadonlyMap<Entry['noun'], number>; readonly shortened: number }

const WIDEST = 99_999

/** What was left out and how to see it; '' when nothing was. */
function lastLine(task: string, { nouns, shortened }: Tally): string {
  const counts = [...nouns].map(([noun, count]) => `${count} ${noun}${count === 1 ? '' : 's'}`)
  const parts = [
    ...(counts.length === 0 ? [] : [`left out: ${counts.join(', ')}`]),
    ...(shortened === 0 ? [] : [`shortened: ${shortened}`]),
  ]
  const id = codeLine(task, 80)
  return parts.length === 0
    ? ''
    : block([`${parts.join('; ')} (av log --task ${id}, av diff ${id})`])
}

function tooSmall(budget: number, least: number): Fault {
  return new Fault(
    'bad_input',
    `A budget of ${budget} tokens is too small: goal and state alone need ${least}.`,
    `Give --budget ${least} or more.`,
    { detail: { reason: 'budget_too_small', budget, least } },
  )
}
