import { describe, expect, test } from 'bun:test'
import type { BlobId, CodeSymbol } from '../../src/domain/code.ts'
import { focusOn, namedFiles } from '../../src/domain/focus.ts'
import { LexicalIndex, symbolsOf } from '../../src/domain/lexical.ts'
import { queryOf, WORD_WEIGHTS } from '../../src/domain/query.ts'
import { terms } from '../../src/domain/terms.ts'

describe('a query', () => {
  const weightsOf = (goal: string, focus: readonly string[] = []) =>
    Object.fromEntries(queryOf(goal, focus).map(({ term, weight }) => [term, weight]))

  test('counts focus over scope, scope over title, title over the rest, and a word once', () => {
    const { focus, scope, title, goal } = WORD_WEIGHTS
    expect([focus > scope, scope > title, title > goal, goal > 0]).toEqual([true, true, true, true])
    const weights = weightsOf('fix(jwt): refresh token\n\nThe token leaks, and the cookie too.', [
      'cookie',
    ])
    expect(weights).toMatchObject({ cookie: focus, jwt: scope, refresh: title, token: title })
    expect(weights).toMatchObject({ leak: goal })
  })

  test.each([
    ['cli/log: say more', ['cli', 'log']],
    ['feat(api)!: drop it', ['api']],
    ['Fix the race: once more', ['race']],
    ['see https://example.org/x', []],
    ['no scope here', []],
  ])('the scope of %p is %p', (goal, scope) => {
    const weights = weightsOf(goal)
    const raised = Object.keys(weights).filter((term) => weights[term] === WORD_WEIGHTS.scope)
    for (const term of scope) expect(raised).toContain(term)
    if (scope.length === 0) expect(raised).toEqual([])
  })

  test('has at most 64 terms, those of the focus among them', () => {
    const long = Array.from({ length: 300 }, (_, at) => `word${at}x`).join(' ')
    const query = queryOf(long, ['needle'])
    expect(query.length).toBe(64)
    expect(query.map(({ term }) => term)).toContain('needle')
    expect(new Set(query.map(({ term }) => term)).size).toBe(64)
  })

  test('of nothing is nothing', () => {
    expect(queryOf('', [])).toEqual([])
  })
})

const FILES = {
  'src/session.ts': [
    ['Session', 1, 20],
    ['Session.refresh', 3, 8],
    ['Session.end', 10, 12],
  ],
  'src/login.ts': [['refresh', 5, 9]],
  'src/api/login.ts': [['login', 1, 4]],
  'lib/login.ts': [],
  'src.md': [['refresh tokens', 1, 2]],
  'a:b.ts': [['Odd', 1, 1]],
} as const satisfies Record<string, readonly (readonly [string, number, number])[]>

describe('a focus', () => {
  const { index, view } = indexed()
  const on = (...focus: string[]) => {
    const { files, symbols } = focusOn(focus, index, view)
    const names = symbols.map(
      ({ path, ordinal }) => `${path}:${symbolsOf(view.byPath.get(path)!)[ordinal]!.name}`,
    )
    return { files, names }
  }

  test.each([
    ['src/session.ts', ['src/session.ts'], []],
    [' ./src/session.ts ', ['src/session.ts'], []],
    ['src/api', ['src/api/login.ts'], []],
    ['src/api/', ['src/api/login.ts'], []],
    ['src', ['src/api/login.ts', 'src/login.ts', 'src/session.ts'], []],
    ['src/session.ts:refresh', ['src/session.ts'], ['src/session.ts:Session.refresh']],
    ['src/session.ts:Session.end', ['src/session.ts'], ['src/session.ts:Session.end']],
    ['src/session.ts:5', ['src/session.ts'], ['src/session.ts:Session.refresh']],
    ['src/session.ts:15', ['src/session.ts'], ['src/session.ts:Session']],
    ['src/session.ts:99', ['src/session.ts'], []],
    ['src/session.ts:fresh', ['src/session.ts'], []],
    ['a:b.ts', ['a:b.ts'], []],
    ['a:b.ts:Odd', ['a:b.ts'], ['a:b.ts:Odd']],
    ['Session.refresh', ['src/session.ts'], ['src/session.ts:Session.refresh']],
    ['session race', [], []],
    ['nothing-of-that-name', [], []],
    ['/', [], []],
    ['', [], []],
  ])('on %p is on %p and %p', (focus, files, names) => {
    expect(on(focus)).toEqual({ files, names })
  })

  test('on a bare name is on every symbol of that name, and on none that only holds it', () => {
    const { files, names } = on('refresh')
    expect(names.toSorted()).toEqual(['src/login.ts:refresh', 'src/session.ts:Session.refresh'])
    expect(files.toSorted()).toEqual(['src/login.ts', 'src/session.ts'])
  })

  test('keeps the order given, and names nothing twice', () => {
    const { files, names } = on('src/login.ts', 'src/session.ts:3', 'src/session.ts:refresh', 'src')
    expect(files).toEqual(['src/login.ts', 'src/session.ts', 'src/api/login.ts'])
    expect(names).toEqual(['src/session.ts:Session.refresh'])
  })
})

test('a text names files by path or by the end of one', () => {
  const { view } = indexed()
  expect(namedFiles('See api/login.ts, not that.', view)).toEqual(['src/api/login.ts'])
  expect(namedFiles('login.ts', view)).toEqual(['lib/login.ts', 'src/api/login.ts', 'src/login.ts'])
  expect(namedFiles('ogin.ts and login', view)).toEqual([])
})

function indexed() {
  const index = new LexicalIndex()
  const entries = Object.entries(FILES).map(([path, symbols], at) => {
    const blob = `${at}` as BlobId
    index.addFile(path, {
      ...{ blob, language: 'typescript', status: 'parsed', bytes: 1, lines: 20, hash: '' },
      ...documentOf(symbols),
    })
    return { path, blob }
  })
  return { index, view: index.view(entries) }
}

/** The words of a file that holds these symbols and nothing else. */
function documentOf(symbols: readonly (readonly [string, number, number])[]) {
  const words = [...new Set(symbols.flatMap(([name]) => terms(name)))]
  return {
    words,
    counts: words.map(() => 1),
    symbols: symbols.map(
      ([name, line, endLine]): CodeSymbol => ({
        ...{ name, kind: 'method', line, endLine, signature: name, doc: '', hash: '' },
        words: [...new Set(terms(name))].flatMap((term) => [words.indexOf(term), 1]),
      }),
    ),
  }
}
