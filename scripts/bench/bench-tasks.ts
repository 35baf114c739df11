import { isTestPath } from '../../src/domain/test-path.ts'
import { languageOf } from '../../src/source/languages.ts'
import type { Commit, History } from './history.ts'

/**
 * Tasks from a history: each commit that changed one to five existing source files and says why in
 * four words or more. Its message is the goal, its parent's tree the state, its files what should be
 * found. Spread evenly over the newest commits; the same history gives the same tasks.
 */
export async function tasksOf(
  history: History,
  wanted: number,
): Promise<{ readonly tasks: readonly BenchTask[]; readonly commits: readonly Commit[] }> {
  const commits = await history.commits(COMMITS_READ)
  const fit = commits.flatMap((commit, at) => {
    const gold = goldFiles(commit)
    const isTask =
      commit.parents.length === 1 &&
      !NO_TASK.test(commit.subject) &&
      commit.subject.split(/\s+/).length >= 4 &&
      gold.length >= 1 &&
      gold.length <= 5
    return isTask ? [{ commit, at, goal: goalOf(commit.message), gold }] : []
  })
  return { tasks: evenly(fit, wanted).filter(({ goal }) => goal !== ''), commits }
}

/** So many of them, or all, spread over their whole order. */
export function evenly<T>(all: readonly T[], wanted: number): T[] {
  const step = Math.max(1, all.length / wanted)
  const chosen: T[] = []
  for (let at = 0; Math.floor(at) < all.length && chosen.length < wanted; at += step) {
    chosen.push(all[Math.floor(at)]!)
  }
  return chosen
}

export type BenchTask = {
  readonly commit: Commit
  /** Index into the commits read, newest first: those after it are older. */
  readonly at: number
  readonly goal: string
  /** Paths that should be found. */
  readonly gold: readonly string[]
}

/** Of a history, the newest. */
export const COMMITS_READ = 3_000
const GOAL_CHARS_MAX = 1_500
const NO_TASK =
  /^(?:release|chore|docs?|ci|style|revert|build|bump|version|v?\d+\.|set version|merge|copy|cleanup|lint|format|forward|backport)\b/i

/** A message without what only the finished change could know: numbers, addresses, trailers. */
export function goalOf(message: string): string {
  return message
    .replace(/\(#\d+\)|#\d+/g, '')
    .replace(/https?:\S+/g, '')
    .replace(/^(?:[A-Z][\w-]*-by|Change-Id|Closes|Fixes|Resolves|Refs?|Cc)\b.*$/gim, '')
    .replace(/^-{3,}$/gm, '')
    .replace(/^\s*[*-]\s*(?:add|fix|update|chore|format|lint).{0,12}$/gim, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim()
    .slice(0, GOAL_CHARS_MAX)
    .toWellFormed()
}

function goldFiles(commit: Commit): string[] {
  return commit.files.flatMap(({ status, path }) =>
    status === 'M' && isSource(path) ? [path] : [],
  )
}

export function isSource(path: string): boolean {
  return isCode(path) && !isTestPath(path)
}

/** Tests are; declarations without code are not. */
export function isCode(path: string): boolean {
  return languageOf(path, '').grammar !== null && !/\.d\.[cm]?ts$/.test(path)
}

/** Whether a message names neither a file's stem nor a symbol of those to be found. */
export function isHard(goal: string, gold: readonly string[], symbols: readonly string[]): boolean {
  const text = goal.toLowerCase()
  const namesFile = gold.some((path) => {
    const parts = path.toLowerCase().split('/')
    const stem = parts.at(-1)!.replace(/\.[^.]*$/, '')
    const folder = parts.at(-2)
    if (/^(?:index|mod|main|lib|__init__)$/.test(stem)) {
      return text.includes(stem) || (folder !== undefined && text.includes(folder))
    }
    return text.includes(stem)
  })
  return !namesFile && !symbols.some((name) => text.includes(name.toLowerCase().split('.').at(-1)!))
}
