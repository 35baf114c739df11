import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES, languageClass, languageOf } from '../../src/source/languages.ts'
import { indexOf } from './indexed.ts'

const FIXTURES = join(import.meta.dir, '../fixtures/languages')

/** Each `<file>.txt` is read as `<file>`; `<file>.symbols.json` beside it says what must be found. */
const goldens = readdirSync(FIXTURES).flatMap((language) =>
  readdirSync(join(FIXTURES, language))
    .filter((name) => name.endsWith('.txt'))
    .map((name) => ({ language, path: join(language, name.slice(0, -'.txt'.length)) })),
)

describe('golden files', () => {
  test('there is one for each language', () => {
    const covered = new Set(goldens.map(({ language }) => language))
    expect(LANGUAGES.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual(['text'])
  })

  test.each(goldens)('$path', async ({ language, path }) => {
    const index = await indexOf(path, readFileSync(join(FIXTURES, `${path}.txt`), 'utf8'))
    const found = index.symbols.map(({ hash: _, words: __, ...shown }) => shown)
    expect(index.language).toBe(language)
    expect(index.status).toBe('parsed')
    expect(found).toEqual(JSON.parse(readFileSync(join(FIXTURES, `${path}.symbols.json`), 'utf8')))
  })
})

describe('the language of a file', () => {
  const cases: readonly (readonly [path: string, text: string, language: string])[] = [
    ['src/a.ts', '', 'typescript'],
    ['src/a.d.mts', '', 'typescript'],
    ['src/A.TSX', '', 'tsx'],
    ['a.cjs', '', 'javascript'],
    ['Rakefile', '', 'ruby'],
    ['lib/tasks/Gemfile', '', 'ruby'],
    ['.bashrc', '', 'bash'],
    ['build.gradle.kts', '', 'kotlin'],
    ['a.json', '#!/bin/sh', 'text'],
    ['.gitignore', '', 'text'],
    ['LICENSE', 'MIT', 'text'],
    ['bin/run', '#!/bin/bash -e\n', 'bash'],
    ['bin/run', '#!/usr/bin/env -S python3.12 -u\n', 'python'],
    ['bin/run', '#!/usr/bin/env node', 'javascript'],
    ['bin/run', '#!/usr/bin/awk -f\n', 'text'],
    ['bin/run', 'exec python3\n', 'text'],
    ['a.h', '#ifdef __cplusplus\nextern "C" {\n#endif\nstruct a { int b; };\n', 'c'],
    ['a.h', '#include <stdio.h>\n// namespace of the old days\nint f(void);\n', 'c'],
    ['a.h', '#include <vector>\nint f();\n', 'cpp'],
    ['a.h', 'namespace a {\nint f();\n}\n', 'cpp'],
    ['a.h', '#pragma once\nclass A final\n    : public B {\n};\n', 'cpp'],
  ]
  test.each(cases)('%s with %j is %s', (path, text, language) => {
    expect(languageOf(path, text).name).toBe(language)
  })

  test('the path alone decides it, unless its class says that the text has a part in it', () => {
    const undecided = new Set(['c-header', 'unknown'])
    const decided = cases.filter(([path]) => !undecided.has(languageClass(path)))
    expect(decided.map(([path]) => languageClass(path))).toEqual(decided.map(([, , name]) => name))
    expect(decided).toHaveLength(9)
  })
})
