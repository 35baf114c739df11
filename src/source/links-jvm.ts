import type { FoundLink } from './found-link.ts'

/**
 * `package` and `import` of Java, Kotlin and Scala: the target is what stands before the last dot. Of
 * `import a.B.c` the name is `c`, the target `a.B`; of `a.b.*` (and Scala's `_`) the name is `*`.
 */
export function* jvmLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(PACKAGE)) {
    yield { at: match.index, link: ['package', plain(match[1]!)] }
  }
  for (const match of text.matchAll(IMPORT)) {
    const [, path, list] = match
    const target = plain(path!.replace(/\.$/, ''))
    if (list !== undefined) {
      const names = list.split(',').flatMap((part) => /^\s*([\w*]+)/.exec(part)?.[1] ?? [])
      yield {
        at: match.index,
        link: ['import', target, ...names.map((name) => (name === '_' ? '*' : name))],
      }
      continue
    }
    const cut = target.lastIndexOf('.')
    if (cut < 0) continue
    const name = target.slice(cut + 1)
    yield {
      at: match.index,
      link: ['import', target.slice(0, cut), name === '_' ? '*' : name],
    }
  }
}

const PACKAGE = /^[ \t]*package[ \t]+([\w.`]{1,300})[ \t]*(?:;|\{|:|$|\r|\/\/)/gm
const IMPORT = /^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.`]{1,300}\*?)(?:\{([^{}]{1,4000})\})?/gm

function plain(path: string): string {
  return path.replaceAll('`', '')
}
