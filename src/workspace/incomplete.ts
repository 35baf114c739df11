import { existsSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChangedFile, Incomplete } from '../domain/checkpoint.ts'
import { compareBytes } from '../domain/order.ts'
import type { Scan } from './scan.ts'

/**
 * What a snapshot left out without failing, given what differs from the base on disk and what of
 * it was recorded (`files`): jj warns of files that are too large or whose names are
 * not UTF-8 (`stderr`), and passes over repositories inside the workspace in silence. The latter
 * are found by looking where disk and snapshot disagree.
 */
export function findIncomplete(
  folder: string,
  onDisk: Scan,
  files: readonly ChangedFile[],
  stderr: string,
): Incomplete {
  const nested = new Set(onDisk.nested)
  const recorded = new Set(
    files.flatMap(({ path, from }) => (from === null ? [path] : [path, from])),
  )
  for (const { path, gone } of onDisk.entries) {
    if (!gone && !recorded.has(path)) addRepositoryAbove(nested, folder, path)
  }
  for (const { path, status, from } of files) {
    const left = status === 'removed' ? path : status === 'renamed' ? from : null
    if (left !== null && exists(join(folder, left))) {
      addRepositoryAbove(nested, folder, left)
    }
  }
  return {
    tooLarge: tooLargeFiles(stderr),
    badNames: badNames(stderr),
    nested: [...nested].sort(compareBytes),
  }
}

function addRepositoryAbove(nested: Set<string>, folder: string, path: string): void {
  for (let at = dirname(path); at !== '.'; at = dirname(at)) {
    if (existsSync(join(folder, at, '.git')) || existsSync(join(folder, at, '.jj'))) nested.add(at)
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function tooLargeFiles(stderr: string): string[] {
  return linesAfter(stderr, 'Warning: Refused to snapshot some files:')
    .flatMap((line) => /^ {2}(.+): [\d.]+\w+ \(\d+ bytes\); the maximum size/.exec(line)?.[1] ?? [])
    .sort(compareBytes)
}

/** `  dir: "na\xFFme"`, names escaped by jj. */
function badNames(stderr: string): string[] {
  return linesAfter(stderr, 'Warning: Skipped some paths because they are not valid UTF-8:')
    .flatMap((line) => {
      const [, dir, name] = /^ {2}(.*): "(.*)"$/.exec(line) ?? []
      return name === undefined ? [] : [dir === '.' ? name : `${dir}/${name}`]
    })
    .sort(compareBytes)
}

/** The indented lines below a heading. */
function linesAfter(text: string, heading: string): string[] {
  const lines = text.split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) return []
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('  '))
  return lines.slice(start + 1, end < 0 ? undefined : end)
}
