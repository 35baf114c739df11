import type { BlobId } from '../../src/domain/code.ts'
import { LexicalIndex } from '../../src/domain/lexical.ts'
import { loadTokenCounter } from '../../src/ops/tokens.ts'
import { BenchRecords } from './bench-records.ts'
import { type BenchTask, isHard, tasksOf } from './bench-tasks.ts'
import type { BenchCase, BenchWorld } from './contender.ts'
import { Corpus } from './corpus.ts'
import type { History } from './history.ts'

/** Everything a run needs of a history, and its tasks with what is to be found. */
export async function loadCases(
  history: History,
  wanted: number,
  withTexts: boolean,
): Promise<{ readonly world: BenchWorld; readonly cases: readonly BenchCase[] }> {
  const { tasks, commits } = await tasksOf(history, wanted)
  return casesOf(history, Corpus.open(history), tasks, BenchRecords.ofCommits(commits), withTexts)
}

/** The same for tasks and records that are known already. */
export async function casesOf(
  history: History,
  corpus: Corpus,
  tasks: readonly BenchTask[],
  records: BenchRecords,
  withTexts: boolean,
): Promise<{ readonly world: BenchWorld; readonly cases: readonly BenchCase[] }> {
  const lexical = new LexicalIndex()
  records.addTo(lexical)
  const cases: BenchCase[] = []
  const blobs = new Set<BlobId>()
  for (const task of tasks) {
    const tree = await corpus.tree(task.commit.parents[0]!)
    for (const { path, blob } of tree) {
      lexical.addFile(path, corpus.index(blob))
      blobs.add(blob)
    }
    const gold = await goldOf(history, corpus, task, tree)
    if (gold === null) continue
    const view = lexical.view(tree)
    cases.push({ task, tree, view, records: records.viewOf(lexical, task), ...gold })
  }
  const texts = withTexts ? await corpus.texts([...blobs]) : new Map<BlobId, string>()
  const world = {
    ...{ lexical, records, countTokens: await loadTokenCounter() },
    index: (blob: BlobId) => corpus.index(blob),
    text: (blob: BlobId) => texts.get(blob) ?? '',
  }
  return { world, cases }
}

/** The files that are there to be found, and the innermost definition around each changed range. */
async function goldOf(
  history: History,
  corpus: Corpus,
  task: BenchTask,
  tree: BenchCase['tree'],
): Promise<Pick<BenchCase, 'goldFiles' | 'goldSymbols' | 'hard'> | null> {
  const blobAt = new Map(tree.map(({ path, blob }) => [path, blob]))
  const goldFiles = task.gold.filter((path) => blobAt.has(path))
  if (goldFiles.length === 0) return null
  const ranges = await history.oldRanges(task.commit.parents[0]!, task.commit.id, goldFiles)
  const symbols = new Map<string, string>()
  for (const path of goldFiles) {
    const defined = corpus.index(blobAt.get(path)!).symbols
    for (const [from, to] of ranges.get(path) ?? []) {
      const around = defined
        .filter(({ line, endLine }) => line <= to && endLine >= from)
        .sort((a, b) => a.endLine - a.line - (b.endLine - b.line))[0]
      if (around !== undefined) symbols.set(`${path}\0${around.line}`, around.name)
    }
  }
  return {
    goldFiles,
    goldSymbols: [...symbols.keys()],
    hard: isHard(task.goal, goldFiles, [...symbols.values()]),
  }
}
