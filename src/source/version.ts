import { createHash } from 'node:crypto'
import manifest from '../../package.json' with { type: 'json' }
import { TERMS_VERSION } from '../domain/terms.ts'

/** Raise it when this folder makes another index of the same file. */
export const PARSER_VERSION = 2

/**
 * Names the rules by which files become indexes: ours, the grammars', and Bun's, whose Unicode tables
 * decide what a word is. An index made under another name is made anew.
 */
export const INDEX_VERSION: string = nameOf({
  parser: PARSER_VERSION,
  terms: TERMS_VERSION,
  packages: Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter(([name]) => name === 'bun' || name.includes('tree-sitter'))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
})

function nameOf(rules: object): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 12)
}
