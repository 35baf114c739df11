import type { CommitId } from '../domain/repo.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'
import { type Ground, scanEnv, withIndex } from './scan.ts'

/** What a repository's own `.gitattributes` say of a path: made by a program, or taken from elsewhere. */
export type LinguistMarks = { readonly generated: boolean; readonly vendored: boolean }

const NAMES = ['linguist-generated', 'linguist-vendored'] as const

/**
 * The marks of the paths that have any, by the `.gitattributes` of `base` itself: the same answer
 * for everybody who looks at that commit, whatever lies on their disk or in their settings.
 */
export async function linguistMarks(
  host: Host,
  ground: Ground,
  base: CommitId | null,
  paths: readonly string[],
): Promise<Map<string, LinguistMarks>> {
  if (paths.length === 0) return new Map()
  const ran = await withIndex(host, ground, base, (held, dir) =>
    git(held, { gitDir: dir }, ['check-attr', '--cached', '--stdin', '-z', ...NAMES], {
      env: scanEnv(ground),
      stdin: Buffer.from(paths.map((path) => `${path}\0`).join('')),
    }),
  )
  const parts = splitNul(ran.stdout).map((part) => part.toString('utf8'))
  const marks = new Map<string, LinguistMarks>()
  for (let i = 0; i + 2 < parts.length; i += 3) {
    const [path = '', name = '', value = ''] = parts.slice(i, i + 3)
    if (value !== 'set' && value !== 'true') continue
    const before = marks.get(path) ?? { generated: false, vendored: false }
    marks.set(
      path,
      name === NAMES[0] ? { ...before, generated: true } : { ...before, vendored: true },
    )
  }
  return marks
}
