import type { PackItem } from './pack-item.ts'
import type { CountTokens } from './pack-text.ts'
import { block } from './sanitise.ts'

/**
 * The one line that refers back to what the reader has already. Its tokens are reserved before it
 * is known which items it names: an item that is sent again at a richer tier drops out of it.
 * Required ones are all named, others, best first, as far as a small share of the budget reaches.
 * @param all what the reader has, best first
 * @param room tokens of the budget that nothing has yet
 */
export function sentLine(
  all: readonly PackItem[],
  budget: number,
  room: number,
  countTokens: CountTokens,
): SentLine {
  // The pack's first line names the task: that its goal was told goes without saying.
  const known = all.filter(({ kind }) => kind !== 'goal')
  const required = known.filter((item) => item.required).map(nameOf)
  const least = countTokens(lineOf(required, COUNT_WIDEST))
  const share = Math.max(SHARE_MIN, Math.floor(budget * SHARE))
  const free = Math.min(share, Math.floor(room * ROOM_SHARE))
  const isWanted = required.length > 0 || (known.length > 0 && least <= free)
  if (!isWanted) return { reserved: 0, text: () => '' }
  const max = required.length > 0 ? least + free : free
  const reserved = countTokens(lineOf(named(known, COUNT_WIDEST, max), COUNT_WIDEST))
  return {
    reserved,
    text: (items) => {
      const referred = items.filter(({ kind }) => kind !== 'goal')
      if (referred.length === 0) return ''
      const names = named(referred, referred.length, reserved)
      return lineOf(names, referred.length - names.length)
    },
  }

  function named(items: readonly PackItem[], count: number, tokensMax: number): string[] {
    const names = items.filter((item) => item.required).map(nameOf)
    const others = items.filter((item) => !item.required && NAMED.has(item.kind))
    for (const item of others.slice(0, NAMES_MAX)) {
      const more = [...names, nameOf(item)]
      if (countTokens(lineOf(more, count)) > tokensMax) break
      names.push(nameOf(item))
    }
    return names
  }
}

export type SentLine = {
  /** Tokens it takes at most; 0: there is none. */
  readonly reserved: number
  /** Of those that are not sent again, in their order. */
  readonly text: (items: readonly PackItem[]) => string
}

const SHARE = 0.05
const SHARE_MIN = 16
const ROOM_SHARE = 0.15
const NAMES_MAX = 12
const COUNT_WIDEST = 99_999

/** Folders are counted only. */
const NAMED = new Set<PackItem['kind']>(['record', 'rule', 'file', 'symbol', 'work'])

function lineOf(names: readonly string[], more: number): string {
  if (names.length === 0) return block([`sent before: ${more} ${more === 1 ? 'item' : 'items'}`])
  return block([`sent before: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`])
}

/** What `av expand` finds it by: code by its place, where that can be read for nothing else. */
function nameOf({ id, place }: PackItem): string {
  if (place === null || !PLAIN_PATH.test(place.path)) return id
  if (place.symbol === null) return place.path
  return PLAIN_NAME.test(place.symbol) ? `${place.path}:${place.symbol}` : id
}

const PLAIN_PATH = /^[\w.@+-]{1,60}(?:\/[\w.@+-]{1,60}){0,6}$/
const PLAIN_NAME = /^[A-Za-z_$][\w$.]{0,60}$/
