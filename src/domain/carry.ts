import { compareBytes } from './order.ts'

/** Whether a verdict holds for what would land now, and by which rule; or why it holds no longer. */
export type CarryVerdict =
  | {
      readonly result: 'carry'
      /**
       * `same_base`: trunk has not moved. `unchanged`: the task's own patch is the same.
       * `overlap`: it differs in `paths` only, which the globs name and trunk touched too.
       */
      readonly how: 'same_base' | 'unchanged' | 'overlap'
      /** Ordered by their bytes; empty but for `overlap`. */
      readonly paths: readonly string[]
    }
  | { readonly result: 'void'; readonly reason: CarryReason; readonly path: string | null }

/** Why a verdict is void: one sentence each, for people. */
export const CARRY_REASONS = {
  tree_changed: 'The task holds other files than the ones that were reviewed.',
  conflict: 'The reviewed change conflicts with trunk.',
  nothing_left: 'Nothing of the reviewed change is left to land: trunk has all of it.',
  patch_version:
    'The verdict was stored without a patch identity that this version of av can compare.',
  patch_unreadable: 'The change cannot be read, or is too large to be compared.',
  not_recomputed:
    'What was reviewed, or what would land, could not be computed again as it was stored.',
  touches_av_toml: 'The change touches .av.toml, and such a verdict holds on its own trunk only.',
  not_in_globs: 'On the new trunk the change differs in a file that is not in carry_globs.',
  untouched_by_trunk: 'The change differs in a file that trunk has not touched.',
  file_set_differs: 'A file is in the change on one trunk and not on the other.',
  not_text: 'The change differs in a file that is not plain text on both sides and on trunk.',
} as const satisfies Record<string, string>

export type CarryReason = keyof typeof CARRY_REASONS

/** A patch by its identity, `<version>:<hash>`, and by its files. */
export type PatchFacts = {
  readonly identity: string
  readonly files: readonly {
    readonly path: string
    readonly digest: string
    readonly kind: 'text' | 'binary' | 'other'
  }[]
}

/** Null stands for what could not be read: no verdict carries on it. */
export type CarryInput = {
  /** As it was stored: tree and patch identity of what was reviewed. */
  readonly verdict: { readonly tree: string; readonly patch: string }
  /** The tree of the verdict's own commit, read again. */
  readonly reviewedTree: string | null
  /** The tree of what the task holds now. */
  readonly currentTree: string | null
  /** Trunk is where it was at the verdict. */
  readonly sameBase: boolean
  /** What the verdict's own commit comes to on trunk as it is now. */
  readonly landing: {
    readonly tree: string | null
    readonly conflict: boolean
    readonly conflictedFiles: readonly string[]
    /** Nothing differs from trunk. */
    readonly empty: boolean
  }
  /** The task's own patch on the trunk it was reviewed on. Not asked for on the same base. */
  readonly before: PatchFacts | null
  /** The same on trunk as it is now. */
  readonly after: PatchFacts | null
  /** What trunk brought between the two. Asked for only where `before` and `after` differ. */
  readonly trunk: PatchFacts | null
  readonly inGlobs: (path: string) => boolean
}

/**
 * Judges a verdict against a new trunk, closed wherever something is missing or odd. On the trunk
 * it was given on a verdict is bound to the tree alone: nothing is carried, so nothing else voids it.
 */
export function carry(input: CarryInput): CarryVerdict {
  const { verdict, landing } = input
  if (input.currentTree === null || input.reviewedTree !== verdict.tree) {
    return isVoid('not_recomputed')
  }
  // Trees, not patch identities: those leave line numbers out, and would not see a hunk that was
  // moved to a place that looks the same.
  if (input.currentTree !== verdict.tree) return isVoid('tree_changed')
  if (landing.conflict) return isVoid('conflict', landing.conflictedFiles[0])
  if (landing.empty) return isVoid('nothing_left')
  if (landing.tree === null) return isVoid('not_recomputed')
  if (!input.sameBase) return acrossTrunk(input)
  return landing.tree === verdict.tree ? carries('same_base') : isVoid('not_recomputed')
}

function acrossTrunk(input: CarryInput): CarryVerdict {
  const { verdict, before, after } = input
  if (!IDENTITY.test(verdict.patch)) return isVoid('patch_version')
  if (before === null || after === null) return isVoid('patch_unreadable')
  const version = versionOf(before.identity)
  if (versionOf(verdict.patch) !== version || versionOf(after.identity) !== version) {
    return isVoid('patch_version')
  }
  if (before.identity !== verdict.patch) return isVoid('not_recomputed')
  if (after.files.length === 0) return isVoid('nothing_left')
  const files = [...before.files, ...after.files]
  const conflicted = files.find(({ path }) => path.startsWith('.jjconflict-'))
  if (conflicted !== undefined) return isVoid('conflict', conflicted.path)
  // Some disks take names that differ in case for one.
  const settings = files.find(({ path }) => path.toLowerCase() === '.av.toml')
  if (settings !== undefined) return isVoid('touches_av_toml', settings.path)
  const paths = differing(before, after)
  if (paths.length > 0) return overlap(input, before, after, paths)
  return before.identity === after.identity ? carries('unchanged') : isVoid('not_recomputed')
}

/** The patch is not the same in these paths: is that by trunk's doing alone, and where it may be? */
function overlap(
  input: CarryInput,
  before: PatchFacts,
  after: PatchFacts,
  paths: readonly string[],
): CarryVerdict {
  const outside = paths.find((path) => !input.inGlobs(path))
  if (outside !== undefined) return isVoid('not_in_globs', outside)
  if (input.trunk === null) return isVoid('patch_unreadable')
  const [own, then, trunk] = [before, after, input.trunk].map(kinds)
  for (const path of paths) {
    if (!trunk?.has(path)) return isVoid('untouched_by_trunk', path)
    if (!own?.has(path) || !then?.has(path)) return isVoid('file_set_differs', path)
    const all = [own.get(path), then.get(path), trunk.get(path)]
    if (all.some((kind) => kind !== 'text')) return isVoid('not_text', path)
  }
  return { result: 'carry', how: 'overlap', paths }
}

const IDENTITY = /^\d+:[0-9a-f]{64}$/

function versionOf(identity: string): string | undefined {
  return identity.split(':', 1)[0]
}

function differing(before: PatchFacts, after: PatchFacts): string[] {
  const [was, is] = [digests(before), digests(after)]
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((path) => was.get(path) !== is.get(path))
    .sort(compareBytes)
}

function digests(patch: PatchFacts): Map<string, string> {
  return new Map(patch.files.map(({ path, digest }) => [path, digest]))
}

function kinds(patch: PatchFacts): Map<string, string> {
  return new Map(patch.files.map(({ path, kind }) => [path, kind]))
}

function carries(how: 'same_base' | 'unchanged'): CarryVerdict {
  return { result: 'carry', how, paths: [] }
}

function isVoid(reason: CarryReason, path: string | null = null): CarryVerdict {
  return { result: 'void', reason, path }
}
