import { recordMoves } from './anchor-moves.ts'
import type { QueryTerm } from './bm25.ts'
import { focusOn, namedFiles } from './focus.ts'
import { type CodeGraph, graphOf } from './graph.ts'
import { CallNames } from './graph-names.ts'
import { nearby } from './graph-walk.ts'
import type { LexicalIndex, LexicalView, RecordHit, RecordView, SymbolHit } from './lexical.ts'
import { compareBytes } from './order.ts'
import type {
  Candidates,
  ChangedCode,
  FileCandidate,
  RecordCandidate,
  SymbolCandidate,
} from './pack-candidate.ts'
import { folderCandidates } from './pack-map.ts'
import { queryOf } from './query.ts'
import { fuse, fused, ranking, scaled, type Weights } from './rank.ts'
import type { RecordId } from './record.ts'
import { anchoredRecords, filesOfRecords, placeScores, recordsOfChanged } from './record-rank.ts'
import { NO_SEMANTICS, type SemanticLists } from './semantic-lists.ts'
import { rankSymbols } from './symbol-rank.ts'
import { factorOf, type WantedCode, wantedBy } from './wanted-code.ts'
import { LIMITS, WEIGHTS, type WeightTable } from './weights.ts'

/**
 * Goal, focus and changes → ranked candidates. Searches files, symbols and records, and fuses the
 * lists. The same state gives the same candidates in the same order, whatever else is indexed.
 */
export function selectCandidates(
  input: SelectionInput,
  weights: WeightTable = WEIGHTS,
): Candidates {
  const { index, view } = input
  const query = queryOf(input.goal, input.focus)
  const wanted = wantedBy(`${input.goal}\n${input.focus.join('\n')}`)
  const focus = focusOn(input.focus, index, view)
  const changed = input.changed.filter(({ path }) => view.byPath.has(path))
  const symbolHits = index.searchSymbols(view, query, LIMITS.symbols)
  const recordHits = index.searchRecords(input.records, query, LIMITS.records)
  const found = { symbolHits, recordHits, changed, wanted }
  const files = rankFiles(input, query, found, focus.files, weights.file)
  const { symbol } = weights
  const lists = {
    words: symbolHits,
    focus: focus.symbols,
    semantic: input.semantic?.symbols ?? [],
  }
  const symbols = rankSymbols(view, lists, changed, files, wanted, symbol)
  const graph = view.byPath.size === 0 ? null : graphOf(view)
  return {
    folders: folderCandidates(view, files, symbols, graph),
    files,
    symbols: graph === null ? symbols : withCalls(view, graph, symbols),
    records: rankRecords(input, recordHits, files, symbols, weights.record),
    taskFiles: taskFilesOf(input, focus.files, files),
    missing: view.missing,
  }
}

export type SelectionInput = {
  readonly index: LexicalIndex
  readonly view: LexicalView
  readonly records: RecordView
  readonly goal: string
  readonly focus: readonly string[]
  /** What the task changed so far, with the symbols (dotted names) where they are known. */
  readonly changed: readonly ChangedCode[]
  /** The task's own current records, newest first, without the one that repeats its goal. */
  readonly ownRecords: readonly RecordId[]
  /** Paths those are anchored at. */
  readonly ownPaths: readonly string[]
  /** Null or left out: meaning was not searched. */
  readonly semantic?: SemanticLists | null
}

/** So many of the best files are the task's, beside those it changed, names or has records on. */
export const TASK_FILES_BY_RANK = 5

type Found = {
  readonly symbolHits: readonly SymbolHit[]
  readonly recordHits: readonly RecordHit[]
  readonly changed: readonly ChangedCode[]
  readonly wanted: WantedCode
}

