import type { IndexedFile } from './lexical.ts'
import { scaled } from './rank.ts'
import { FACTORS } from './weights.ts'

/** Which kinds of file a goal asks for beside source code, judged by its words. */
export type WantedCode = { readonly tests: boolean; readonly prose: boolean }

export function wantedBy(text: string): WantedCode {
  return { tests: SPEAKS_OF_TESTS.test(text), prose: SPEAKS_OF_PROSE.test(text) }
}

/** What a file's score is multiplied by, in thousandths. */
export function factorOf({ isTest, language }: JudgedFile, wanted: WantedCode): number {
  const test = !wanted.tests && isTest ? FACTORS.test : 1_000
  const prose = !wanted.prose && NO_CODE.has(language) ? FACTORS.prose : 1_000
  return scaled(test, prose)
}

type JudgedFile = Pick<IndexedFile, 'isTest' | 'language'>

const NO_CODE: ReadonlySet<string> = new Set(['text', 'markdown'])
const SPEAKS_OF_TESTS =
  /\b(?:tests?|tested|testing|specs?|fixtures?|snapshots?|bench(?:mark)?s?|coverage|flaky)\b/i
// Not "config" or "settings": those that say so nearly always mean the code that reads them.
const SPEAKS_OF_PROSE =
  /\b(?:docs|documentation|readme|changelog|guides?|tutorials?|manual|markdown|workflows?|ya?ml|dockerfile|licen[cs]e)\b/i
