import { search } from '../../src/domain/bm25.ts'
import { type LexicalView, symbolsOf } from '../../src/domain/lexical.ts'
import { compareBytes } from '../../src/domain/order.ts'
import { Dictionary, type Group, Postings } from '../../src/domain/postings.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { terms } from '../../src/domain/terms.ts'
import { isTestPath } from '../../src/domain/test-path.ts'
import { queryTerms } from './baselines.ts'
import { isCode } from './bench-tasks.ts'
import { Answer, type BenchCase, type BenchWorld, type Contender, type Shown } from './contender.ts'
import { NameWalk } from './name-walk.ts'
import { RandomIndexing } from './random-indexing.ts'

/**
 * Line M, the best variant of the prototype that `av` began from and has to beat: BM25 over files and
 * over symbols, files of older commits with like messages, random indexing and a walk over names,
 * fused by reciprocal rank. Three quarters of the budget go to symbols by their own rank and their
 * file's, the rest to bare paths. It sees source files only, of the same trees, indexes and records.
 */
export function lineM(): Contender {
  const records = new RecordFiles()
  const meaning = new RandomIndexing()
  const walk = new NameWalk()
  return {
    name: 'line M',
    answer: (world, of, budget) => {
      const tree = of.tree.filter(({ path }) => isCode(path))
      tree.sort((a, b) => compareBytes(a.path, b.path))
      const view = world.lexical.view(tree)
      const query = queryTerms(of.task.goal)
      const words = filesByWords(view, query)
      const symbols = symbolsByWords(view, query)
      const filesOfSymbols = (max: number) => distinct(symbols.slice(0, max), ({ path }) => path)
      const seeds = fused([
        { paths: words.slice(0, SEEDS_READ), weight: 1 },
        { paths: filesOfSymbols(60).slice(0, SEEDS_READ), weight: 1 },
      ]).slice(0, SEEDS)
      const place = new Map(tree.map(({ path }, at) => [path, at]))
      const started = new Map(seeds.map(({ path, score }) => [place.get(path)!, score]))
      const indexed = tree.map(({ path, blob }) => ({ path, index: world.index(blob) }))
      const asked = query.map(({ term }) => term)
      const near = meaning.filesBySymbol(indexed, asked, 300).slice(0, FILES_OF_LIST)
      const files = fused([
        { paths: words.slice(0, 100), weight: 1 },
        { paths: filesOfSymbols(200), weight: 1 },
        { paths: records.filesFor(world, of, view, query), weight: 0.5 },
        { paths: near, weight: 0.5 },
        { paths: walk.near(world, tree, started), weight: 0.15 },
      ])
        .map(({ path, score }) => ({ path, score: isTestPath(path) ? score / 2 : score }))
        .sort((a, b) => b.score - a.score || compareBytes(a.path, b.path))
        .map(({ path }) => path)
      return packed(world, view, files, symbols, budget)
    },
  }
}

type Query = ReturnType<typeof queryTerms>
type SymbolPlace = { readonly path: string; readonly ordinal: number }

const RRF_K = 60
const BM25 = { b: 0.75 }
const SEEDS = 8
const SEEDS_READ = 20
const FILES_OF_LIST = 60
const SYMBOLS_READ = 400
const SYMBOLS_SHARE = 0.75
const SYMBOLS_PER_FILE = 6
const FILE_RANK_WEIGHT = 0.7
const UNRANKED = 500
const FIRST_FILES = 5
const MISSES_MAX = 40
const SIGNATURE_CHARS_MAX = 110

function filesByWords(view: LexicalView, query: Query): string[] {
  const path = new Map([...view.byPath.values()].map((file) => [file.texts, file.path]))
  const at = (doc: number) => path.get(view.texts.postings.groupAt(doc)!)!
  const byKey = (a: number, b: number) => compareBytes(at(a), at(b))
  return search(view.dictionary, view.texts, query, BM25, SYMBOLS_READ, byKey).map(({ doc }) =>
    at(doc),
  )
}

function symbolsByWords(view: LexicalView, query: Query): SymbolPlace[] {
  const path = new Map([...view.byPath.values()].map((file) => [file.symbols, file.path]))
  const at = (doc: number): SymbolPlace => {
    const group = view.symbols.postings.groupAt(doc)!
    return { path: path.get(group)!, ordinal: doc - group.start }
  }
  const byKey = (a: number, b: number) =>
    compareBytes(at(a).path, at(b).path) || at(a).ordinal - at(b).ordinal
  return search(view.dictionary, view.symbols, query, BM25, SYMBOLS_READ, byKey).map(({ doc }) =>
    at(doc),
  )
}

/** Files by the messages of the older commits that changed them. */
class RecordFiles {
  private readonly dictionary = new Dictionary()
  private readonly postings = new Postings()
  private readonly groups = new Map<RecordId, Group>()
  private readonly idOf = new Map<Group, RecordId>()

