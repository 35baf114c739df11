import { buildPack, type PackInput, recordsWeighed } from '../../src/domain/pack.ts'
import type { Pack } from '../../src/domain/pack-finish.ts'
import { selectCandidates } from '../../src/domain/pack-select.ts'
import { WEIGHTS, type WeightTable } from '../../src/domain/weights.ts'
import { benchSemantics } from './bench-semantics.ts'
import type { BenchCase, BenchWorld, Contender, Shown } from './contender.ts'

/** `av` itself: the very functions the daemon calls, and a whole pack's text. */
export const AV: Contender = { name: 'av', answer: answerWith(WEIGHTS) }

/** The same with a part left out, to see what it is worth. */
export const ABLATIONS: readonly Contender[] = [
  without('graph', {
    file: { ...WEIGHTS.file, graph: 0 },
    symbol: { ...WEIGHTS.symbol, graph: 0 },
  }),
  { name: 'av without semantic', answer: answerWith(WEIGHTS, null) },
  without('semantic records', { record: { ...WEIGHTS.record, semantic: 0 } }),
  without('records', { file: { ...WEIGHTS.file, records: 0 } }),
  without('file words', { file: { ...WEIGHTS.file, words: 0 } }),
  without('symbol words for files', { file: { ...WEIGHTS.file, symbols: 0 } }),
  without('file rank for symbols', { symbol: { ...WEIGHTS.symbol, file: 0 } }),
]

export function packOf(
  world: BenchWorld,
  of: BenchCase,
  budget: number,
  weights: WeightTable = WEIGHTS,
  moment: Moment = AT_FIRST,
  semantics: Semantics = benchSemantics,
): Pack {
  const { lexical, records, countTokens } = world
  const { task, view, records: older } = of
  const { goal } = task
  const context = { goal, focus: moment.focus, changed: moment.changed }
  const candidates = selectCandidates(
    {
      ...{ ...context, index: lexical, view, records: older, ownRecords: [], ownPaths: [] },
      semantic: semantics?.(world, of, moment.focus) ?? null,
    },
    weights,
  )
  return buildPack(
    {
      ...{ ...context, budget, candidates, conventions: [], live: [], degraded: [] },
      ...{ position: task.at, overlay: task.commit.id, indexVersion: 'bench' },
      records: records.get(
        recordsWeighed(candidates.records, { budget, ledger: moment.ledger }).map(({ id }) => id),
        view,
      ),
      task: {
        ...{ id: 'bench-task-ab12', goal, kind: 'work', state: 'open', owner: 'agent' },
        ...{ base: task.commit.parents[0]!, checkpoint: null, flags: [], verdict: null },
        ...{ failing: [], lastJournal: null, handoff: null },
      },
      ledger: moment.ledger,
    },
    countTokens,
    undefined,
    weights,
  )
}

/** Where a task has got to when it asks. */
export type Moment = Pick<PackInput, 'focus' | 'changed' | 'ledger'>
const AT_FIRST: Moment = { focus: [], changed: [] }

function without(part: string, changed: Partial<WeightTable>): Contender {
  return { name: `av without ${part}`, answer: answerWith({ ...WEIGHTS, ...changed }) }
}

/** What lies closest in meaning; null: not searched. */
type Semantics = typeof benchSemantics | null

function answerWith(
  weights: WeightTable,
  semantics: Semantics = benchSemantics,
): Contender['answer'] {
  return (world, of, budget) => read(packOf(world, of, budget, weights, AT_FIRST, semantics), of)
}

/**
 * What a pack's text names, read back from the text alone: the Code section's files in order, then
 * any other whole path; symbols by the line numbers under a file. The goal itself does not count.
 */
function read({ text, tokens }: Pack, { view }: BenchCase): Shown {
  const files = new Set<string>()
  const elsewhere: string[] = []
  const symbols = new Set<string>()
  let section = ''
  let file = ''
  let folder = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3)
    else if (section !== 'Code') {
      if (section !== 'Task') elsewhere.push(...(line.match(/[\w./@+-]+/g) ?? []))
    } else if (line.startsWith('- ') && line.endsWith('/ also:')) {
      folder = line.slice(2, -' also:'.length)
    } else if (line.startsWith('- ') || line.startsWith('+ ')) {
      file = (line.startsWith('+') ? folder : '') + line.slice(2)
      files.add(file)
    } else {
      const at = /^L(\d+)(?:-\d+)? /.exec(line)
      if (at !== null) symbols.add(`${file}\0${at[1]}`)
    }
  }
  for (const word of elsewhere) if (view.byPath.has(word)) files.add(word)
  return { files: [...files], symbols, tokens }
}
