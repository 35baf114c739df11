import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADA, MEI, type RunOptions } from '../support/machine.ts'
import { edit } from '../workspace/sandbox.ts'
import { Town } from './town.ts'
import { expectRefused, source } from './town-refusal.ts'

const LONG_MS = 120_000

let town: Town
beforeAll(async () => {
  town = await Town.found()
}, LONG_MS)
afterAll(() => town[Symbol.asyncDispose]())

const own = (cwd: string): RunOptions => ({ cwd, as: ADA })

describe('a review', () => {
  test(
    "is refused of one's own task, once there is a team",
    async () => {
      const { id, cwd } = await town.begin('Approve myself', { 'src/self.ts': source('self') })
      await town.machine.data('submit', [], own(cwd))
      await expectRefused(town, ['approve', id], own(cwd), {
        ...{ code: 'refused_rule', reason: 'own_task' },
        says: `${id} is or was ada's own task`,
        next: 'Ask somebody who never held it',
      })
    },
    LONG_MS,
  )

  test(
    'is refused of a task that changed a second ago, until somebody looked again',
    async () => {
      const { id, cwd } = await town.begin('Change at once', { 'src/once.ts': source('once') })
      await town.machine.data('submit', [], own(cwd))
      const seen = await town.machine.data('review.show', [id], town.mei)
      edit(cwd, { 'src/once.ts': source('twice') })
      const { commit } = await town.machine.data('checkpoint', [], own(cwd))
      for (const words of [
        ['approve', id],
        ['request-changes', id, '-m', 'No'],
      ]) {
        const refused = await expectRefused(town, words, town.mei, {
          ...{ code: 'refused_rule', reason: 'changed' },
          says: `${id} changed since you looked at it`,
          next: `av review show ${id}`,
        })
        expect(refused.detail).toMatchObject({ seen: seen.head, head: commit })
      }
      await town.machine.data('review.show', [id], town.mei)
      expect(await town.machine.data('approve', [id], town.mei)).toMatchObject({
        approvedBy: 'mei',
      })
    },
    LONG_MS,
  )
})

describe('a merge', () => {
  test(
    'is refused without an approval, and of files that changed after it',
    async () => {
      const { id, cwd } = await town.begin('Change after', { 'src/after.ts': source('after') })
      await town.machine.data('submit', [], own(cwd))
      await expectRefused(town, ['merge', id], town.mei, {
        ...{ code: 'refused_rule', reason: 'not_approved' },
        says: `The task ${id} is not approved.`,
        next: `av approve ${id}`,
      })
      await town.machine.data('approve', [id], town.mei)
      edit(cwd, { 'src/after.ts': source('later') })
      await expectRefused(town, ['merge', id], town.mei, {
        ...{ code: 'refused_rule', reason: 'tree_changed' },
        says: `The files of ${id} changed since it was approved`,
        next: 'ask for a fresh approval',
      })
      expect(readFileSync(join(cwd, 'src/after.ts'), 'utf8')).toBe(source('later'))
    },
    LONG_MS,
  )

  test(
    'is refused when the approval does not hold on the trunk of today, and once more after that',
    async () => {
      town.commit('ends', { 'src/ends.ts': ends(1, 1) })
      const { id } = await town.approved('Change both ends', { 'src/ends.ts': ends(2, 2) })
      town.commit('half of it', { 'src/ends.ts': ends(2, 1) })
      const stale = await town.machine.refusal(['merge', id], town.mei)
      expect(stale).toMatchObject({ exit: 5, code: 'refused_rule' })
      expect(stale.detail).toMatchObject({ reason: 'stale', path: 'src/ends.ts' })
      expect(stale.remediation).toContain(`av approve ${id}`)
      await expectRefused(town, ['merge', id], town.mei, {
        ...{ code: 'refused_rule', reason: 'not_approved' },
        says: /An approval was lost: .*src\/ends\.ts/,
        next: `av review show ${id}`,
      })
      // A fresh look is all it takes.
      await town.machine.data('approve', [id], town.mei)
      await town.machine.data('merge', [id], town.mei)
      expect(town.landingsOf(id)).toBe(1)
    },
    LONG_MS,
  )

  test(
    'is refused in another clone, where trunk is the branch of one',
    async () => {
      const { id } = await town.approved('Merge from there', { 'src/there.ts': source('there') })
      const { box } = town.machine
      box.sh(box.dir, 'git', 'clone', '-q', town.root, 'other')
      const other: RunOptions = { cwd: join(box.dir, 'other'), as: MEI }
      await town.machine.data('init', ['--name', 'shop'], other)
      const there = box.sh(join(box.dir, 'other'), 'git', 'for-each-ref')
      await expectRefused(town, ['merge', id], other, {
        ...{ code: 'refused_rule', reason: 'trunk_elsewhere' },
        says: 'Trunk is the branch main of another clone',
        next: 'Run the command in that clone',
      })
      expect(box.sh(join(box.dir, 'other'), 'git', 'for-each-ref')).toBe(there)
      await town.machine.data('merge', [id], town.mei)
    },
    LONG_MS,
  )

  test(
    'goes on from a trunk that was pushed by force, and sync tells of it',
    async () => {
      const { id } = await town.approved('Outlast a force', { 'src/force.ts': source('force') })
      town.commit('to be rewritten', { 'src/gone.ts': source('gone') })
      await town.machine.data('sync', [], town.mei)
      const known = town.trunk()
      town.git('commit', '-q', '--amend', '-m', 'rewritten', '--', 'src/gone.ts')
      const sync = await town.machine.data('sync', [], town.mei)
      expect(sync).toMatchObject({
        moved: true,
        forced: true,
        from: known,
        trunkCommit: town.trunk(),
      })
      town.git('commit', '-q', '--amend', '-m', 'rewritten again', '--', 'src/gone.ts')
      const { out } = await town.machine.run(['merge', id, '--json'], town.mei)
      expect(out).toContain('Trunk was moved by force')
      expect([await town.stateOf(id), town.landingsOf(id)]).toEqual(['merged', 1])
      town.expectCheckoutClean()
    },
    LONG_MS,
  )
})