  /** The files of the best fifteen; each shares its score among its files. */
  filesFor({ records }: BenchWorld, of: BenchCase, view: LexicalView, query: Query): string[] {
    const older = records.get([...(of.records.only ?? [])])
    for (const { id, summary, body } of older) this.add(id, `${summary}\n${body}`)
    const among = this.postings.select(older.map(({ id }) => this.groups.get(id)!))
    const position = new Map(older.map((record) => [record.id, record.position]))
    const at = (doc: number) => this.idOf.get(this.postings.groupAt(doc)!)!
    const newest = (a: number, b: number) => position.get(at(b))! - position.get(at(a))!
    const scores = new Map<string, number>()
    for (const { doc, score } of search(this.dictionary, among, query, BM25, 15, newest)) {
      const [record] = records.get([at(doc)])
      const paths = record!.anchors.map(({ path }) => path).filter((path) => view.byPath.has(path))
      for (const path of paths) {
        scores.set(path, (scores.get(path) ?? 0) + score / Math.sqrt(paths.length))
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1] || compareBytes(a[0], b[0]))
      .slice(0, FILES_OF_LIST)
      .map(([path]) => path)
  }

  private add(id: RecordId, message: string): void {
    if (this.groups.has(id)) return
    const counts = new Map<number, number>()
    for (const term of terms(message.slice(0, 800))) {
      const number = this.dictionary.number(term)
      counts.set(number, (counts.get(number) ?? 0) + 1)
    }
    const group = this.postings.add([{ ids: [...counts.keys()], counts: [...counts.values()] }])
    this.groups.set(id, group)
    this.idOf.set(group, id)
  }
}

function fused(
  lists: readonly { readonly paths: readonly string[]; readonly weight: number }[],
): { readonly path: string; readonly score: number }[] {
  const scores = new Map<string, number>()
  for (const { paths, weight } of lists) {
    for (const [at, path] of paths.entries()) {
      scores.set(path, (scores.get(path) ?? 0) + weight / (RRF_K + at + 1))
    }
  }
  return [...scores]
    .map(([path, score]) => ({ path, score }))
    .sort((a, b) => b.score - a.score || compareBytes(a.path, b.path))
}

/** The first files, the chosen symbols under theirs, then files while they fit. */
function packed(
  world: BenchWorld,
  view: LexicalView,
  files: readonly string[],
  symbols: readonly SymbolPlace[],
  budget: number,
): Shown {
  const answer = new Answer(budget, world.countTokens)
  const lines = (place: SymbolPlace | null, path: string) => {
    const head = answer.has(path) ? '' : `- ${path}\n`
    if (place === null) return { text: head, at: [] }
    const { line, text } = symbolLine(view, place)
    return { text: head + text, at: [line] }
  }
  const chosen = chosenSymbols(world, view, files, symbols, budget * SYMBOLS_SHARE)
  let misses = 0
  const take = (place: SymbolPlace | null, path: string) => {
    if (misses > MISSES_MAX || (place === null && answer.has(path))) return
    const { text, at } = lines(place, path)
    if (!answer.take(text, path, at)) misses++
  }
  for (const path of files.slice(0, FIRST_FILES)) take(null, path)
  for (const place of chosen) take(place, place.path)
  for (const path of files) take(null, path)
  const shown = answer.shown()
  const named = new Set(shown.files)
  return { ...shown, files: distinct([...files.filter((p) => named.has(p)), ...named], (p) => p) }
}

/** By their own rank and their file's, while they and their files' lines fit. */
function chosenSymbols(
  { countTokens }: BenchWorld,
  view: LexicalView,
  files: readonly string[],
  symbols: readonly SymbolPlace[],
  tokensMax: number,
): SymbolPlace[] {
  const fileRank = new Map(files.map((path, at) => [path, at]))
  const ranked = symbols
    .map((place, at) => {
      const file = fileRank.get(place.path) ?? UNRANKED
      return { place, at, score: 1 / (RRF_K + at) + FILE_RANK_WEIGHT / (RRF_K + file) }
    })
    .sort((a, b) => b.score - a.score || a.at - b.at)
  const perFile = new Map<string, number>()
  let used = 0
  return ranked.flatMap(({ place }) => {
    const count = perFile.get(place.path) ?? 0
    if (count >= SYMBOLS_PER_FILE) return []
    const head = count === 0 ? countTokens(`- ${place.path}\n`) : 0
    const cost = head + countTokens(symbolLine(view, place).text)
    if (used + cost > tokensMax) return []
    used += cost
    perFile.set(place.path, count + 1)
    return [place]
  })
}

function symbolLine(view: LexicalView, { path, ordinal }: SymbolPlace) {
  const { line, signature } = symbolsOf(view.byPath.get(path)!)[ordinal]!
  return { line, text: `L${line} ${signature.slice(0, SIGNATURE_CHARS_MAX).toWellFormed()}\n` }
}

function distinct<T>(values: readonly T[], keyOf: (value: T) => string): string[] {
  return [...new Set(values.map(keyOf))]
}
