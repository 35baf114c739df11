import { compareBytes } from './order.ts'
import { type PackItem, sortable, tierTexts } from './pack-item.ts'
import { block, codeLine, proseLine, quotedLines } from './sanitise.ts'

/** Another task that is somebody's work still. */
export type LiveTask = {
  readonly id: string
  readonly goal: string
  readonly state: string
  readonly owner: string | null
  /** What its last checkpoint changed; symbols as `path:Symbol`. */
  readonly files: readonly string[]
  readonly symbols: readonly string[]
  readonly latestIntent: string | null
  /** Positions of the repo's log since it last wrote. */
  readonly silentPositions: number
}

/** Those that change a file of this task's, the most shared first. */
export function liveItems(tasks: readonly LiveTask[], taskFiles: readonly string[]): PackItem[] {
  const ours = new Set(taskFiles)
  const found = tasks
    .map((task) => ({
      task,
      shared: task.files.filter((path) => ours.has(path)).sort(compareBytes),
    }))
    .filter(({ shared }) => shared.length > 0)
    .sort((a, b) => b.shared.length - a.shared.length || compareBytes(a.task.id, b.task.id))
  return found.map(({ task, shared }, at) => ({
    ...{ id: task.id, section: 'live', kind: 'work', ranks: { shared: at + 1 }, factor: 1_000 },
    ...{ required: false, parent: null, place: null, order: sortable(at) },
    texts: liveTexts(task, shared),
  }))
}

const FILES_SHOWN = 5
const SYMBOLS_SHOWN = 8

function liveTexts(task: LiveTask, shared: readonly string[]) {
  const owner = task.owner === null ? 'no owner' : codeLine(task.owner, 64)
  const head = `- ${task.id} (${codeLine(task.state, 20)}, ${owner})`
  const summary = `${head} also changes ${listed(shared, FILES_SHOWN)}: ${proseLine(task.latestIntent ?? task.goal, 120)}`
  const ours = new Set(shared)
  const symbols = task.symbols.filter((symbol) =>
    ours.has(symbol.slice(0, symbol.lastIndexOf(':'))),
  )
  const since =
    task.silentPositions === 0
      ? 'nothing was written here since its last write'
      : `${task.silentPositions} entries in the log since it last wrote`
  const more = symbols.length === 0 ? since : `changes ${listed(symbols, SYMBOLS_SHOWN)}; ${since}`
  return tierTexts(block([head]), block([summary]), block([summary, ...quotedLines(more)]))
}

function listed(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).map((name) => codeLine(name, 120))
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')}, ${more} more` : shown.join(', ')
}
