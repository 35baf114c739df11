import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readProjectFile } from '../../src/client/project-file.ts'
import { Fault } from '../../src/domain/fault.ts'
import { NO_TEAM_FILE } from '../../src/domain/team-file.ts'
import { readTeamFile } from '../../src/workspace/team-file.ts'

const refusal = async (reading: Promise<unknown>): Promise<string> => {
  const thrown: unknown = await reading.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof Fault)) return `no fault: ${String(thrown)}`
  expect([thrown.code, thrown.detail.reason]).toEqual(['bad_input', 'bad_project_file'])
  return thrown.message
}

test('all that a team can say', async () => {
  const file = `
trunk = "main"
remote = "up.stream-2"
carry_globs = ["**/*.md", "docs/**"]
strict_overlap = true
[policies.workspace]
keep_hours = 48
`
  expect(await readTeamFile(file)).toEqual({
    trunk: 'main',
    remote: 'up.stream-2',
    carryGlobs: ['**/*.md', 'docs/**'],
    keepHours: 48,
    strictOverlap: true,
    warnings: [],
  })
})

test('an empty file decides nothing, and no globs is a decision', async () => {
  expect(await readTeamFile('')).toEqual(NO_TEAM_FILE)
  expect((await readTeamFile('carry_globs = []')).carryGlobs).toEqual([])
})

test('a key nobody knows is a warning at any depth, with the nearest one', async () => {
  const file =
    'trunc = 1\n[policies.workspace]\nkeep_hour = 3\n[policies.review]\n"a\\u0007\\u202eb" = 1'
  const { warnings } = await readTeamFile(file)
  expect(warnings).toEqual([
    '.av.toml has an unknown key "trunc"; the nearest one is trunk.',
    '.av.toml has an unknown key "policies.review"; the nearest one is policies.workspace.',
    '.av.toml has an unknown key "policies.workspace.keep_hour"; the nearest one is policies.workspace.keep_hours.',
  ])
  const many = Array.from({ length: 200 }, (_, n) => `x${n} = 1`).join('\n')
  expect((await readTeamFile(many)).warnings).toHaveLength(20)
  const hidden = await readTeamFile('"a\\u202eb" = 1')
  expect(hidden.warnings[0]).toContain('"ab"')
})

describe('refused', () => {
  const bad = {
    'trunk = 3': 'trunk is not a name',
    'trunk = ""': 'trunk is not a name',
    'trunk = "--force"': 'trunk is not a name',
    'remote = "https://example.org/x"': 'remote is not a name',
    'remote = "../other"': 'remote is not a name',
    'remote = "a/b"': 'remote is not a name',
    'remote = "a..b"': 'remote is not a name',
    'remote = "-u"': 'remote is not a name',
    'remote = "ext::sh"': 'remote is not a name',
    'remote = "."': 'remote is not a name',
    'remote = "a\\nb"': 'remote is not a name',
    'carry_globs = "*.md"': 'carry_globs is no list',
    'carry_globs = [1]': 'carry_globs holds',
    'carry_globs = [""]': 'carry_globs holds',
    'strict_overlap = "yes"': 'strict_overlap is neither',
    'policies = 1': 'policies is not a table',
    'policies = []': 'policies is not a table',
    'policies.workspace = 2024-01-01': 'policies.workspace is not a table',
    'policies.workspace.keep_hours = -1': 'keep_hours is no whole number',
    'policies.workspace.keep_hours = 8761': 'keep_hours is no whole number',
    'policies.workspace.keep_hours = 1.5': 'keep_hours is no whole number',
    'policies.workspace.keep_hours = nan': 'keep_hours is no whole number',
    'policies.workspace.keep_hours = "1"': 'keep_hours is no whole number',
    'trunk = ': 'cannot be read',
  }
  for (const [file, why] of Object.entries(bad)) {
    test(file, async () => expect(await refusal(readTeamFile(file))).toContain(why))
  }

  test('what is too much, or no text', async () => {
    const globs = (count: number, length: number) =>
      `carry_globs = ${JSON.stringify(Array.from({ length: count }, () => 'g'.repeat(length)))}`
    expect((await readTeamFile(globs(100, 500))).carryGlobs).toHaveLength(100)
    expect(await refusal(readTeamFile(globs(101, 1)))).toContain('carry_globs is no list')
    expect((await readTeamFile(globs(1, 1_000))).carryGlobs).toHaveLength(1)
    expect(await refusal(readTeamFile(globs(1, 1_001)))).toContain('carry_globs holds')
    expect(await refusal(readTeamFile(`#${'x'.repeat(64 * 1024)}`))).toContain('the limit is 65536')
    expect(await refusal(readTeamFile(Uint8Array.of(0x23, 0xff)))).toContain('not UTF-8')
    expect(await refusal(readTeamFile(`a = ${'['.repeat(30_000)}`))).toContain('cannot be read')
  })
})

test('in a checkout: none, a file, a link, a folder', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'av-team-file-')))
  try {
    expect(await readProjectFile(root)).toEqual(NO_TEAM_FILE)
    const path = join(root, '.av.toml')
    writeFileSync(path, 'trunk = "dev"\n')
    expect(await readProjectFile(root)).toEqual({ ...NO_TEAM_FILE, trunk: 'dev' })
    rmSync(path)
    symlinkSync('/etc/hostname', path)
    expect(await refusal(readProjectFile(root))).toContain('it is a link or a folder')
    rmSync(path)
    mkdirSync(path)
    expect(await refusal(readProjectFile(root))).toContain('it is a link or a folder')
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
