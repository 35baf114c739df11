import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GrantedClaims } from '../../src/client/claims.ts'
import type { Caller } from '../../src/domain/actor.ts'
import type { RepoId } from '../../src/domain/repo.ts'

const home = mkdtempSync(join(tmpdir(), 'av-claims-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const repo = 'repo1' as RepoId
const caller = (actor: string, session: string | null): Caller => ({
  actor,
  session,
  kind: 'agent',
  generation: null,
})

test('a grant is found again by actor, session and task, in another process too', () => {
  new GrantedClaims(home).grant(caller('ada', 's1'), repo, 'fix-it', 3)
  const later = new GrantedClaims(home)
  expect(later.withGeneration(caller('ada', 's1'), repo, 'fix-it', null).generation).toBe(3)
})

test.each([
  ['another session', caller('ada', 's2'), repo, 'fix-it'],
  ['no session', caller('ada', null), repo, 'fix-it'],
  ['another actor', caller('ben', 's1'), repo, 'fix-it'],
  ['another task', caller('ada', 's1'), repo, 'fix-that'],
  ['another repo', caller('ada', 's1'), 'repo2' as RepoId, 'fix-it'],
] as const)('%s inherits nothing', (_, who, where, task) => {
  expect(new GrantedClaims(home).withGeneration(who, where, task, null).generation).toBeNull()
})

test('what is said outright counts', () => {
  const said = { ...caller('ada', 's1'), generation: 1 }
  expect(new GrantedClaims(home).withGeneration(said, repo, 'fix-it', null).generation).toBe(1)
})

test.each([
  ['its own', 3, 3],
  // The actor took the task up again in another folder: this one still belongs to before.
  ['an older claim', 2, 2],
  // A marker says what it likes: nobody gets more than was granted.
  ['a newer claim', 4, 3],
] as const)('a folder of %s tells at most that much', (_, folder, sent) => {
  const claims = new GrantedClaims(home)
  claims.grant(caller('ada', 's1'), repo, 'in-folders', 3)
  expect(claims.withGeneration(caller('ada', 's1'), repo, 'in-folders', folder).generation).toBe(
    sent,
  )
})

test('a folder grants nothing', () => {
  const { generation } = new GrantedClaims(home).withGeneration(caller('eve', null), repo, 'x', 5)
  expect(generation).toBeNull()
})

test('a grant whose file was damaged is none, and can be given again', () => {
  const claims = new GrantedClaims(join(home, 'damaged'))
  const of = () => claims.withGeneration(caller('ada', 's1'), repo, 'fix-it', null).generation
  claims.grant(caller('ada', 's1'), repo, 'fix-it', 3)
  const folder = join(home, 'damaged/claims')
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"gener')
  expect(of()).toBeNull()
  claims.grant(caller('ada', 's1'), repo, 'fix-it', 4)
  expect(of()).toBe(4)
})
