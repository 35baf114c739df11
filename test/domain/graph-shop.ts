import type { BlobId, FileIndex, Link } from '../../src/domain/code.ts'
import type { CodeGraph } from '../../src/domain/graph.ts'
import { LexicalIndex, type LexicalView } from '../../src/domain/lexical.ts'
import { nameTerm } from '../../src/domain/packed-file.ts'

/** What one file holds; numbers are names of `NAMES`. */
export type Made = {
  readonly language: string
  readonly links: readonly Link[]
  readonly defines: readonly number[]
  readonly uses: readonly number[]
}
export type Edit = { readonly path: string; readonly to: Made | null }

/** Whole identifiers, words that prose holds too, and private ones that leave the same terms. */
export const NAMES = [
  'readRow',
  'drawBox',
  'sumCart',
  'total',
  'render',
  '_readRow',
  '_total',
  'openDoor',
]

export const PLAIN: Made = { language: 'typescript', links: [], defines: [], uses: [] }

/** All that a graph says. */
export function rows(graph: CodeGraph) {
  return Array.from({ length: graph.size }, (_, at) => [
    ...[graph.path(at), graph.uses(at), graph.usedBy(at)],
  ])
}

/** A repository that is edited, in an index that keeps all that was ever there. */
export class Shop {
  private readonly index = new LexicalIndex()
  private readonly files = new Map<string, Made>()

  constructor(edits: readonly Edit[]) {
    this.make(edits)
  }

  make(edits: readonly Edit[]): void {
    for (const { path, to } of edits) {
      if (to === null) this.files.delete(path)
      else {
        this.files.set(path, to)
        this.index.addFile(path, indexOf(to))
      }
    }
  }

  rename(from: string, to: string): void {
    const file = this.files.get(from)
    if (file !== undefined)
      this.make([
        { path: from, to: null },
        { path: to, to: file },
      ])
  }

  view(): LexicalView {
    return this.index.view([...this.files].map(([path, file]) => ({ path, blob: blobOf(file) })))
  }
}

function blobOf(file: Made): BlobId {
  return JSON.stringify(file) as BlobId
}

function indexOf(file: Made): FileIndex {
  const words = [...new Set([...file.defines, ...file.uses].map((at) => nameTerm(NAMES[at]!)!))]
  return {
    ...{ blob: blobOf(file), language: file.language, status: 'parsed', bytes: 1, lines: 9 },
    ...{ hash: 'h', words, counts: words.map((_, at) => at + 1), links: file.links },
    symbols: file.defines.map((at) => ({
      ...{ name: NAMES[at]!, kind: 'function', line: 1, endLine: 2 },
      ...{ signature: '', doc: '', hash: 'a'.repeat(32), words: [] },
    })),
  }
}
