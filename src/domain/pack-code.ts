import { hash } from 'node:crypto'
import type { FileCandidate, SymbolCandidate } from './pack-candidate.ts'
import { type PackItem, sortable, type TierText, tierTexts } from './pack-item.ts'
import { block, codeLine, proseLine } from './sanitise.ts'

/**
 * The Code section: a line for each file, and under it a line for each of its symbols that is shown.
 * Files and symbols compete by score; a symbol brings its file's line with it. Files further down the
 * ranking stand by name under the folder they share, where they share one: half the tokens a file.
 */
export function codeItems(
  files: readonly FileCandidate[],
  symbols: readonly SymbolCandidate[],
  changed: ReadonlySet<string>,
): PackItem[] {
  const ids = new CodeIds()
  const parents = new Map(files.map(({ path }) => [path, ids.give(path, '', 0)]))
  const folders = sharedFolders(files.slice(WHOLE_PATHS).map(({ path }) => path))
  return [
    ...[...new Set(folders.values())].map(folderItem),
    ...files.map((file) => {
      const folder = folders.get(file.path) ?? null
      return fileItem(file, parents.get(file.path)!, folder, changed.has(file.path))
    }),
    ...symbols.flatMap((symbol) => {
      const parent = parents.get(symbol.path)
      if (parent === undefined) return []
      return [
        symbolItem(symbol, ids.give(symbol.path, symbol.symbol.name, symbol.symbol.nth), parent),
      ]
    }),
  ]
}

/**
 * `s:` and the first hex digits of a hash of path, name and which of that name it is: the same
 * wherever the lines move. Empty name: the file.
 */
export function codeId(path: string, name: string, nth: number, digits = 8): string {
  return `s:${hash('sha256', `${path}\0${name}\0${nth}`, 'hex').slice(0, digits)}`
}

/** Hands out ids that are unique among those given out: a later one of two that meet grows. */
class CodeIds {
  private readonly given = new Map<string, string>()

  give(path: string, name: string, nth: number): string {
    const of = `${path}\0${name}\0${nth}`
    for (let digits = 8; ; digits++) {
      const id = codeId(path, name, nth, digits)
      const owner = this.given.get(id)
      if (owner !== undefined && owner !== of) continue
      this.given.set(id, of)
      return id
    }
  }
}

/** So many of the best files are named by their whole path in any case. */
const WHOLE_PATHS = 5
/** Files that have to share a folder for it to get a line of its own. */
const SHARING_MIN = 3

/** Path → the folder (with `/`) it is listed under: its own, or the one above, when enough share it. */
function sharedFolders(paths: readonly string[]): Map<string, string> {
  const folders = new Map<string, string>()
  for (const up of [1, 2]) {
    const left = paths.filter((path) => !folders.has(path))
    for (const [folder, sharing] of Map.groupBy(left, (path) => folderOf(path, up))) {
      if (folder === '' || sharing.length < SHARING_MIN) continue
      for (const path of sharing) folders.set(path, folder)
    }
  }
  return folders
}

/** `up` levels above a file; '' when that is the root. */
function folderOf(path: string, up: number): string {
  let end = path.length
  for (let step = 0; step < up; step++) end = end > 0 ? path.lastIndexOf('/', end - 1) : -1
  return path.slice(0, end + 1)
}

/** Worth nothing by itself: it is shown when something under it is. */
function folderItem(folder: string): PackItem {
  return {
    ...{ id: `in:${folder}`, section: 'code', kind: 'group', ranks: {}, factor: 1_000 },
    ...{ required: false, parent: null, place: null, order: folder },
    texts: [{ tier: 'handle', text: block([`- ${codeLine(folder)} also:`]) }],
  }
}

function fileItem(
  file: FileCandidate,
  id: string,
  folder: string | null,
  changed: boolean,
): PackItem {
  const name = folder === null ? file.path : file.path.slice(folder.length)
  const mark = changed ? ' (changed by this task)' : ''
  return {
    id,
    section: 'code',
    kind: 'file',
    ranks: file.ranks,
    factor: file.factor,
    required: false,
    parent: folder === null ? null : `in:${folder}`,
    place: { path: file.path, blob: file.blob, symbol: null, line: 0 },
    order: `${file.path}\0${sortable(0)}`,
    texts: [
      { tier: 'handle', text: block([`${folder === null ? '-' : '+'} ${codeLine(name)}${mark}`]) },
    ],
  }
}

function symbolItem(candidate: SymbolCandidate, id: string, parent: string): PackItem {
  const { path, blob, symbol, ranks, factor } = candidate
  const { name, kind, line, nth } = symbol
  return {
    id,
    section: 'code',
    kind: 'symbol',
    ranks,
    factor,
    required: false,
    parent,
    place: { path, blob, symbol: name, line },
    order: `${path}\0${sortable(line)}\0${kind}\0${name}\0${sortable(nth)}`,
    texts: symbolTexts(candidate),
  }
}

function symbolTexts({ symbol, calls, calledBy }: SymbolCandidate): TierText[] {
  const { line, endLine } = symbol
  const lines = endLine > line ? `L${line}-${endLine}` : `L${line}`
  const signature = codeLine(symbol.signature) || codeLine(symbol.name)
  const doc = proseLine(symbol.doc, 160)
  const names = [namesOf('calls', calls), namesOf('called by', calledBy)].filter(
    (part) => part !== '',
  )
  const related = names.join('; ')
  const notes = doc === '' || related === '' ? doc + related : `${doc} (${related})`
  const summary = `${lines} ${signature}`
  return tierTexts(
    block([`L${line} ${codeLine(symbol.name, 120)}`]),
    block([summary]),
    block([notes === '' ? summary : `${summary} // ${notes}`]),
  )
}

function namesOf(role: string, names: readonly string[] = []): string {
  return names.length === 0 ? '' : `${role} ${names.map((name) => codeLine(name, 60)).join(', ')}`
}
