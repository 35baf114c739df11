import { type LexicalIndex, type LexicalView, type RecordView, symbolsOf } from './lexical.ts'
import { compareBytes } from './order.ts'
import type { FileCandidate, SymbolCandidate } from './pack-candidate.ts'
import { codeId } from './pack-code.ts'
import { selectCandidates } from './pack-select.ts'
import { fuse, type Ranks, ranking, scaled } from './rank.ts'
import type { TaskRecord } from './record.ts'
import { FACTORS, RECORD_FACTORS } from './weights.ts'

/**
 * Files and symbols that the words speak of, best first. A file of which symbols are found is told by those, and
 * has a line of its own only when the words name it. What is near them without speaking of it itself (by a record,
 * by a reference) is left out.
 */
export function searchCode(
  index: LexicalIndex,
  view: LexicalView,
  records: RecordView,
  words: readonly string[],
): readonly FoundCode[] {
  const { files, symbols } = selectCandidates({
    ...{ index, view, records, goal: words.join(' '), focus: words },
    ...{ changed: [], ownRecords: [], ownPaths: [] },
  })
  const direct = symbols.filter(isDirect)
  const told = new Set(direct.map(({ path }) => path))
  const alone = files.filter(isDirect).filter(({ path }) => !told.has(path) || isNamed(path, words))
  const ranked = [...alone.map(foundFile), ...direct.map(foundSymbol)].sort(better)
  const ids = new Set<string>()
  return ranked.flatMap(({ found }) => {
    // Two places with one id are told apart by `path:Symbol`; the better one keeps it.
    if (ids.has(found.id)) return []
    ids.add(found.id)
    return [found]
  })
}

export type FoundCode = {
  readonly id: string
  readonly path: string
  /** Null: the file itself. */
  readonly symbol: SymbolCandidate['symbol'] | null
}

/** Lists that a thing is in for what it says itself. */
const DIRECT = ['words', 'symbols', 'named', 'focus'] as const

function isDirect({ ranks }: { readonly ranks: Ranks }): boolean {
  return DIRECT.some((list) => ranks[list] !== undefined)
}

type RankedCode = { readonly found: FoundCode; readonly score: number; readonly line: number }

function foundFile({ path, score }: FileCandidate): RankedCode {
  return { found: { id: codeId(path, '', 0), path, symbol: null }, score, line: 0 }
}

/** Here a symbol is worth as much as a file: the factor that divides a pack between them is taken out. */
function foundSymbol({ path, symbol, score }: SymbolCandidate): RankedCode {
  const found = { id: codeId(path, symbol.name, symbol.nth), path, symbol }
  return { found, score: Math.floor((score * 1_000) / FACTORS.symbol), line: symbol.line }
}

function better(a: RankedCode, b: RankedCode): number {
  return (
    b.score - a.score ||
    compareBytes(a.found.path, b.found.path) ||
    a.line - b.line ||
    compareBytes(a.found.id, b.found.id)
  )
}

/** By its whole path, or by the end of it. */
function isNamed(path: string, words: readonly string[]): boolean {
  return words.some((word) => path === word || path.endsWith(`/${word}`))
}

/** Records of a search, best first, weighed by what their kind tells; ties by position, newest first. */
export function weighRecords(hits: readonly TaskRecord[]): readonly TaskRecord[] {
  const lists = { words: ranking(hits.map(({ id }) => id)) }
  const scores = new Map(
    fuse(lists, { words: 1_000 }, compareBytes).map(({ key, score }) => [key, score]),
  )
  const scoreOf = ({ id, kind }: TaskRecord) => scaled(scores.get(id) ?? 0, RECORD_FACTORS[kind])
  return hits.toSorted((a, b) => scoreOf(b) - scoreOf(a) || b.position - a.position)
}

/** The place of this id in a view; null when nothing there has it. Looks at every symbol. */
export function placeOfCodeId(
  view: LexicalView,
  id: string,
): { readonly path: string; readonly symbol: string | null; readonly line: number | null } | null {
  for (const file of view.byPath.values()) {
    const { path } = file
    if (codeId(path, '', 0) === id) return { path, symbol: null, line: null }
    for (const { name, nth, line } of symbolsOf(file)) {
      if (codeId(path, name, nth) === id) return { path, symbol: name, line }
    }
  }
  return null
}
