import { type Family, familyOf } from './code-family.ts'
import { folderOf } from './code-layout.ts'
import { type FileImports, importsOf } from './graph-imports.ts'
import type { IndexedFile, LexicalView } from './lexical.ts'
import type { LinkResolver } from './link-resolver.ts'
import { NAME_PRIVATE, NAME_WHOLE, NO_NAME } from './packed-file.ts'
import { isTestPath } from './test-path.ts'

/** By number of the file that uses: number of the file used → how much. */
export type EdgeTable = readonly (ReadonlyMap<number, Edge> | undefined)[]
export type Edge = { weight: number; confidence: number }

/**
 * Name by name: which files of the view hold it and which of its definitions each of them means. A
 * name that a file imports means what it is imported from, nothing when that is outside the view;
 * one of a module it imports, that module's; any other only when few files of the same family of
 * languages define it and it is a whole identifier that prose does not hold.
 */
export function edgesOf(view: LexicalView, resolver: LinkResolver): EdgeTable {
  const files = resolver.layout.files.map(({ path }) => view.byPath.get(path)!)
  const imports = importsOf(files, resolver, view.dictionary)
  const context = { files, imports, families: files.map(({ language }) => familyOf(language)) }
  const edges = new Edges(files.length)
  const users = new Users(view, files)
  for (const [term, defined] of definitionsByTerm(files)) {
    const found = users.read(term)
    for (const definition of defined) addUses(term, definition, users, found, context, edges)
  }
  addPlainImports(imports, edges)
  return edges.table
}

type Context = {
  readonly files: readonly IndexedFile[]
  readonly imports: readonly FileImports[]
  readonly families: readonly (Family | null)[]
}

function addUses(
  term: number,
  definition: Definition,
  users: Users,
  found: number,
  context: Context,
  edges: Edges,
): void {
  for (let at = 0; at < found; at++) {
    const user = users.files[at]!
    if (context.families[user] !== definition.family || contains(definition.files, user)) continue
    const meant = meaning(term, user, definition, context)
    if (meant === null) continue
    const weight = nameWeight(users.counts[at]!, meant.confidence, definition, meant.files.length)
    for (const file of meant.files) {
      if (file !== user) edges.add(user, file, weight, meant.confidence)
    }
  }
}

/** Whether an ascending list holds a number. */
function contains(ascending: readonly number[], wanted: number): boolean {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return ascending[low] === wanted
}

class Edges {
  readonly table: (Map<number, Edge> | undefined)[]

  constructor(size: number) {
    this.table = Array.from({ length: size }, () => undefined)
  }

  has(from: number, to: number): boolean {
    return this.table[from]?.has(to) === true
  }

  add(from: number, to: number, weight: number, confidence: number): void {
    let edges = this.table[from]
    if (edges === undefined) {
      edges = new Map()
      this.table[from] = edges
    }
    const known = edges.get(to)
    if (known === undefined) edges.set(to, { weight, confidence })
    else {
      known.weight += weight
      known.confidence = Math.max(known.confidence, confidence)
    }
  }
}

/** Reads which files hold a term out of the index, by the files' numbers. */
class Users {
  /** Of the term read last. */
  readonly files: Uint32Array
  readonly counts: Uint8Array
  private readonly numberOf: Int32Array
  private readonly room: Uint32Array

  constructor(
    private readonly view: LexicalView,
    files: readonly IndexedFile[],
  ) {
    const { numbers } = view.texts.postings
    this.numberOf = new Int32Array(numbers).fill(-1)
    this.room = new Uint32Array(numbers)
    this.files = new Uint32Array(files.length)
    this.counts = new Uint8Array(files.length)
    for (const [number, file] of files.entries()) this.numberOf[file.texts.start] = number
  }

  /** How many files hold the term: so many of `files` and `counts` are good until the next call. */
  read(term: number): number {
    const { postings, mask } = this.view.texts
    const found = postings.collect(term, mask, this.room)
    let kept = 0
    for (let at = 0; at < found; at++) {
      const posting = this.room[at]!
      const user = this.numberOf[posting >>> 8]!
      if (user < 0) continue
      this.files[kept] = user
      this.counts[kept++] = posting & 255
    }
    return kept
  }
}

/** One name in one family of languages: who defines it. */
type Definition = {
  readonly family: Family
  /** In order. */
  readonly files: number[]
  readonly whole: boolean
  /** Every definition of it is for its own file or class. */
  private: boolean
}

function definitionsByTerm(
  files: readonly IndexedFile[],
): ReadonlyMap<number, readonly Definition[]> {
  const byTerm = new Map<number, Definition[]>()
  for (const [number, { names, language }] of files.entries()) {
    const family = familyOf(language)
    if (family === null) continue
    for (const name of names) {
      if (name === NO_NAME) continue
      const term = Math.floor(name / 4)
      const isPrivate = (name & NAME_PRIVATE) !== 0
      const of = byTerm.get(term)
      const known = of?.find((each) => each.family === family)
      if (known !== undefined) {
        if (known.files.at(-1) !== number) known.files.push(number)
        known.private &&= isPrivate
        continue
      }
      const whole = (name & NAME_WHOLE) !== 0
      const fresh = { family, files: [number], whole, private: isPrivate }
      if (of === undefined) byTerm.set(term, [fresh])
      else of.push(fresh)
    }
  }
  return byTerm
}

type Meaning = { readonly files: readonly number[]; readonly confidence: number }

/** A name that more files define is one for each of them (`get`, `render`). */
const SCARCE_MAX = 5
const IMPORTED_AMONG_MAX = 60

function meaning(
  term: number,
  user: number,
  { files: defining, whole }: Definition,
  { files, imports }: Context,
): Meaning | null {
  const { named, outside, modules, definersBehind } = imports[user]!
  const sources = named.get(term)
  if (sources !== undefined) {
    const found = new Set(sources.flatMap((from) => definersBehind(from, term)))
    return found.size === 0 ? null : { files: [...found], confidence: 4 }
  }
  if (outside.has(term)) return null
  if (modules.size > 0 && defining.length <= IMPORTED_AMONG_MAX) {
    const imported = defining.filter((file) => modules.has(file))
    if (imported.length > 0) return { files: imported, confidence: 3 }
  }
  return whole && defining.length <= SCARCE_MAX ? likely(user, defining, files) : null
}

/** No test's definition for code that is none; then those of the same folder, where there are any. */
function likely(
  user: number,
  defining: readonly number[],
  files: readonly IndexedFile[],
): Meaning | null {
  const { path } = files[user]!
  const pathOf = (file: number) => files[file]!.path
  const there = isTestPath(path) ? defining : defining.filter((file) => !isTestPath(pathOf(file)))
  if (there.length === 0) return null
  const folder = folderOf(path)
  const beside = there.filter((file) => folderOf(pathOf(file)) === folder)
  const meant = beside.length > 0 ? beside : there
  return { files: meant, confidence: meant.length === 1 ? 2 : 1 }
}

function nameWeight(count: number, confidence: number, of: Definition, among: number): number {
  const often = Math.floor(Math.sqrt(count * 1_048_576))
  const telling = of.whole ? 3 : 1
  const weight = Math.floor((often * confidence * telling) / among)
  return of.private ? Math.floor(weight / 5) : weight
}

/** What is imported and of which no name was found in use: it counts as one use. */
function addPlainImports(imports: readonly FileImports[], edges: Edges): void {
  for (const [user, { direct }] of imports.entries()) {
    for (const file of direct) {
      if (file !== user && !edges.has(user, file)) edges.add(user, file, 3 * 1_024, 3)
    }
  }
}
