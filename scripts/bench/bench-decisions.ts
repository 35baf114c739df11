import { ANCHORS_MAX, type RecordId } from '../../src/domain/record.ts'
import { BenchRecords, filesOf, isRevert, recordOf } from './bench-records.ts'
import { type BenchTask, COMMITS_READ, goalOf, isSource } from './bench-tasks.ts'
import type { Corpus, Definition } from './corpus.ts'
import type { Commit, FileChange, History, LineRange } from './history.ts'

/**
 * The decisions in a history, as records: commits whose message gives a reason in its body, those that
 * write a decision document, and reverts, which are dead ends. Each is anchored at the definitions it
 * left changed, with the hash they had then; one that changed none at its files.
 */
export class BenchDecisions {
  private constructor(
    readonly records: BenchRecords,
    private readonly changes: ReadonlyMap<string, readonly FileChange[]>,
    private readonly definitions: ReadonlyMap<string, readonly Definition[]>,
  ) {}

  /** @param tasks those that `concerning` may be asked for
   *  @param amongNotes every other commit is a note, which competes for the place and is no decision */
  static async read(
    history: History,
    corpus: Corpus,
    {
      commits,
      tasks,
    }: { readonly commits: readonly Commit[]; readonly tasks: readonly BenchTask[] },
    amongNotes: boolean,
  ): Promise<BenchDecisions> {
    const all = await history.changes(COMMITS_READ)
    const changes = new Map(
      [...all].map(([id, files]) => [id, files.filter(({ path }) => isSource(path))]),
    )
    const isWanted = (commit: Commit) => amongNotes || holdsDecision(commit)
    const blobs = [
      ...sidesOf(changes, commits.filter(isWanted), 'after'),
      ...sidesOf(
        changes,
        tasks.map(({ commit }) => commit),
        'before',
      ),
    ]
    const definitions = await corpus.definitions(blobs)
    const anchorsOf = ({ id }: Commit) => {
      const anchors = (changes.get(id) ?? []).flatMap(({ path, after, hunks }) => {
        const defined = definitionsIn(definitions.get(after ?? ''), hunks, 'after')
        return defined.map(({ name, hash }) => ({ path, symbol: name, hash, mark: null }))
      })
      return anchors.slice(0, ANCHORS_MAX)
    }
    const records = new BenchRecords(commits, (commit, position) => {
      const isDecision = holdsDecision(commit)
      if (!isDecision && !amongNotes) return null
      const anchors = anchorsOf(commit)
      return recordOf(commit, position, {
        anchors: anchors.length > 0 ? anchors : filesOf(commit),
        kind: isDecision ? 'decision' : 'note',
      })
    })
    return new BenchDecisions(records, changes, definitions)
  }

  /**
   * What should be in a pack for the task. A later decision on a definition speaks for those before
   * it, so that of each definition that the commit changes the newest one is `wanted`; `all` has the
   * older ones too. Both newest first.
   */
  concerning(task: BenchTask): Concerning {
    const changed = new Set(
      (this.changes.get(task.commit.id) ?? []).flatMap(({ path, before, hunks }) =>
        definitionsIn(this.definitions.get(before ?? ''), hunks, 'before').map(
          ({ name }) => `${path}\0${name}`,
        ),
      ),
    )
    const spokenFor = new Set<string>()
    const wanted = new Set<RecordId>()
    const all: RecordId[] = []
    for (const { id, kind, anchors } of this.records.before(task)) {
      if (kind === 'note') continue
      const here = anchors
        .map(({ path, symbol }) => `${path}\0${symbol}`)
        .filter((place) => changed.has(place))
      if (here.length === 0) continue
      all.push(id)
      for (const place of here) {
        if (!spokenFor.has(place)) wanted.add(id)
        spokenFor.add(place)
      }
    }
    const symbolsOf = (path: string) =>
      [...changed].flatMap((place) =>
        place.startsWith(`${path}\0`) ? [place.slice(path.length + 1)] : [],
      )
    const changedCode = task.gold.map((path) => ({ path, symbols: symbolsOf(path) }))
    return { wanted: [...wanted], all, changed: changedCode }
  }
}

export type Concerning = {
  readonly wanted: readonly RecordId[]
  readonly all: readonly RecordId[]
  /** The task's files, with the definitions in them that the commit changes. */
  readonly changed: readonly { readonly path: string; readonly symbols: readonly string[] }[]
}

function sidesOf(
  changes: ReadonlyMap<string, readonly FileChange[]>,
  commits: readonly Commit[],
  side: 'before' | 'after',
): { readonly path: string; readonly blob: string }[] {
  const files = commits.flatMap(({ id }) => changes.get(id) ?? [])
  return files.flatMap((file) => {
    const blob = file[side]
    return blob === null ? [] : [{ path: file.path, blob }]
  })
}

const WHY_WORDS_MIN = 8
const DECISION_DOCUMENT =
  /(?:^|\/)(?:adrs?|decisions?|rfcs?|design(?:-docs?)?|proposals?)\/[^/]+\.(?:md|rst|adoc)$/i
const REASON =
  /\b(?:because|since|so that|so (?:it|we|the|this)|avoid|otherwise|instead|rather than|prevent|therefore|due to|without|but|would|could|should|need(?:s|ed)?|allows?|makes?|caus(?:e|es|ed|ing)|problem|bug|reason|why|unless)\b/i

/** Whether a commit says why, or takes something back. */
export function holdsDecision(commit: Commit): boolean {
  if (isRevert(commit)) return true
  if (commit.files.some(({ path }) => DECISION_DOCUMENT.test(path))) return true
  const lines = goalOf(commit.message).split('\n').slice(1)
  const prose = lines.filter((line) => !/^\s*(?:[*+-]|\d+\.)\s/.test(line)).join(' ')
  return (prose.match(/\p{L}{2,}/gu) ?? []).length >= WHY_WORDS_MIN && REASON.test(prose)
}

/**
 * The definitions that ranges of lines changed: of those around a whole range the innermost; where none
 * is, the outermost that it reaches into.
 */
function definitionsIn(
  defined: readonly Definition[] = [],
  hunks: FileChange['hunks'],
  side: 'before' | 'after',
): Definition[] {
  const found = hunks.flatMap((hunk) => definitionsAt(defined, hunk[side]))
  return [...new Map(found.map((definition) => [definition.name, definition])).values()]
}

function definitionsAt(defined: readonly Definition[], [from, to]: LineRange): Definition[] {
  const around = defined
    .filter(({ line, endLine }) => line <= from && endLine >= to)
    .sort((a, b) => a.endLine - a.line - (b.endLine - b.line))[0]
  if (around !== undefined) return [around]
  const reached = defined.filter(({ line, endLine }) => line <= to && endLine >= from)
  return reached.filter((one) => !reached.some((other) => other !== one && encloses(other, one)))
}

function encloses(outer: Definition, inner: Definition): boolean {
  const isWithin = outer.line <= inner.line && outer.endLine >= inner.endLine
  return isWithin && outer.endLine - outer.line > inner.endLine - inner.line
}
