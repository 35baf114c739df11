import type { QueryTerm } from './bm25.ts'
import { terms } from './terms.ts'

/**
 * What to search for: the goal's words, each once; those of its first line, of a scope named before
 * a colon (`fix(jwt): …`, `cli: …`) and of the focus count more. At most 64 terms.
 */
export function queryOf(goal: string, focus: readonly string[]): QueryTerm[] {
  const weights = new Map<string, number>()
  const raise = (text: string, weight: number) => {
    for (const term of terms(text)) weights.set(term, Math.max(weights.get(term) ?? 0, weight))
  }
  const title = goal.trimStart().split('\n', 1)[0]!.slice(0, TITLE_CHARS_MAX)
  raise(focus.join('\n'), WORD_WEIGHTS.focus)
  raise(scopeOf(title), WORD_WEIGHTS.scope)
  raise(title, WORD_WEIGHTS.title)
  raise(goal, WORD_WEIGHTS.goal)
  return [...weights].slice(0, QUERY_TERMS_MAX).map(([term, weight]) => ({ term, weight }))
}

const QUERY_TERMS_MAX = 64
const TITLE_CHARS_MAX = 240
export const WORD_WEIGHTS = { focus: 4, scope: 3, title: 2, goal: 1 }

/** What a title names before its colon: `fix(jwt): …` → `jwt`, `cli/log: …` → `cli/log`, else ''. */
function scopeOf(title: string): string {
  const conventional = /^[a-z]+\(([^)]{1,60})\)!?:\s/i.exec(title)
  if (conventional !== null) return conventional[1]!
  const plain = /^([\w./ -]{1,40}):\s/.exec(title)
  return plain?.[1] ?? ''
}
