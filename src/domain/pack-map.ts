import type { CodeGraph } from './graph.ts'
import { folderRoles } from './graph-names.ts'
import type { LexicalView } from './lexical.ts'
import { compareBytes } from './order.ts'
import type { FileCandidate, FolderCandidate, SymbolCandidate } from './pack-candidate.ts'
import { type PackItem, tierTexts } from './pack-item.ts'
import { block, codeLine } from './sanitise.ts'

/** Where a task lies: the folders of its best files, by the sum of those files' scores. */
export function folderCandidates(
  view: LexicalView,
  files: readonly FileCandidate[],
  symbols: readonly SymbolCandidate[],
  graph: CodeGraph | null = null,
): FolderCandidate[] {
  const scores = new Map<string, number>()
  const best = files.slice(0, FILES_WEIGHED)
  for (const { path, score } of best) {
    const folder = folderOf(path)
    scores.set(folder, (scores.get(folder) ?? 0) + score)
  }
  const counts = folderCounts(view)
  return [...scores]
    .sort((a, b) => b[1] - a[1] || compareBytes(a[0], b[0]))
    .slice(0, FOLDERS_MAX)
    .map(([path]) => ({
      path,
      ...counts.get(path)!,
      ...(graph === null ? {} : folderRoles(graph, within(best, path), folderOf)),
      central: best
        .filter((file) => folderOf(file.path) === path)
        .slice(0, CENTRAL_FILES)
        .map((file) => ({
          name: file.path.slice(file.path.lastIndexOf('/') + 1),
          symbols: symbols
            .filter((symbol) => symbol.path === file.path)
            .slice(0, CENTRAL_SYMBOLS)
            .map(({ symbol }) => symbol.name),
        })),
    }))
}

function within(files: readonly FileCandidate[], folder: string): string[] {
  return files.flatMap(({ path }) => (folderOf(path) === folder ? [path] : []))
}

type FolderCount = { files: number; symbols: number }

const counted = new WeakMap<LexicalView, ReadonlyMap<string, FolderCount>>()

/** How much each folder of a view holds itself; counted once for a view. */
function folderCounts(view: LexicalView): ReadonlyMap<string, FolderCount> {
  const known = counted.get(view)
  if (known !== undefined) return known
  const counts = new Map<string, FolderCount>()
  for (const [path, file] of view.byPath) {
    const folder = folderOf(path)
    const count = counts.get(folder) ?? { files: 0, symbols: 0 }
    count.files++
    count.symbols += file.symbols.size
    counts.set(folder, count)
  }
  counted.set(view, counts)
  return counts
}

/** Folder → + how much it holds, what it uses and is used by → + its central files and their symbols. */
export function mapItems(folders: readonly FolderCandidate[]): PackItem[] {
  return folders.map((folder, at) => {
    const head = `- ${codeLine(folder.path)}`
    const roles = [rolesLine('uses', folder.uses), rolesLine('used by', folder.usedBy)]
    const counts = `${plural(folder.files, 'file')}, ${plural(folder.symbols, 'symbol')}${roles.join('')}`
    const central = folder.central.map(({ name, symbols }) => {
      const names = symbols.map((symbol) => codeLine(symbol, 60)).join(', ')
      return names === '' ? codeLine(name, 80) : `${codeLine(name, 80)} (${names})`
    })
    return {
      ...{ id: `map:${folder.path}`, section: 'map', kind: 'folder', ranks: { files: at + 1 } },
      ...{ factor: 1_000, required: false, parent: null, place: null, order: folder.path },
      texts: tierTexts(
        block([head]),
        block([`${head} ${counts}`]),
        block([`${head} ${counts}: ${central.join(', ')}`]),
      ),
    }
  })
}

function rolesLine(role: string, folders: readonly string[] = []): string {
  return folders.length === 0
    ? ''
    : `; ${role} ${folders.map((folder) => codeLine(folder, 80)).join(', ')}`
}

const FILES_WEIGHED = 30
const FOLDERS_MAX = 6
const CENTRAL_FILES = 4
const CENTRAL_SYMBOLS = 3

function folderOf(path: string): string {
  const cut = path.lastIndexOf('/')
  return cut < 0 ? './' : path.slice(0, cut + 1)
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
