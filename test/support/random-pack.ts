import fc from 'fast-check'
import { compareBytes } from '../../src/domain/order.ts'
import type { PackInput } from '../../src/domain/pack.ts'
import type { FolderCandidate } from '../../src/domain/pack-candidate.ts'
import type { RecordId } from '../../src/domain/record.ts'
import { RECORD_KINDS } from '../../src/domain/record.ts'
import type { Position } from '../../src/domain/repo.ts'
import type { TaskId } from '../../src/domain/task.ts'
import { convention, liveTask, packTask, record } from './pack-input.ts'

/** How much of each kind a pack is made of; shrinks towards nothing. */
export const packSizes = fc.record({
  seed: fc.nat(1_000_000),
  budget: fc.integer({ min: 50, max: 2_000 }),
  files: fc.nat(200),
  symbols: fc.nat(200),
  records: fc.nat(200),
  rules: fc.nat(200),
  required: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
  live: fc.nat(200),
  folders: fc.nat(6),
  degraded: fc.subarray(['index', 'semantic']),
})
export type PackSizes = typeof packSizes extends fc.Arbitrary<infer Sizes> ? Sizes : never

/** The same sizes make the same input. Ids are distinct; texts are words, code, CJK, emoji and marks. */
export function randomPack(sizes: PackSizes): PackInput {
  const { next, pick, text, ranks, some } = source(sizes.seed)
  const paths = unique(sizes.files, () => `${pick(FOLDERS)}${pick(WORDS)}-${next(1_000)}.ts`)
  const ids = Array.from({ length: sizes.records }, (_, at) => `r:${at}` as RecordId)
  const records = ids.map((id, at) =>
    record(id, {
      ...{ position: next(9_000) as Position, task: `t-${next(3)}` as TaskId },
      ...{ kind: pick(RECORD_KINDS), summary: text(12), body: next(2) === 0 ? '' : text(60) },
      anchors: some(3, () => ({
        ...{ path: pick(FOLDERS) + pick(WORDS), symbol: next(2) === 0 ? null : pick(WORDS) },
        mark: next(3) === 0 ? 'changed since recorded' : null,
      })),
      // A later record corrects an earlier one, as in a log.
      corrects: at > 0 && next(8) === 0 ? [ids[next(at)]!] : [],
      rivals: at > 0 && next(9) === 0 ? [ids[next(at)]!] : [],
    }),
  )
  const known = paths.length === 0 ? ['src/a.ts'] : paths
  return {
    task: packTask({
      ...{
        goal: text(20),
        handoff: next(2) === 0 ? null : text(40),
        flags: some(2, () => 'stale'),
      },
      ...{ lastJournal: next(2) === 0 ? null : text(9), failing: some(2, () => pick(WORDS)) },
    }),
    ...{ focus: some(2, () => pick(WORDS)), budget: sizes.budget, position: 9_000 },
    ...{ overlay: 'o', indexVersion: 'v', degraded: sizes.degraded },
    candidates: {
      folders: unique(sizes.folders, () => `${pick(FOLDERS)}${next(99)}/`).map(
        (path): FolderCandidate => ({
          ...{ path, files: next(90), symbols: next(900) },
          central: some(4, () => ({ name: pick(WORDS), symbols: some(3, () => pick(WORDS)) })),
        }),
      ),
      files: paths.map((path, at) => ({
        ...{ path, blob: `b${at}`, lines: next(900), symbolCount: next(40) },
        ...{ ranks: ranks(['words', 'symbols', 'focus']), factor: pick([500, 1_000]), score: 0 },
      })),
      symbols: Array.from({ length: sizes.symbols }, (_, nth) => ({
        ...{ path: pick(known), blob: 'b', factor: pick([350, 700]), score: 0 },
        ranks: ranks(['words', 'file']),
        symbol: {
          ...{ name: pick(WORDS), kind: 'method' as const, line: 1 + next(900), endLine: 950, nth },
          ...{ signature: `${pick(WORDS)}(${text(3)})`, doc: next(2) === 0 ? '' : text(9) },
        },
      })),
      records: ids.map((id) => ({ id, ranks: ranks(['words', 'anchored']) })),
      taskFiles: known.slice(0, 5).toSorted(compareBytes),
      missing: 0,
    },
    changed: known.slice(0, next(4)).map((path) => ({ path, symbols: [] })),
    records,
    conventions: Array.from({ length: sizes.rules + sizes.required }, (_, at) =>
      convention(`c:${at}`, {
        ...{ position: next(50) as Position, required: at < sizes.required },
        ...{ text: some(3, () => text(14)).join('\n') || 'One rule.' },
      }),
    ),
    live: Array.from({ length: sizes.live }, (_, at) =>
      liveTask(`live-${at}`, {
        ...{ files: some(4, () => pick(known)), goal: text(9), silentPositions: next(3) },
        symbols: some(3, () => `${pick(known)}:${pick(WORDS)}`),
      }),
    ),
  }
}

/** The same input with every list that is a set in another order. */
export function shuffled(input: PackInput, seed: number): PackInput {
  const { next } = source(seed)
  const mix = <T>(list: readonly T[]): T[] => {
    const mixed = [...list]
    for (let at = mixed.length - 1; at > 0; at--) {
      const other = next(at + 1)
      ;[mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!]
    }
    return mixed
  }
  return {
    ...input,
    degraded: mix(input.degraded),
    records: mix(input.records),
    conventions: mix(input.conventions),
    live: mix(input.live).map((task) => ({ ...task, files: mix(task.files) })),
    changed: mix(input.changed),
    candidates: { ...input.candidates, taskFiles: mix(input.candidates.taskFiles) },
  }
}

const FOLDERS = ['', 'src/', 'src/api/', 'src/api/deep/er/', 'lib/', 'packages/größe/src/']
const WORDS = [
  ...['session', 'refresh', 'Token', 'parseURL', 'x', 'HTTP2Server', 'snake_case', '__init__'],
  ...[
    'größe',
    'セッション',
    '会话',
    'عربى',
    '🚀',
    '👩‍👩‍👧',
    'e\u0301',
    '<|endoftext|>',
    "it's",
    '1234567',
  ],
]
const MARKS = [
  '##',
  '```',
  '> ',
  '- ',
  'receipt:',
  '\u202e',
  '\0',
  '\r\n',
  '\t',
  '\ud800',
  '/',
  '<!--',
]

/** Draws from a linear congruential generator: the same seed, the same draws. */
function source(seed: number) {
  let state = (seed + 1) >>> 0
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const pick = <T>(from: readonly T[]): T => from[next(from.length)]!
  const some = <T>(max: number, make: () => T): T[] => Array.from({ length: next(max + 1) }, make)
  const text = (words: number): string =>
    [pick(WORDS), ...some(words, () => pick(next(6) === 0 ? MARKS : WORDS))].join(
      pick([' ', ' ', '\n']),
    )
  const ranks = (lists: readonly string[]): Record<string, number> => {
    const found = lists.filter(() => next(2) === 0)
    const named = found.length === 0 ? lists.slice(0, 1) : found
    return Object.fromEntries(named.map((list) => [list, 1 + next(200)]))
  }
  return { next, pick, some, text, ranks }
}

function unique(count: number, make: () => string): string[] {
  const found = new Set<string>()
  while (found.size < count) found.add(make())
  return [...found]
}
