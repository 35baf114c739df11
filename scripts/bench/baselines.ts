import { search } from '../../src/domain/bm25.ts'
import type { BlobId } from '../../src/domain/code.ts'
import { symbolsOf } from '../../src/domain/lexical.ts'
import { compareBytes } from '../../src/domain/order.ts'
import { Dictionary, type Group, Postings } from '../../src/domain/postings.ts'
import { terms } from '../../src/domain/terms.ts'
import { Answer, type BenchCase, type BenchWorld, type Contender } from './contender.ts'

/** Each sees the same files as `av`, and searches by the same BM25 where it searches. */
export function baselines(): readonly Contender[] {
  const chunks = new Chunks()
  return [
    { name: 'grep -n', answer: grep },
    { name: 'BM25 chunks with bodies', answer: (world, of, b) => chunks.answer(world, of, b) },
    { name: 'BM25 paths', answer: bm25Paths },
    { name: 'BM25 symbols', answer: bm25Symbols },
  ]
}

export function queryTerms(goal: string) {
  return [...new Set(terms(goal))].map((term) => ({ term, weight: 1 }))
}

/** Files by how many of the goal's words they hold, then their first matching lines. */
const grep: Contender['answer'] = (world, { task, tree }, budget) => {
  const answer = new Answer(budget, world.countTokens)
  const words = [...new Set(task.goal.match(/[A-Za-z_$][\w$]{3,}/g) ?? [])].filter(
    (word) => terms(word).length > 0,
  )
  if (words.length === 0) return answer.shown()
  const pattern = new RegExp(`\\b(?:${words.map((w) => w.replaceAll('$', '\\$')).join('|')})\\b`)
  const found = tree.flatMap(({ path, blob }) => {
    const inside = new Set(world.text(blob).match(/[A-Za-z_$][\w$]{3,}/g) ?? [])
    const distinct = words.filter((word) => inside.has(word)).length
    return distinct === 0 ? [] : [{ path, blob, distinct }]
  })
  found.sort((a, b) => b.distinct - a.distinct || compareBytes(a.path, b.path))
  for (const { path, blob } of found) {
    let hits = 0
    for (const [at, line] of world.text(blob).split('\n').entries()) {
      if (!pattern.test(line)) continue
      if (++hits > GREP_LINES) break
      const text = `${path}:${at + 1}:${line.trim().slice(0, 120)}\n`
      if (!answer.take(text, path, [at + 1])) return answer.shown()
    }
  }
  return answer.shown()
}

const GREP_LINES = 8

const bm25Paths: Contender['answer'] = (world, { task, view }, budget) => {
  const answer = new Answer(budget, world.countTokens)
  for (const { path } of world.lexical.searchFiles(view, queryTerms(task.goal), 400)) {
    if (!answer.take(`- ${path}\n`, path)) break
  }
  return answer.shown()
}

const bm25Symbols: Contender['answer'] = (world, { task, view }, budget) => {
  const answer = new Answer(budget, world.countTokens)
  for (const hit of world.lexical.searchSymbols(view, queryTerms(task.goal), 400)) {
    const { path, ordinal } = hit
    const { line, signature } = symbolsOf(view.byPath.get(path)!)[ordinal]!
    const head = answer.has(path) ? '' : `- ${path}\n`
    if (!answer.take(`${head}L${line} ${signature}\n`, path, [line])) break
  }
  return answer.shown()
}

/** Pieces of 25 lines, found by their words and shown as they are. */
class Chunks {
  private readonly dictionary = new Dictionary()
  private readonly postings = new Postings()
  private readonly groups = new Map<string, Group>()
  private readonly owner = new Map<Group, { readonly path: string; readonly blob: BlobId }>()

  answer(world: BenchWorld, { task, tree }: BenchCase, budget: number) {
    const answer = new Answer(budget, world.countTokens)
    const groups = tree.map((file) => this.groupOf(world, file.path, file.blob))
    const among = this.postings.select(groups)
    const at = (doc: number) => {
      const group = this.postings.groupAt(doc)!
      return { ...this.owner.get(group)!, piece: doc - group.start }
    }
    const byKey = (a: number, b: number) =>
      compareBytes(at(a).path, at(b).path) || at(a).piece - at(b).piece
    const hits = search(this.dictionary, among, queryTerms(task.goal), { b: 0.75 }, 40, byKey)
    for (const { doc } of hits) {
      const { path, blob, piece } = at(doc)
      const from = piece * CHUNK_LINES
      const body = pieceOf(world.text(blob), piece)
      const lines = world
        .index(blob)
        .symbols.map(({ line }) => line)
        .filter((line) => line > from && line <= from + CHUNK_LINES)
      if (!answer.take(`${path}:${from + 1}\n${body}\n`, path, lines)) break
    }
    return answer.shown()
  }

  private groupOf(world: BenchWorld, path: string, blob: BlobId): Group {
    const key = `${blob}\0${path}`
    const known = this.groups.get(key)
    if (known !== undefined) return known
    const text = world.text(blob)
    const pieces = Math.max(1, Math.ceil(text.split('\n').length / CHUNK_LINES))
    const pathTerms = terms(path)
    const group = this.postings.add(
      Array.from({ length: pieces }, (_, piece) => {
        const counts = new Map<number, number>()
        for (const term of [...pathTerms, ...terms(pieceOf(text, piece))]) {
          const id = this.dictionary.number(term)
          counts.set(id, (counts.get(id) ?? 0) + 1)
        }
        return { ids: [...counts.keys()], counts: [...counts.values()] }
      }),
    )
    this.groups.set(key, group)
    this.owner.set(group, { path, blob })
    return group
  }
}

const CHUNK_LINES = 25

function pieceOf(text: string, piece: number): string {
  return text
    .split('\n')
    .slice(piece * CHUNK_LINES, (piece + 1) * CHUNK_LINES)
    .join('\n')
}
