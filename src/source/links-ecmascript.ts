import type { Link } from '../domain/code.ts'
import { type FoundLink, listedNames } from './found-link.ts'

/**
 * `import`, `export … from`, `require` and `import()` of TypeScript and JavaScript. A default import
 * has the name `default`.
 */
export function* ecmascriptLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(FROM)) {
    const [, word, clause, , target] = match
    const names = clauseNames(clause!, word === 'export')
    const link: Link = [word === 'export' ? 'export' : 'import', target!, ...names]
    yield { at: match.index, link }
  }
  for (const match of text.matchAll(BARE)) {
    yield { at: match.index, link: ['import', match[2]!] }
  }
  for (const match of text.matchAll(CALL)) {
    const [, bound, , target] = match
    const names = bound?.startsWith('{') ? destructured(bound) : ['*']
    yield { at: match.index, link: ['import', target!, ...names] }
  }
}

const NAME = '(?:[\\p{L}\\p{N}_$]{1,100})'
const PART = `(?:\\*(?:\\s+as\\s+${NAME})?|${NAME}|\\{[^{}'"\`;=]{0,8000}\\})`
const FROM = new RegExp(
  `^[ \\t]*(import|export)\\b\\s*(?:type\\b\\s*(?!from\\b|,))?(${PART}(?:\\s*,\\s*${PART})?)\\s*from\\s*(['"])([^'"\\n]{1,300})\\3`,
  'gmu',
)
const BARE = /^[ \t]*import\s*(['"])([^'"\n]{1,300})\1/gm
const CALL =
  /(?:\b(?:const|let|var)\s+(\{[^{}'"`;]{0,2000}\}|[\w$]{1,100})\s*=\s*(?:await\s+)?)?\b(?:require|import)\s*\(\s*(['"])([^'"\n]{1,300})\2/g

function clauseNames(clause: string, isExport: boolean): string[] {
  const brace = clause.indexOf('{')
  const names = brace < 0 ? [] : listedNames(clause.slice(brace + 1, clause.lastIndexOf('}')))
  const rest = brace < 0 ? clause : clause.slice(0, brace)
  if (rest.includes('*')) names.push('*')
  if (!isExport && /^\s*[\p{L}_$]/u.test(rest)) names.push('default')
  return names
}

/** `{ a, b: c, ...rest }` */
function destructured(pattern: string): string[] {
  const names = listedNames(pattern.slice(1, -1))
  return names.filter((name) => !name.startsWith('.'))
}
