import { LINK_CHARS_MAX, LINK_NAMES_MAX, LINKS_MAX, type Link } from '../domain/code.ts'
import { compareBytes } from '../domain/order.ts'
import type { FoundLink } from './found-link.ts'
import { clikeLinks } from './links-clike.ts'
import { ecmascriptLinks } from './links-ecmascript.ts'
import { jvmLinks } from './links-jvm.ts'
import { type ProjectFile, projectLinks } from './links-project.ts'
import { rustLinks } from './links-rust.ts'
import { goLinks, phpLinks, pythonLinks, rubyLinks, shellLinks } from './links-scripting.ts'

/**
 * What a file says of other files. Found by statement, not by tree: a file that no grammar reads has
 * links too, and what only looks like an import in a string resolves to nothing. Takes time in
 * proportion to the text, whatever it holds.
 *
 * @param kind a language, or the class of a file that describes a project (`languageClass`)
 */
export function linksOf(kind: string, text: string): readonly Link[] {
  const scan = SCANNERS.get(kind)
  if (scan === undefined) return []
  const seen = new Set<string>()
  const found: FoundLink[] = []
  for (const each of scan(text)) {
    const link = bounded(each.link)
    const key = link?.join('\0')
    if (link === null || key === undefined || seen.has(key)) continue
    seen.add(key)
    found.push({ at: each.at, link })
  }
  return found
    .sort((a, b) => a.at - b.at || compareBytes(a.link.join('\0'), b.link.join('\0')))
    .slice(0, LINKS_MAX)
    .map(({ link }) => link)
}

type Scanner = (text: string) => Iterable<FoundLink>

const SCANNERS: ReadonlyMap<string, Scanner> = new Map<string, Scanner>([
  ['typescript', ecmascriptLinks],
  ['tsx', ecmascriptLinks],
  ['javascript', ecmascriptLinks],
  ['python', pythonLinks],
  ['go', goLinks],
  ['rust', rustLinks],
  ['java', jvmLinks],
  ['kotlin', jvmLinks],
  ['scala', jvmLinks],
  ['c', clikeLinks],
  ['cpp', clikeLinks],
  ['c-sharp', clikeLinks],
  ['ruby', rubyLinks],
  ['php', phpLinks],
  ['bash', shellLinks],
  ...(['tsconfig', 'package-json', 'go-mod', 'cargo', 'pyproject'] as const).map(
    (kind: ProjectFile): [string, Scanner] => [kind, (text) => projectLinks(kind, text)],
  ),
])

/** Null: longer than any that people write. */
function bounded([kind, target, ...names]: Link): Link | null {
  if (target === '' || target.length > LINK_CHARS_MAX) return null
  const short = names.filter((name) => name !== '' && name.length <= LINK_CHARS_MAX)
  const some = [...new Set(short)].slice(0, LINK_NAMES_MAX)
  return [kind, target.toWellFormed(), ...some.map((name) => name.toWellFormed())]
}
