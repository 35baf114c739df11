import { NoGrammar, parseFile, type SourceFile, type SourceResult } from './parse-file.ts'

/**
 * Indexes one file in this thread, loading no more than its grammar. A text that brings its grammar
 * down is tried again in a worker, as are all later ones: the grammars of this thread are unsound
 * then. Throws `NoGrammar`.
 */
export async function indexFile(file: SourceFile): Promise<SourceResult> {
  if (sound) {
    try {
      return await parseFile(file)
    } catch (error) {
      if (error instanceof NoGrammar) throw error
      sound = false
    }
  }
  const { indexAlone } = await import('./parse-pool.ts')
  return indexAlone(file)
}

let sound = true