test(
  'a conflict is not resolved while markers are left in',
  async () => {
    const first = await town.approved('Log in', { 'src/legacy.ts': legacy('true') })
    const { id, cwd } = await town.approved('Log in otherwise', {
      'src/legacy.ts': legacy('!true'),
    })
    await town.machine.data('merge', [first.id], town.mei)
    const trunk = town.trunk()
    const met = await town.machine.run(['merge', id, '--json'], town.mei)
    const { ok, data } = JSON.parse(met.out)
    expect([met.code, ok, data.state, data.conflicted]).toEqual([
      5,
      true,
      'conflicted',
      ['src/legacy.ts'],
    ])
    expect(data.conflicts[0].tasks.map((task: { id: string }) => task.id).sort()).toEqual(
      [first.id, id].sort(),
    )
    expect(town.trunk()).toBe(trunk)
    expect(readFileSync(join(cwd, 'src/legacy.ts'), 'utf8')).toContain('<<<<<<<')
    for (const left of [null, `${legacy('false')}=======\n>>>>>>> end\n`]) {
      if (left !== null)
        edit(cwd, { 'src/legacy.ts': left.replace('export', '<<<<<<< begin\nexport') })
      const refused = await town.machine.refusal(['resolve'], own(cwd))
      expect(refused).toMatchObject({ exit: 5, code: 'refused_rule' })
      expect(refused.detail).toMatchObject({ reason: 'conflicts_left', files: ['src/legacy.ts'] })
      expect(refused.remediation).toContain('take the markers out')
      expect(await town.stateOf(id)).toBe('conflicted')
    }
    edit(cwd, { 'src/legacy.ts': legacy('false') })
    expect((await town.machine.data('resolve', [], own(cwd))).state).toBe('open')
  },
  LONG_MS,
)

describe('an undo', () => {
  test(
    'is refused when the merge is not the tip any more, and when it was pushed',
    async () => {
      const lower = await town.approved('Lie below', { 'src/lower.ts': source('lower') })
      const upper = await town.approved('Lie above', { 'src/upper.ts': source('upper') })
      await town.machine.data('merge', [lower.id], town.mei)
      await town.machine.data('merge', [upper.id], town.mei)
      await expectRefused(town, ['undo', lower.id], town.mei, {
        ...{ code: 'refused_rule', reason: 'not_trunk_tip', takesSlot: true },
        says: 'is not the tip of trunk any more',
        next: `\`av revert ${lower.id}\` adds a commit`,
      })
      const { box } = town.machine
      box.sh(box.dir, 'git', 'init', '-q', '--bare', 'origin.git')
      town.git('remote', 'add', 'origin', join(box.dir, 'origin.git'))
      town.git('push', '-q', 'origin', 'main')
      const refused = await expectRefused(town, ['undo', upper.id], town.mei, {
        ...{ code: 'refused_rule', reason: 'pushed', takesSlot: true },
        says: /was pushed to origin: others have it/,
        next: `\`av revert ${upper.id}\` adds a commit`,
      })
      expect(refused.detail).toMatchObject({ remotes: ['origin'] })
      town.git('remote', 'remove', 'origin')
      // The way named is one.
      await town.machine.data('revert', [upper.id], town.mei)
      expect(existsSync(join(town.root, 'src/upper.ts'))).toBe(false)
    },
    LONG_MS,
  )
})

const legacy = (answer: string) => `export function oldLogin(): boolean {\n  return ${answer}\n}\n`
const between = Array.from({ length: 20 }, (_, at) => `export const c${at} = ${at}\n`).join('')
const ends = (first: number, last: number) =>
  `export const first = ${first}\n${between}export const last = ${last}\n`
