import { RunMemo } from './run-memo.ts'

/** Part of the index version: what is stored by content hash was cut by these rules. */
export const TERMS_VERSION = 1

/**
 * Cuts text into search terms, in order, repeats kept: each identifier of several parts as a whole,
 * lower-cased and tagged (`parseUrl` → `#parseurl`), then its parts, lightly stemmed (`pars`, `url`).
 * Scripts written without spaces give overlapping pairs of characters. Words that say nothing in
 * code or in a commit message, and single characters, are left out.
 *
 * Depends on nothing but the text and the Unicode tables of the running Bun.
 */
export function terms(text: string): string[] {
  return readRuns(text, IDENTIFIERS)
}

/**
 * What each run of word characters of a text stands for, in order. Runs are cut as `terms` cuts them:
 * single ASCII characters are left out.
 */
export function readRuns<Meaning>(text: string, memo: RunMemo<readonly Meaning[]>): Meaning[] {
  const out: Meaning[] = []
  const normal = isAscii(text) ? text : text.normalize('NFC')
  const end = normal.length
  let at = 0
  while (at < end) {
    const stop = wordEnd(normal, at, end)
    if (stop === at) at++
    else {
      if (stop - at > 1 || normal.charCodeAt(at) > 127) {
        const found = memo.of(normal, at, stop)
        for (let k = 0; k < found.length; k++) out.push(found[k]!)
      }
      at = stop
    }
  }
  return out
}

/** Longer runs of word characters are data (base64, minified code), unless cut into pairs below. */
const RUN_MAX = 256
const WHOLE_MAX = 60
const PART_MAX = 40

const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be by for from if in into is it no not of on or such that the their then there
  these they this to was will with fix feat add added adds used use using when should can could would
  we i you support update make also new remove return type const let var function import export
  default test tests async await string number boolean true false null undefined self def class`.split(
    /\s+/,
  ),
)

const ASCII_WORD = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[A-Za-z0-9_$]/.test(String.fromCharCode(unit)) ? 1 : 0,
)
const UNICODE_RUN = /[\p{L}\p{N}\p{M}_$]+/uy
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'
const PARTS = new RegExp(
  `(?=[\\p{Lo}\\p{Lm}])[${UNSPACED}][${UNSPACED}\\p{M}]*|\\p{Lu}+(?=\\p{Lu}\\p{Ll})|\\p{Lu}?[\\p{Ll}\\p{M}]+|[\\p{Lu}\\p{Lt}]+|\\p{N}+|(?:(?![${UNSPACED}])[\\p{Lo}\\p{Lm}\\p{M}])+`,
  'gu',
)
/** `PARTS` of ASCII. */
const ASCII_PARTS = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g
const UNSPACED_START = new RegExp(`^(?=[\\p{Lo}\\p{Lm}])[${UNSPACED}]`, 'u')

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}

/**
 * The end of the run of word characters that begins at `from`, or `from`. Nearly all are ASCII; only
 * one that is not pays for Unicode properties.
 */
function wordEnd(text: string, from: number, end: number): number {
  let stop = from
  while (stop < end) {
    const unit = text.charCodeAt(stop)
    if (unit > 127) {
      UNICODE_RUN.lastIndex = from
      return UNICODE_RUN.test(text) ? UNICODE_RUN.lastIndex : from
    }
    if (ASCII_WORD[unit] === 0) break
    stop++
  }
  return stop
}

/** Of one run, as `terms` gives them; `identifier` in normal form C. */
export function identifierTerms(identifier: string): readonly string[] {
  if (identifier.length > RUN_MAX && !UNSPACED_START.test(identifier)) return []
  const parts = identifier.match(isAscii(identifier) ? ASCII_PARTS : PARTS) ?? []
  const out: string[] = []
  if (parts.length > 1) {
    const whole = identifier.toLowerCase().replace(/^[_$]+|[_$]+$/g, '')
    if (whole.length > 1 && whole.length <= WHOLE_MAX) out.push(`#${whole}`)
  }
  for (const part of parts) {
    if (part.charCodeAt(0) > 127 && UNSPACED_START.test(part)) {
      pushPairs(part, out)
      continue
    }
    const word = part.toLowerCase()
    if (word.length > 1 && word.length <= PART_MAX && !STOP_WORDS.has(word)) out.push(stem(word))
  }
  return out
}

function pushPairs(run: string, out: string[]): void {
  const points = [...run]
  if (points.length === 1) out.push(run)
  for (let i = 0; i + 1 < points.length; i++) out.push(points[i]! + points[i + 1]!)
}

/** Takes off the commonest English endings; only has to map a word's forms to one term. */
function stem(word: string): string {
  if (word.length < 4) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  const singular = word.endsWith('s') && !/[sui]s$/.test(word) ? word.slice(0, -1) : word
  if (singular.length > 6 && singular.endsWith('ing')) return singular.slice(0, -3)
  if (singular.length > 5 && singular.endsWith('ed')) return singular.slice(0, -2)
  return singular
}

const IDENTIFIERS = new RunMemo<readonly string[]>(identifierTerms)
