import type { CodeLayout, Moved, Renumbering } from './code-layout.ts'
import type { IndexedFile, LexicalView } from './lexical.ts'
import { isSameToOthers, LinkResolver } from './link-resolver.ts'
import { type LinkTable, LinkTableWriter } from './link-table.ts'

/** Which files went and came; those that hold something else, or have other links, stayed. */
export function movedSince({ files, resolver }: Linked, { byPath }: LexicalView): Moved {
  const went: IndexedFile[] = []
  const came: IndexedFile[] = []
  let there = 0
  for (const old of files) {
    const file = byPath.get(old.path)
    if (file !== undefined) there++
    if (file !== undefined && (file === old || isSameToOthers(old, file))) continue
    went.push(old)
    if (file !== undefined) came.push(file)
  }
  if (there === byPath.size) return { went, came }
  for (const file of byPath.values()) {
    if (resolver.layout.at(file.path) === undefined) came.push(file)
  }
  return { went, came }
}

/** The files of a view by number, and what numbers those of the other have there. */
export function layoutAfter(
  { resolver: { layout } }: Linked,
  moved: Moved,
  { byPath }: LexicalView,
): { readonly layout: CodeLayout; readonly numbers: Renumbering } {
  if (moved.went.length + moved.came.length > 0) return layout.after(moved, byPath)
  const same = Int32Array.from(layout.files.keys())
  return { layout, numbers: { numberThen: same, numberNow: same, isSame: true } }
}

/** What the links of a view's files mean; the files by number. */
type Linked = {
  readonly resolver: LinkResolver
  readonly files: readonly IndexedFile[]
  readonly links: LinkTable
}

export function linkedAnew(layout: CodeLayout, view: LexicalView): Linked {
  const resolver = LinkResolver.of(layout)
  const files = filesOf(layout, view)
  const writer = new LinkTableWriter(view.dictionary)
  for (const [number, { links }] of files.entries()) writer.addFile(resolver.resolve(number, links))
  return { resolver, files, links: writer.table() }
}

type Change = {
  readonly layout: CodeLayout
  readonly moved: Moved
  readonly numbers: Renumbering
}

/** The same by what is known of another view: only links that may mean something else are followed. */
export function linkedAfter(
  before: Linked,
  { layout, moved, numbers }: Change,
  view: LexicalView,
): Linked {
  const { numberThen, numberNow, isSame } = numbers
  const resolver = isSame ? before.resolver : before.resolver.after(layout, moved, numberNow)
  if (resolver === null) return linkedAnew(layout, view)
  const files = filesOf(layout, view)
  const stale = isSame ? new Uint8Array(files.length) : resolver.reachedBy(moved)
  for (let file = 0; file < files.length; file++) {
    const old = before.files[numberThen[file]!]
    if (old === undefined || old.links !== files[file]!.links) stale[file] = 1
  }
  if (isSame && !stale.includes(1)) return { resolver, files, links: before.links }
  const writer = new LinkTableWriter(view.dictionary)
  for (let file = 0; file < files.length; ) {
    if (stale[file] === 1) {
      writer.addFile(resolver.resolve(file, files[file]!.links))
      file++
      continue
    }
    const first = file
    const then = numberThen[first]!
    while (stale[file] === 0 && numberThen[file] === then + file - first) file++
    before.links.copyRows(then, then + file - first, writer, isSame ? null : numberNow)
  }
  return { resolver, files, links: writer.table() }
}

function filesOf({ files }: CodeLayout, { byPath }: LexicalView): readonly IndexedFile[] {
  return files.map(({ path }) => byPath.get(path)!)
}
