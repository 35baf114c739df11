import { scaled } from './rank.ts'
import { isTestPath } from './test-path.ts'
import { FACTORS } from './weights.ts'

/** Which kinds of file a goal asks for beside source code, judged by its words. */
export type WantedCode = { readonly tests: boolean; readonly prose: boolean }

export function wantedBy(text: string): WantedCode {
  return { tests: SPEAKS_OF_TESTS.test(text), prose: SPEAKS_OF_PROSE.test(text) }
}

/** What the scores of a view's files are multiplied by, in thousandths; each is judged once. */
export class FileFactors {
  private readonly known = new Map<string, number>()

  constructor(private readonly wanted: WantedCode) {}

  of(path: string, language: string): number {
    const known = this.known.get(path)
    if (known !== undefined) return known
    const factor = fileFactor(path, language, this.wanted)
    this.known.set(path, factor)
    return factor
  }
}

export function fileFactor(path: string, language: string, wanted: WantedCode): number {
  const test = !wanted.tests && isTestPath(path) ? FACTORS.test : 1_000
  const prose = !wanted.prose && NO_CODE.has(language) ? FACTORS.prose : 1_000
  return scaled(test, prose)
}

const NO_CODE: ReadonlySet<string> = new Set(['text', 'markdown'])
const SPEAKS_OF_TESTS =
  /\b(?:tests?|tested|testing|specs?|fixtures?|snapshots?|bench(?:mark)?s?|coverage|flaky)\b/i
// Not "config" or "settings": those that say so nearly always mean the code that reads them.
const SPEAKS_OF_PROSE =
  /\b(?:docs|documentation|readme|changelog|guides?|tutorials?|manual|markdown|workflows?|ya?ml|dockerfile|licen[cs]e)\b/i
