import type { ConventionId } from '../../src/domain/convention.ts'
import type { PackInput } from '../../src/domain/pack.ts'
import type { FileCandidate, SymbolCandidate } from '../../src/domain/pack-candidate.ts'
import type { PackRecord } from '../../src/domain/pack-history.ts'
import type { LiveTask } from '../../src/domain/pack-live.ts'
import type { PackConvention } from '../../src/domain/pack-rules.ts'
import type { PackTask } from '../../src/domain/pack-task.ts'
import type { RecordId } from '../../src/domain/record.ts'
import type { Position } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'

/** A pack of a task and nothing else, with what `changes` says. */
export function packInput(changes: Partial<PackInput> = {}): PackInput {
  return {
    ...{ task: packTask(), focus: [], budget: 800, position: 7 },
    ...{ overlay: 'none', indexVersion: 'v1', degraded: [] },
    candidates: candidates(),
    ...{ changed: [], records: [], conventions: [], live: [] },
    ...changes,
  }
}

export function candidates(
  changes: Partial<PackInput['candidates']> = {},
): PackInput['candidates'] {
  const none = { folders: [], files: [], symbols: [], records: [], taskFiles: [], missing: 0 }
  return { ...none, ...changes }
}

export function packTask(changes: Partial<PackTask> = {}): PackTask {
  return {
    ...{ id: 'refresh-session', goal: 'Refresh the session', kind: 'work', state: 'open' },
    ...{ owner: 'ada', base: 'c'.repeat(40), checkpoint: null, flags: [], verdict: null },
    ...{ failing: [], lastJournal: null, handoff: null },
    ...changes,
  }
}

/** Candidates in the order of `paths`, in one list: each scores less than the one before. */
export function files(paths: readonly string[]): FileCandidate[] {
  return paths.map((path, at) => ({
    ...{ path, blob: `b${at}`, lines: 40, symbolCount: 2 },
    ...{ ranks: { words: at + 1 }, factor: 1_000, score: 0 },
  }))
}

type Shown = Partial<SymbolCandidate['symbol']> & { readonly path: string; readonly name: string }

/** Candidates in this order, as `files`. */
export function symbols(shown: readonly Shown[]): SymbolCandidate[] {
  return shown.map(({ path, ...symbol }, at) => ({
    ...{ path, blob: 'b', ranks: { words: at + 1 }, factor: 700, score: 0 },
    symbol: {
      ...{ kind: 'function', line: 3, endLine: 9, nth: 0, doc: '' },
      signature: `function ${symbol.name}()`,
      ...symbol,
    },
  }))
}

export function record(id: string, changes: Partial<PackRecord> = {}): PackRecord {
  return {
    id: id as RecordId,
    position: 5 as Position,
    task: 'other-task' as TaskId,
    ...{ kind: 'decision', summary: `Summary of ${id}`, body: '', supersedes: [], receipt: null },
    ...{ anchors: [], corrects: [], rivals: [] },
    ...changes,
  }
}

/** The records themselves, and candidates that rank them in this order. */
export function history(records: readonly PackRecord[]): Pick<PackInput, 'candidates' | 'records'> {
  const ranked = records.map(({ id }, at) => ({ id, ranks: { words: at + 1 } }))
  return { candidates: candidates({ records: ranked }), records }
}

export function convention(id: string, changes: Partial<PackConvention> = {}): PackConvention {
  return {
    id: id as ConventionId,
    position: 3 as Position,
    ...{ glob: 'src/**', text: `Rule ${id}.`, required: false },
    ...changes,
  }
}

export function liveTask(id: string, changes: Partial<LiveTask> = {}): LiveTask {
  return {
    ...{ id, goal: `Goal of ${id}`, state: 'open', owner: 'bob', files: ['src/a.ts'] },
    ...{ symbols: [], latestIntent: null, silentPositions: 0 },
    ...changes,
  }
}

const HEADINGS: Readonly<Record<string, string>> = {
  '## Task': 'task',
  '## Map': 'map',
  '## Decisions & dead ends': 'history',
  '## Code': 'code',
  '## Conventions': 'conventions',
  '## Live work': 'live',
}

/** A pack's text as a reader takes it apart. */
export type ReadPack = {
  /** Title, receipt and `degraded` lines. */
  readonly head: readonly string[]
  /** By name of section, in the order of the text; a section that comes twice is there twice. */
  readonly sections: readonly { readonly name: string; readonly lines: readonly string[] }[]
  /** What stands behind the items: what was left out, or why there is nothing. */
  readonly last: string | null
}

const OURS_AT_THE_END = /^(?:left out: |nothing shown: |nothing to show: |over budget: )/

export function readPack(text: string): ReadPack {
  if (!text.endsWith('\n') || text.endsWith('\n\n')) throw new Error('a pack ends with one \\n')
  const lines = text.slice(0, -1).split('\n')
  const final = lines.at(-1)!
  const last = OURS_AT_THE_END.test(final) ? final : null
  if (last !== null) lines.pop()
  const head: string[] = []
  const sections: { name: string; lines: string[] }[] = []
  for (const line of lines) {
    const name = HEADINGS[line]
    if (name !== undefined) sections.push({ name, lines: [] })
    else (sections.at(-1)?.lines ?? head).push(line)
  }
  return { head, sections, last }
}

/** The lines of one section; none when it was left out. */
export function linesOf(text: string, section: string): readonly string[] {
  return readPack(text).sections.find(({ name }) => name === section)?.lines ?? []
}
