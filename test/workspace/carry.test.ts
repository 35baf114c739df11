import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { compileCarryGlobs } from '../../src/domain/carry-glob.ts'
import type { CommitId } from '../../src/domain/repo.ts'
import { pull } from '../../src/workspace/attach.ts'
import { type CarryQuestion, carryVerdict } from '../../src/workspace/carry.ts'
import { checkpoint } from '../../src/workspace/checkpoint.ts'
import { type Clone, storeGit } from '../../src/workspace/clone.ts'
import { treeId } from '../../src/workspace/commit.ts'
import { patchIdentity, patchOf } from '../../src/workspace/patch.ts'
import { type Trial, trial } from '../../src/workspace/trial.ts'
import { BASE, CASES, type Case, CODE, ELSEWHERE, FAR } from './carry-cases.ts'
import {
  adopt,
  begin,
  commitAll,
  type Edits,
  edit,
  gitRepo,
  type Sandbox,
  sandbox,
} from './sandbox.ts'

setDefaultTimeout(60_000)

let box: Sandbox
let root: string
let clone: Clone
let start: CommitId
let count = 0
beforeAll(async () => {
  box = sandbox()
  root = gitRepo(box, BASE)
  const adopted = await adopt(box, root)
  clone = adopted.clone
  start = adopted.trunk!
})
afterAll(() => box.remove())

async function ask(one: Case) {
  box.sh(root, 'git', 'reset', '-q', '--hard', start)
  box.sh(root, 'git', 'clean', '-fdxq')
  const { workspace } = await begin(box, clone, start, `t${++count}`)
  edit(workspace.folder, one.task)
  const reviewed = await checkpoint(box.host, workspace)
  edit(root, one.trunk)
  if (Object.keys(one.trunk).length > 0) commitAll(box, root, 'trunk')
  const onto = (await pull(box.host, clone)).commit
  if (one.after !== undefined) edit(workspace.folder, one.after)
  const now = await checkpoint(box.host, workspace)
  const verdict = {
    base: start,
    tip: reviewed.commit,
    tree: reviewed.tree!,
    patch: patchIdentity(reviewed.patch!),
  }
  const tried = await trial(box.host, clone, { base: start, tip: reviewed.commit, onto })
  const globs = compileCarryGlobs(one.globs ?? ['**/*.md'], ['**'])
  const question = { verdict, tip: now.commit, onto, trial: tried, globs } satisfies CarryQuestion
  return { question, now, workspace }
}

function told(answer: Awaited<ReturnType<typeof carryVerdict>>): string {
  if (answer.result === 'void') return [answer.reason, answer.path ?? []].flat().join(' ')
  return [answer.how, ...answer.paths].join(' ')
}

test.each(Object.entries(CASES))('a verdict: %s', async (_, one) => {
  const { question } = await ask(one)
  const answer = await carryVerdict(box.host, clone, question)
  expect(told(answer)).toBe(one.expect)
  if (answer.result === 'void') return
  // What is stored with the verdict is the identity of what would land, and of nothing else.
  const span = { base: question.onto, tip: question.trial.commit }
  const landing = await patchOf(box.host, { gitDir: storeGit(clone) }, span)
  expect(answer.patch).toBe(patchIdentity(landing))
  expect(question.trial.tree).not.toBeNull()
})

test('the patch identity alone would not see the hunk that moved', async () => {
  const { question, now } = await ask(CASES['hunk moved to an identical block']!)
  expect(patchIdentity(now.patch!)).toBe(question.verdict.patch)
  expect(now.tree).not.toBe(treeId(question.verdict.tree))
})

test('a change of .av.toml holds on its own trunk and on no other', async () => {
  const task = { ...CODE, '.av.toml': 'carry_globs = ["**"]\n' }
  const verdict = async (trunk: Edits, edits: Edits = task) => {
    const { question } = await ask({ task: edits, trunk, expect: 'unchanged' })
    return told(await carryVerdict(box.host, clone, question))
  }
  expect(await verdict({})).toBe('same_base')
  expect(await verdict(ELSEWHERE)).toBe('touches_av_toml .av.toml')
  expect(await verdict(ELSEWHERE, { 'sub/.av.toml': 'x\n' })).toBe('unchanged')
})

test('what cannot be read, or does not add up, voids and never faults', async () => {
  const { question } = await ask(FAR)
  const { verdict } = question
  const answer = async (change: Partial<CarryQuestion>) =>
    carryVerdict(box.host, clone, { ...question, ...change })
  const gone = 'deadbeef'.repeat(5) as CommitId
  const other = { ...question.trial, tree: treeId(verdict.tree) } satisfies Trial
  const rows = {
    own: await answer({}),
    'no commit now': await answer({ tip: gone }),
    'no commit then': await answer({ verdict: { ...verdict, tip: gone } }),
    'no base': await answer({ verdict: { ...verdict, base: gone } }),
    'no trunk': await answer({ onto: gone }),
    'no trial': await answer({ trial: { ...question.trial, commit: gone } }),
    'another tree': await answer({ trial: other }),
    'not on trunk': await answer({ trial: { ...other, commit: verdict.tip } }),
    'other version': await answer({ verdict: { ...verdict, patch: `2${verdict.patch.slice(1)}` } }),
    'no identity': await answer({ verdict: { ...verdict, patch: '' } }),
    'other identity': await answer({ verdict: { ...verdict, patch: `1:${'0'.repeat(64)}` } }),
    'other tree': await answer({ verdict: { ...verdict, tree: '0'.repeat(40) } }),
  }
  expect(Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, told(row)]))).toEqual({
    own: 'unchanged',
    'no commit now': 'not_recomputed',
    'no commit then': 'not_recomputed',
    'no base': 'patch_unreadable',
    'no trunk': 'not_recomputed',
    'no trial': 'not_recomputed',
    'another tree': 'not_recomputed',
    'not on trunk': 'not_recomputed',
    'other version': 'patch_version',
    'no identity': 'patch_version',
    'other identity': 'not_recomputed',
    'other tree': 'not_recomputed',
  })
  const noGit = { ...box.host, env: { ...box.host.env, PATH: box.dir } }
  expect(told(await carryVerdict(noGit, clone, question))).toBe('not_recomputed')
})
