import { describe, expect, test } from 'bun:test'
import {
  CARRY_REASONS,
  type CarryInput,
  type CarryReason,
  carry,
  type PatchFacts,
} from '../../src/domain/carry.ts'

const id = (digit: string) => `1:${digit.repeat(64)}`
type Files = Readonly<Record<string, string | readonly [string, 'text' | 'binary' | 'other']>>
const patch = (identity: string, files: Files): PatchFacts => ({
  identity,
  files: Object.entries(files).map(([path, file]) =>
    typeof file === 'string'
      ? { path, digest: file, kind: 'text' as const }
      : { path, digest: file[0], kind: file[1] },
  ),
})

/** A document that both sides changed, and a source file that only the task did. */
const OVERLAP: CarryInput = {
  verdict: { tree: 'reviewed', patch: id('a') },
  reviewedTree: 'reviewed',
  currentTree: 'reviewed',
  sameBase: false,
  landing: { tree: 'rebased', conflict: false, conflictedFiles: [], empty: false },
  before: patch(id('a'), { 'a.ts': '1', 'doc.md': '2', 'more.md': '3' }),
  after: patch(id('b'), { 'a.ts': '1', 'doc.md': '2b', 'more.md': '3b' }),
  trunk: patch(id('c'), { 'doc.md': '4', 'more.md': '5', 'other.ts': '6' }),
  inGlobs: (path) => path.endsWith('.md'),
}
const { before, after, trunk, landing, verdict } = OVERLAP
const SAME: CarryInput = { ...OVERLAP, sameBase: true, landing: { ...landing, tree: 'reviewed' } }
const files = (facts: PatchFacts | null, more: Files): PatchFacts => ({
  identity: facts!.identity,
  files: [...facts!.files.filter(({ path }) => !(path in more)), ...patch('', more).files],
})

describe('a verdict carries', () => {
  test('on the same base, whatever else is at hand', () => {
    const same = { result: 'carry', how: 'same_base', paths: [] } as const
    expect(carry({ ...SAME, before: null, after: null, trunk: null })).toEqual(same)
    expect(carry({ ...SAME, before: files(before, { '.av.toml': '1' }) })).toEqual(same)
    expect(carry({ ...SAME, verdict: { ...verdict, patch: '' } })).toEqual(same)
  })

  test('while the patch is unchanged, binary files and links too', () => {
    const odd = { 'x.png': ['1', 'binary'], link: ['2', 'other'] } as const
    const own = patch(id('a'), { 'a.ts': '1', ...odd })
    const answer = carry({ ...OVERLAP, before: own, after: own, trunk: null })
    expect(answer).toEqual({ result: 'carry', how: 'unchanged', paths: [] })
  })

  test('over an overlap in the globs, naming the files by order of their bytes', () => {
    const answer = carry(OVERLAP)
    expect(answer).toEqual({ result: 'carry', how: 'overlap', paths: ['doc.md', 'more.md'] })
  })
})

const empty = patch(id('b'), {})
const without = (facts: PatchFacts | null, path: string): PatchFacts => ({
  identity: facts!.identity,
  files: facts!.files.filter((file) => file.path !== path),
})

/** What is changed of a verdict that carries; the reason and path it is void for then. */
const VOID: readonly (readonly [CarryReason, string | null, CarryInput])[] = [
  ['tree_changed', null, { ...OVERLAP, currentTree: 'other' }],
  ['tree_changed', null, { ...SAME, currentTree: 'other' }],
  ['not_recomputed', null, { ...OVERLAP, currentTree: null }],
  ['not_recomputed', null, { ...SAME, reviewedTree: null }],
  ['not_recomputed', null, { ...SAME, reviewedTree: 'other', currentTree: 'other' }],
  ['conflict', 'z', { ...SAME, landing: { ...landing, conflict: true, conflictedFiles: ['z'] } }],
  ['conflict', null, { ...OVERLAP, landing: { ...landing, tree: null, conflict: true } }],
  [
    'conflict',
    '.jjconflict-base-0/a',
    { ...OVERLAP, before: files(before, { '.jjconflict-base-0/a': '1' }) },
  ],
  [
    'conflict',
    '.jjconflict-side-0/a',
    { ...OVERLAP, after: files(after, { '.jjconflict-side-0/a': '1' }) },
  ],
  ['nothing_left', null, { ...SAME, landing: { ...landing, empty: true } }],
  ['nothing_left', null, { ...OVERLAP, landing: { ...landing, empty: true } }],
  ['nothing_left', null, { ...OVERLAP, after: empty }],
  ['not_recomputed', null, { ...OVERLAP, landing: { ...landing, tree: null } }],
  ['not_recomputed', null, { ...SAME, landing }],
  ['patch_version', null, { ...OVERLAP, verdict: { ...verdict, patch: '' } }],
  ['patch_version', null, { ...OVERLAP, verdict: { ...verdict, patch: 'a'.repeat(64) } }],
  ['patch_version', null, { ...OVERLAP, verdict: { ...verdict, patch: `2:${'a'.repeat(64)}` } }],
  ['patch_version', null, { ...OVERLAP, after: { ...after!, identity: `2:${'b'.repeat(64)}` } }],
  ['patch_unreadable', null, { ...OVERLAP, before: null }],
  ['patch_unreadable', null, { ...OVERLAP, after: null }],
  ['patch_unreadable', null, { ...OVERLAP, trunk: null }],
  ['not_recomputed', null, { ...OVERLAP, before: { ...before!, identity: id('d') } }],
  ['not_recomputed', null, { ...OVERLAP, after: { ...before!, identity: id('d') } }],
  ['touches_av_toml', '.av.toml', { ...OVERLAP, before: files(before, { '.av.toml': '1' }) }],
  ['touches_av_toml', '.AV.toml', { ...OVERLAP, after: files(after, { '.AV.toml': '1' }) }],
  ['not_in_globs', 'a.ts', { ...OVERLAP, after: files(after, { 'a.ts': '1b' }) }],
  ['not_in_globs', 'z.ts', { ...OVERLAP, after: files(after, { 'z.ts': '1' }) }],
  ['not_in_globs', 'doc.md', { ...OVERLAP, inGlobs: () => false }],
  ['untouched_by_trunk', 'more.md', { ...OVERLAP, trunk: without(trunk, 'more.md') }],
  ['file_set_differs', 'doc.md', { ...OVERLAP, after: without(after, 'doc.md') }],
  ['file_set_differs', 'doc.md', { ...OVERLAP, before: without(before, 'doc.md') }],
  ['not_text', 'doc.md', { ...OVERLAP, before: files(before, { 'doc.md': ['2', 'binary'] }) }],
  ['not_text', 'doc.md', { ...OVERLAP, after: files(after, { 'doc.md': ['9', 'other'] }) }],
  ['not_text', 'more.md', { ...OVERLAP, trunk: files(trunk, { 'more.md': ['9', 'other'] }) }],
]

test.each(VOID)('a verdict is void: %s %p', (reason, path, input) => {
  expect(carry(input)).toEqual({ result: 'void', reason, path })
})

test('every reason is met, and has a sentence of its own', () => {
  const met = new Set(VOID.map(([reason]) => reason))
  expect([...met].sort()).toEqual((Object.keys(CARRY_REASONS) as CarryReason[]).sort())
  const sentences = Object.values(CARRY_REASONS)
  expect(new Set(sentences).size).toBe(sentences.length)
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/)
})
