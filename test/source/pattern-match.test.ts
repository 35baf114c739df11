import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Language, type Node, Parser, Query, type Tree } from 'web-tree-sitter'
import { QUERIES } from '../../src/source/definition-queries.ts'
import { loadGrammar } from '../../src/source/grammars.ts'
import { type GrammarName, languageOf } from '../../src/source/languages.ts'
import { PatternSearch } from '../../src/source/pattern-match.ts'
import { readPatterns } from '../../src/source/pattern-source.ts'

const FIXTURES = join(import.meta.dir, '../fixtures/languages')
const never = () => false

/** A text for each grammar that has a query. */
const texts = readdirSync(FIXTURES).flatMap((language) =>
  readdirSync(join(FIXTURES, language))
    .filter((name) => name.endsWith('.txt'))
    .flatMap((name) => {
      const text = readFileSync(join(FIXTURES, language, name), 'utf8')
      const { grammar } = languageOf(name.slice(0, -'.txt'.length), text)
      return grammar === null ? [] : [{ grammar, text }]
    }),
)

/** A match in words; each way to capture the same nodes counts once. */
function told(found: readonly { pattern: number; captures: Iterable<[string, Node]> }[]): string[] {
  const rows = found.map(({ pattern, captures }) => {
    const nodes = [...captures].map(([name, node]) => `${name} ${node.id} ${node.startIndex}`)
    return `${pattern}: ${nodes.sort().join(', ')}`
  })
  return [...new Set(rows)].sort()
}

function ours(query: string, tree: Tree, text: string, language: Language): string[] {
  const search = new PatternSearch(readPatterns(query, language), language)
  return told(search.matches(tree.rootNode, text, never) as Parameters<typeof told>[0])
}

function theirs(query: Query, tree: Tree): string[] {
  return told(
    query.matches(tree.rootNode).map(({ patternIndex, captures }) => ({
      pattern: patternIndex,
      captures: captures.map(({ name, node }): [string, Node] => [name, node]),
    })),
  )
}

/** Freed by hand: what the collector frees after another test brought the runtime down would fail that test. */
async function withTree<T>(
  grammar: GrammarName,
  text: string,
  use: (tree: Tree, language: Language) => T,
): Promise<T> {
  const { language } = await loadGrammar(grammar)
  const parser = new Parser()
  parser.setLanguage(language)
  const tree = parser.parse(text)
  parser.delete()
  if (tree === null) throw new Error('it did not parse')
  try {
    return use(tree, language)
  } finally {
    tree.delete()
  }
}

describe('finds what a query of tree-sitter finds', () => {
  /** A cut, a doubling or something out of place, where `at` and `length` are shares of the text. */
  const damage = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    put: fc.constantFrom(
      '',
      '(',
      '}',
      '<',
      '"',
      '@',
      ' = () => ',
      'class ',
      'static ',
      'const ',
      '\n',
    ),
  })

  test.each(texts.map(({ grammar, text }) => [grammar, text] as const))(
    'in %s, whole and damaged',
    async (grammar, whole) => {
      const { language } = await loadGrammar(grammar)
      const query = new Query(language, QUERIES[grammar])
      const check = (text: string) =>
        withTree(grammar, text, (tree) => {
          const expected = theirs(query, tree)
          expect(ours(QUERIES[grammar], tree, text, language)).toEqual(expected)
          return expected.length
        })
      expect(await check(whole)).toBeGreaterThan(0)
      await fc.assert(
        fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 8 }), async (damages) => {
          let text = whole
          for (const { at, length, put } of damages) {
            const from = Math.floor(at * text.length)
            text = `${text.slice(0, from)}${put}${text.slice(from + length)}`
          }
          await check(text)
        }),
        { seed: 11, numRuns: 25 },
      )
      query.delete()
    },
    60_000,
  )

  const small: readonly (readonly [what: string, query: string, text: string])[] = [
    [
      'fields in order',
      '(pair key: (_) @name value: (number)) @constant',
      'x = { a: 1, b: c, d: 2 }',
    ],
    ['any of some', '(pair value: [(number) (string)] @name) @constant', "x = { a: 1, b: 'c', d }"],
    [
      'words of the grammar',
      '(lexical_declaration "const" (_) @name) @constant',
      'const a = 1, b = 2\nlet c = 3',
    ],
    [
      'what may be there',
      '(class_declaration name: (_) @name (class_heritage)? @owner) @class',
      'class A extends B {}\nclass C {}',
    ],
    ['a test of the text', '((identifier) @name (#match? @name "^[A-Z]"))', 'A + b + C'],
    ['the opposite of one', '((identifier) @name (#not-match? @name "^[A-Z]"))', 'A + b + C'],
    ['siblings that are apart', '(array (number) @name (string) @owner)', "[1, a, 2, 'b', 'c', 3]"],
    ['no node that is an error', '(program (_) @name)', 'a\n) (\nb'],
  ]
  test.each(small)('%s', async (_, source, text) => {
    await withTree('javascript', text, (tree, language) => {
      const query = new Query(language, source)
      const expected = theirs(query, tree)
      query.delete()
      expect(expected.length).toBeGreaterThan(0)
      expect(ours(source, tree, text, language)).toEqual(expected)
    })
  })
})

describe('a query that is not understood is refused, not read otherwise', () => {
  test.each([
    ['a node the grammar has not', '(no_such_node) @class'],
    ['a field the grammar has not', '(pair nofield: (_)) @class'],
    ['an anchor', '(array . (number) @name)'],
    ['a repetition', '(array (number)* @name)'],
    ['a field that must not be there', '(class_declaration !name) @class'],
    ['another test', '((identifier) @name (#eq? @name "a"))'],
    ['a query that breaks off', '(pair key: (_) @name'],
    ['a root that may be anything', '(_) @class'],
  ])('%s', async (_, query) => {
    const { language } = await loadGrammar('javascript')
    expect(() => readPatterns(query, language)).toThrow('not understood')
  })
})

test('stops when it is told to', async () => {
  const text = 'a = () => 1\n'.repeat(1_000)
  await withTree('javascript', text, (tree, language) => {
    const search = new PatternSearch(readPatterns(QUERIES.javascript, language), language)
    let asked = 0
    const found = search.matches(tree.rootNode, text, () => ++asked === 2)
    expect(asked).toBe(2)
    expect(found.length).toBeLessThan(1_000)
  })
})

test('ten thousand definitions side by side are all found', async () => {
  const text = 'const a = 1\n'.repeat(10_000)
  await withTree('javascript', text, (tree, language) => {
    const search = new PatternSearch(readPatterns(QUERIES.javascript, language), language)
    expect(search.matches(tree.rootNode, text, never)).toHaveLength(10_000)
  })
})
