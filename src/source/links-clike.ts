import type { FoundLink } from './found-link.ts'

/** `#include` of C and C++; `namespace` and `using` of C#, whose `using` names no more than a namespace. */
export function* clikeLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(INCLUDE)) {
    yield { at: match.index, link: ['import', match[1]!.trim(), '*'] }
  }
  for (const match of text.matchAll(NAMESPACE)) {
    yield { at: match.index, link: ['package', match[1]!] }
  }
  for (const match of text.matchAll(USING)) {
    yield { at: match.index, link: ['import', match[1]!, '*'] }
  }
}

const INCLUDE = /^[ \t]*#[ \t]*(?:include|import)[ \t]*["<]([^"<>\n]{1,300})[">]/gm
const NAMESPACE = /^[ \t]*namespace[ \t]+(\w[\w.]{0,299})[ \t]*[;{\r\n]/gm
const USING =
  /^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w{1,100}[ \t]*=[ \t]*)?(?!namespace\b)([\w.]{1,300})[ \t]*;/gm
