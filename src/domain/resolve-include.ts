import type { Link } from './code.ts'
import { familyOf } from './code-family.ts'
import { type CodeLayout, folderOf, joined, type ResolvedLink } from './code-layout.ts'
import { lastPart, type Reach } from './link-reach.ts'

/**
 * Files named by path: `#include` of C and C++ (with a header comes what implements it), `require` of
 * Ruby, `source` of shells. From the file's own folder, else by the end of the path.
 */
export function resolveInclude(
  layout: CodeLayout,
  from: number,
  [, target, ...names]: Link,
): ResolvedLink[] {
  const { path, language } = layout.files[from]!
  const family = familyOf(language)
  const full = family === 'ruby' && !target.endsWith('.rb') ? `${target}.rb` : target
  const beside = joined(folderOf(path), full)
  const own = beside === null ? [] : layout.firstOf([beside])
  const relative = full.startsWith('./') && family === 'ruby'
  const plain = full.replace(/^(?:\.{1,2}\/)+/, '')
  const files = own.length > 0 || relative ? own : layout.endingWith(plain, path)
  const both =
    family === 'c' ? files.flatMap((file) => [file, ...implementing(layout, file)]) : files
  return [{ kind: 'import', names, files: both.filter((file) => file !== from) }]
}

/** Without its extension: a header brings what implements it, `require` names no `.rb`. */
export function reachOfIncluded(path: string): Reach {
  return { words: [lastPart(path).replace(/\.[^.]*$/, '')], under: [] }
}

const HEADER = /\.(?:h|hh|hpp|hxx)$/

function implementing(layout: CodeLayout, header: number): readonly number[] {
  const { path } = layout.files[header]!
  if (!HEADER.test(path)) return []
  const bare = path.replace(HEADER, '')
  const tries = ['.c', '.cc', '.cpp', '.cxx'].map((extension) => bare + extension)
  const beside = layout.firstOf(tries)
  if (beside.length > 0) return beside
  const name = bare.slice(bare.lastIndexOf('/') + 1)
  for (const extension of ['.cc', '.cpp', '.c']) {
    const found = layout.endingWith(`${name}${extension}`, path)
    if (found.length > 0) return found
  }
  return []
}
