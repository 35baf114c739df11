import type { ReindexView } from '../api/reindex-view.ts'
import type { Output } from '../api/routes.ts'
import type { BlobId } from '../domain/code.ts'
import { applyOverlay, type CodeView, type TreeEntry, versionOf } from '../domain/code-view.ts'
import { IndexTally } from '../domain/index-check.ts'
import { filePrint, treePrint } from '../domain/index-print.ts'
import type { RepoId } from '../domain/repo.ts'
import { INDEX_VERSION } from '../source/version.ts'
import { compareScan } from '../workspace/scan-copies.ts'
import { type CodeFolder, forEachFolder } from './all-code.ts'
import { fileIndexes } from './index-sync.ts'
import type { Place } from './place.ts'
import type { Session } from './session.ts'

/**
 * Compares what is kept with what it was made from: each content of the code at hand is read again. Something is missing
 * only where the daemon knows the listing: what it has not been shown yet, as trunk just after it moved, is read when
 * it is first needed, and no fault.
 */
export async function checkIndex(
  session: Session,
  { repo }: Place,
  folders: readonly CodeFolder[],
): Promise<ReindexView> {
  const check = new Check(session, repo)
  await check.readKept()
  let here: CodeView | null = null
  await forEachFolder(session, folders, async (folder) => {
    const { view } = await folder.code.view()
    if (folder.isHere) here = view
    const listing = await folder.code.listing()
    const isKnown = check.compareTree(view, listing)
    await check.compareContents(folder, view, listing, isKnown)
    await check.compareScan(folder)
  })
  return check.finish(here)
}

/** Named by content, and by key; null: it cannot be read. */
type Prints = Map<string, string | null>

class Check {
  private readonly tally = new IndexTally()
  private readonly files: Prints = new Map()
  private readonly trees: Prints = new Map()
  private readonly seen = new Set<string>()
  private readonly sums = { files: 0, bytes: 0, leftOut: 0, unparsable: 0, pending: 0 }
  private readonly asText: string[] = []

  constructor(
    private readonly session: Session,
    private readonly repo: RepoId,
  ) {}

  /** What is stored; of an older or newer version it is no use here. */
  async readKept(): Promise<void> {
    const { session, repo } = this
    let after: { readonly version: string; readonly blob: string } | null = null
    for (let more = true; more; ) {
      const page: Output<'index.rows'> = await session.call('index.rows', { repo, after })
      for (const { version, blob, print } of page.items) {
        if (version === INDEX_VERSION) this.files.set(blob, print)
        else this.tally.note('files', 'leftOver', `version ${version}`)
        after = { version, blob }
      }
      session.invocation.progress?.('reading', this.files.size, 0)
      more = page.more
    }
    let from: string | null = null
    for (let more = true; more; ) {
      const page: Output<'index.listings'> = await session.call('index.listings', {
        ...{ repo, after: from },
      })
      for (const { key, print } of page.items) {
        if (versionOf(key as CodeView['tree']) === INDEX_VERSION) this.trees.set(key, print)
        else this.tally.note('trees', 'leftOver', key)
        from = key
      }
      more = page.more
    }
  }

  /** Whether the daemon knows the listing. */
  compareTree({ tree }: CodeView, listing: readonly TreeEntry[]): boolean {
    const isNew = !this.seen.has(tree)
    this.seen.add(tree)
    const print = this.trees.get(tree)
    const differs = print !== undefined && print !== treePrint(listing)
    if (differs && isNew) this.tally.note('trees', 'different', tree)
    return print !== undefined
  }

  async compareContents(
    { code }: CodeFolder,
    view: CodeView,
    listing: readonly TreeEntry[],
    isKnown: boolean,
  ): Promise<void> {
    const onDisk = new Set(view.overlay.map(({ path }) => path))
    const wanted = new Map<BlobId, string>()
    for (const { path, blob } of applyOverlay(listing, view.overlay)) {
      if (blob === null || this.seen.has(blob)) continue
      if (this.files.has(blob)) wanted.set(blob, path)
      // What was edited since the last look is read at the next one.
      else if (isKnown && !onDisk.has(path)) this.tally.note('files', 'missing', path)
      else this.sums.pending++
      this.seen.add(blob)
    }
    const entries = [...wanted].map(([blob, path]) => ({ blob, path }))
    for await (const index of fileIndexes(code, entries, onDisk)) {
      const path = wanted.get(index.blob) ?? index.blob
      if (this.files.get(index.blob) !== filePrint(index)) {
        this.tally.note('files', 'different', path)
      }
      this.sums.files++
      this.sums.bytes += index.bytes
      if (index.status === 'left_out') this.sums.leftOut++
      if (index.status === 'unparsable') this.addUnparsable(path)
      this.session.invocation.progress?.('checking', this.sums.files, this.files.size)
    }
  }

  private addUnparsable(path: string): void {
    this.sums.unparsable++
    if (this.asText.length < AS_TEXT_MAX) this.asText.push(path)
  }

  async compareScan({ ground, base }: CodeFolder): Promise<void> {
    const found = await compareScan(this.session.host, ground, base)
    for (const how of ['missing', 'different', 'leftOver'] as const) {
      for (const path of found[how]) this.tally.note('scans', how, path)
    }
  }

  async finish(view: CodeView | null): Promise<ReindexView> {
    const { symbols, records, difference } = await this.session.call('index.compare', {
      ...{ repo: this.repo, view },
    })
    if (difference !== null) this.tally.add(difference)
    const kept = [...this.files.keys(), ...this.trees.keys()]
    const unseen = kept.filter((key) => !this.seen.has(key)).length
    return {
      ...{ checked: true, dropped: 0, ...this.sums, symbols, records },
      ...{ asText: this.asText, unseen, differences: this.tally.differences },
    }
  }
}

const AS_TEXT_MAX = 50