function rankFiles(
  { index, view, goal, semantic }: SelectionInput,
  query: readonly QueryTerm[],
  { symbolHits, recordHits, changed, wanted }: Found,
  focused: readonly string[],
  weights: Weights,
): FileCandidate[] {
  const lists = {
    words: rankingOf(index.searchFiles(view, query, LIMITS.files)),
    symbols: rankingOf(symbolHits),
    records: ranking(filesOfRecords(recordHits, view, recordMoves(index, view))),
    named: ranking(namedFiles(goal, view)),
    focus: ranking(focused),
    changed: rankingOf(changed),
  }
  const first = fusedFiles(lists, view, wanted, weights)
  const near = (weights.graph ?? 0) === 0 ? [] : nearFiles(first, view)
  const { files, symbols } = semantic ?? NO_SEMANTICS
  if (near.length + files.length + symbols.length === 0) return first
  // Meaning joins after the graph: what it alone finds is too unsure to start a walk from.
  const meant = { semantic: ranking(files), semanticSymbols: rankingOf(symbols) }
  return fusedFiles({ ...lists, graph: ranking(near), ...meant }, view, wanted, weights)
}

function rankingOf(places: readonly { readonly path: string }[]): Map<string, number> {
  return ranking(places.map(({ path }) => path))
}

function fusedFiles(
  lists: Readonly<Record<string, ReadonlyMap<string, number>>>,
  view: LexicalView,
  wanted: WantedCode,
  weights: Weights,
): FileCandidate[] {
  return fused(lists, weights)
    .map(({ key: path, ranks, score: raw }): FileCandidate => {
      const file = view.byPath.get(path)!
      const { blob, lines } = file
      const factor = factorOf(file, wanted)
      const score = scaled(raw, factor)
      return { path, blob, lines, symbolCount: file.symbols.size, ranks, factor, score }
    })
    .sort((a, b) => b.score - a.score || compareBytes(a.path, b.path))
}

/** Files that use, or are used by, the best of those found by words and records. */
function nearFiles(files: readonly FileCandidate[], view: LexicalView): string[] {
  const found = new Set(files.map(({ path }) => path))
  return nearby(graphOf(view), files.slice(0, LIMITS.graphSeeds), (path) => found.has(path))
}

function rankRecords(
  { index, view, records, ownRecords, changed, semantic }: SelectionInput,
  hits: readonly RecordHit[],
  files: readonly FileCandidate[],
  symbols: readonly SymbolCandidate[],
  weights: Weights,
): RecordCandidate[] {
  const scores = placeScores(files, symbols)
  const moves = recordMoves(index, view)
  const anchored = anchoredRecords(index, records, scores, moves)
  const atChanged = recordsOfChanged(index, records, changed, scores, moves)
  const lists = {
    words: ranking(hits.map(({ id }) => id)),
    anchored: ranking(anchored.map(({ id }) => id)),
    changed: ranking(atChanged.map(({ id }) => id)),
    own: ranking(ownRecords),
    semantic: ranking(semantic?.records ?? []),
  }
  return fuse(lists, weights, compareBytes).map(({ key, ranks }) => ({ id: key, ranks }))
}

/** The best symbols with who calls them and whom they call: more could hardly be shown in full. */
function withCalls(
  view: LexicalView,
  graph: CodeGraph,
  symbols: readonly SymbolCandidate[],
): SymbolCandidate[] {
  const names = new CallNames(view, graph)
  const best = symbols
    .slice(0, LIMITS.symbolsWithCalls)
    .map((each) =>
      each.ordinal === undefined ? each : { ...each, ...names.of(each.path, each.ordinal) },
    )
  return [...best, ...symbols.slice(LIMITS.symbolsWithCalls)]
}

function taskFilesOf(
  input: SelectionInput,
  focused: readonly string[],
  files: readonly FileCandidate[],
): string[] {
  const paths = new Set([
    ...input.changed.map(({ path }) => path),
    ...focused,
    ...input.ownPaths,
    ...files.slice(0, TASK_FILES_BY_RANK).map(({ path }) => path),
  ])
  return [...paths].sort(compareBytes)
}
