import { afterEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { sharedSettings } from '../src/api/identity.ts'
import { daemonEnvironment } from '../src/client/daemon-environment.ts'
import { itemOf, loadConfig, readConfig, type Surroundings, writeSetting } from '../src/config.ts'
import { editDistance, nearest } from '../src/domain/nearest.ts'

const bare = (env: Surroundings['env'] = {}): Surroundings => ({
  env: { AV_HOME: '/data/av', ...env },
  userHome: '/home/mei',
  cwd: '/home/mei/code',
})

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** An `AV_HOME` on disk, with this config.toml if any. */
function onDisk(text?: string) {
  const home = mkdtempSync(join(tmpdir(), 'av-config-'))
  folders.push(home)
  const file = join(home, 'config.toml')
  if (text !== undefined) writeFileSync(file, text)
  return { around: bare({ AV_HOME: home }), home, file, text: () => readFileSync(file, 'utf8') }
}

describe('a setting', () => {
  test('comes from the environment, else from the file, else from the table', () => {
    const table = { lease_secs: 600, actor: 'mei' }
    const { items, settings } = readConfig(bare({ AV_LEASE_SECS: '60' }), table)
    const told = items.map(({ key, value, from }) => [key, value, from])
    expect(told).toEqual([
      ['home', '/data/av', 'env'],
      ['database_url', '', 'default'],
      ['lease_secs', '60', 'env'],
      ['idle_secs', '900', 'default'],
      ['actor', 'mei', 'file'],
      ['session', '', 'default'],
      ['task', '', 'default'],
      ['generation', '', 'default'],
      ['jj', '', 'default'],
      ['workspaces', '/home/mei/ws', 'default'],
      ['embed_url', '', 'default'],
      ['embed_model', 'nomic-embed-text', 'default'],
      ['embed_key', '', 'default'],
      ['qdrant_url', '', 'default'],
      ['qdrant_api_key', '', 'default'],
      ['carry_globs', '**/*.md', 'default'],
    ])
    expect([settings.leaseSecs, settings.idleSecs, settings.actor]).toEqual([60, 900, 'mei'])
  })

  test('set to nothing is not set', () => {
    const { settings } = readConfig(bare({ AV_LEASE_SECS: '', AV_ACTOR: '' }), { idle_secs: '' })
    expect([settings.leaseSecs, settings.idleSecs, settings.actor]).toEqual([1800, 900, ''])
  })

  test('may have its variable for a key in the file', () => {
    expect(readConfig(bare(), { AV_LEASE_SECS: '60' }).settings.leaseSecs).toBe(60)
  })

  test('that is a path knows ~ and where it stands', () => {
    const paths = (env: Surroundings['env'], table = {}) => {
      const { home, jj, workspaces } = readConfig(bare(env), table).settings
      return [home, jj, workspaces]
    }
    expect(paths({ AV_HOME: '~/av', AV_JJ: 'jj-0.46', AV_WORKSPACES: 'ws' })).toEqual([
      '/home/mei/av',
      'jj-0.46',
      '/home/mei/code/ws',
    ])
    expect(paths({}, { jj: '~/bin/jj', workspaces: 'ws' })).toEqual([
      '/data/av',
      '/home/mei/bin/jj',
      '/data/av/ws',
    ])
    expect(readConfig({ ...bare(), env: {} }, {}).settings.home).toBe('/home/mei/.local/share/av')
  })

  test('never shows a password', () => {
    const url = 'postgres://mei:hunter2@db.example:5433/av?sslpassword=hunter2&host=/run/pg'
    const config = readConfig(bare({ AV_DATABASE_URL: url }), {})
    expect(config.settings.databaseUrl).toBe(url)
    expect(itemOf(config, 'database_url').value).toBe(
      'postgres://mei@db.example:5433/av?host=/run/pg',
    )
  })

  test('never shows a key, only that there is one', () => {
    const config = readConfig(bare({ AV_EMBED_KEY: 'hunter2' }), { qdrant_api_key: 'hunter3' })
    expect([config.settings.embedKey, config.settings.qdrantApiKey]).toEqual(['hunter2', 'hunter3'])
    const shown = ['embed_key', 'qdrant_api_key'].map((key) => itemOf(config, key).value)
    expect(shown).toEqual(['(set)', '(set)'])
    expect(itemOf(readConfig(bare(), {}), 'embed_key').value).toBe('')
  })
})

describe('a value that cannot be used names where it stands', () => {
  const cases: readonly (readonly [Surroundings['env'], Record<string, unknown>, string])[] = [
    [{ AV_LEASE_SECS: '1e3' }, {}, 'AV_LEASE_SECS must be a whole number from 1 to 2592000.'],
    [{ AV_LEASE_SECS: '0' }, {}, 'AV_LEASE_SECS must be a whole number from 1 to 2592000.'],
    [
      { AV_EMBED_URL: 'localhost:11434' },
      {},
      'AV_EMBED_URL must be an http:// or https:// address without a name or password in it.',
    ],
    [
      {},
      { qdrant_url: 'https://mei:hunter2@qdrant.example' },
      'qdrant_url in /data/av/config.toml must be an http:// or https:// address without a name or password in it.',
    ],
    [
      {},
      { idle_secs: -1 },
      'idle_secs in /data/av/config.toml must be a whole number from 0 to 2592000.',
    ],
    [{}, { actor: true }, 'actor in /data/av/config.toml must be a text in quotes or a number.'],
    [{ AV_ACTOR: 'a\nb' }, {}, 'AV_ACTOR must be one line of at most 64 characters.'],
    [
      { AV_DATABASE_URL: 'mysql://mei:hunter2@db/av' },
      {},
      'AV_DATABASE_URL must be an address like postgres://user@host:5432/name.',
    ],
  ]
  for (const [env, table, message] of cases) {
    test(message, () => {
      expect(() => readConfig(bare(env), table)).toThrow(
        expect.objectContaining({ code: 'bad_input', message }),
      )
    })
  }
})

test('what is not known is warned of, with the nearest name', () => {
  const env = { AV_LEASE_SEC: '60', AV_TEST_BINARY: 'dist/av', AVAHI: '1' }
  const table = { leese_secs: 60, Workspace: '/ws', home: '/elsewhere' }
  expect(readConfig(bare(env), table).warnings).toEqual([
    'AV_LEASE_SEC is no setting of this av; the nearest one is AV_LEASE_SECS.',
    '/data/av/config.toml: leese_secs is no setting; the nearest one is lease_secs.',
    '/data/av/config.toml: Workspace is no setting; the nearest one is workspaces.',
    'home does not count in /data/av/config.toml: set the variable AV_HOME.',
  ])
})

describe('config.toml', () => {
  test('is read where it is, and not missed where it is not', async () => {
    expect((await loadConfig(onDisk('lease_secs = 60').around)).settings.leaseSecs).toBe(60)
    expect((await loadConfig(onDisk().around)).settings.leaseSecs).toBe(1800)
    expect((await loadConfig(bare({ AV_HOME: '/nowhere/at/all' }))).settings.leaseSecs).toBe(1800)
  })

  test('that is broken is named with the line', async () => {
    const { around, file } = onDisk('actor = "mei"\nlease_secs = \n')
    await expect(loadConfig(around)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(`${file}, line 2: `),
      detail: { reason: 'bad_toml', line: 2 },
    })
  })

  test('of a size that no settings have is not read', async () => {
    const { around, file } = onDisk(`# ${'x'.repeat(70_000)}`)
    await expect(loadConfig(around)).rejects.toMatchObject({
      message: `${file} is longer than 65536 bytes.`,
    })
  })

  test.skipIf(process.getuid?.() === 0)('that may not be read is named', async () => {
    const { around, file } = onDisk('actor = "mei"')
    chmodSync(file, 0o000)
    await expect(loadConfig(around)).rejects.toMatchObject({
      message: `${file} cannot be read (EACCES).`,
    })
  })
})

describe('config set', () => {
  test('changes one line, and leaves comments and the rest', async () => {
    const before = '# of mine\nactor = "mei" # me\nlease_secs = 60 # short\n\n[other]\nx = 1\n'
    const { around, text } = onDisk(before)
    await writeSetting(around, 'lease_secs', '600', 'u')
    expect(text()).toBe('# of mine\nactor = "mei" # me\nlease_secs = 600\n\n[other]\nx = 1\n')
    await writeSetting(around, 'AV_JJ', '/opt/jj', 'u')
    expect(text()).toStartWith('jj = "/opt/jj"\n# of mine\nactor')
  })

  test('makes folder and file, readable by their owner only, and leaves nothing else', async () => {
    const { home } = onDisk()
    const around = bare({ AV_HOME: join(home, 'new') })
    await writeSetting(around, 'lease_secs', '600', 'u')
    const file = join(home, 'new', 'config.toml')
    expect(readFileSync(file, 'utf8')).toBe('lease_secs = 600\n')
    expect([statSync(join(home, 'new')).mode & 0o777, statSync(file).mode & 0o777]).toEqual([
      0o700, 0o600,
    ])
    expect(readdirSync(join(home, 'new'))).toEqual(['config.toml'])
  })

  test('writes the whole file anew where a line will not do', async () => {
    const { around, text } = onDisk('actor = """\nmei"""\n[lease_secs]\nactor = 1\n')
    await writeSetting(around, 'actor', 'kai', 'u')
    expect(Bun.TOML.parse(text())).toEqual({ actor: 'kai', lease_secs: { actor: 1 } })
  })

  test('keeps a path that begins with ~, and completes one that is relative', async () => {
    const { around, text } = onDisk()
    await writeSetting(around, 'jj', '~/bin/jj', 'u')
    await writeSetting(around, 'workspaces', 'ws', 'u')
    expect(Bun.TOML.parse(text())).toEqual({ jj: '~/bin/jj', workspaces: '/home/mei/code/ws' })
  })

  test('with nothing unsets', async () => {
    const { around } = onDisk('lease_secs = 60\n')
    await writeSetting(around, 'lease_secs', '', 'u')
    expect((await loadConfig(around)).settings.leaseSecs).toBe(1800)
  })

  test('refuses what is not known, naming the nearest, and what it would not read back', async () => {
    const { around, text } = onDisk('actor = "mei"\n')
    await expect(writeSetting(around, 'lease', '60', 'u')).rejects.toMatchObject({
      message: 'There is no setting "lease"; the nearest one is lease_secs.',
    })
    await expect(writeSetting(around, 'lease_secs', 'soon', 'u')).rejects.toMatchObject({
      code: 'bad_input',
    })
    await expect(writeSetting(around, 'home', '/x', 'u')).rejects.toMatchObject({
      remediation: expect.stringContaining('AV_HOME'),
    })
    expect(text()).toBe('actor = "mei"\n')
  })

  test('reads back what was set, whatever else the file holds', async () => {
    const value = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((text) => !/\p{C}/u.test(text) && text.isWellFormed() && !text.startsWith('~'))
    const other = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(value, fc.integer()))
    await fc.assert(
      fc.asyncProperty(value, other, async (actor, table) => {
        const lines = Object.entries(table).map(([key, v]) => `${key} = ${JSON.stringify(v)}\n`)
        const { around, text } = onDisk(lines.join(''))
        await writeSetting(around, 'actor', actor, 'u')
        expect(Bun.TOML.parse(text())).toEqual({ ...table, actor })
      }),
      { seed: 1, numRuns: 60 },
    )
  })
})

describe('the daemon that a command starts', () => {
  test('gets the settings as they were found, and nothing else of the environment', () => {
    const env = {
      ...{ HOME: '/home/mei', PATH: '/bin', PGPASSWORD: 'p', LANG: 'de_DE', GIT_DIR: '.git' },
      ...{ ANTHROPIC_API_KEY: 'k', BUN_OPTIONS: '--preload x', AV_ACTOR: 'mei' },
    }
    const { settings } = readConfig({ ...bare(env) }, { database_url: 'postgres://db/av' })
    expect(daemonEnvironment(settings, env)).toEqual({
      HOME: '/home/mei',
      PGPASSWORD: 'p',
      AV_HOME: '/data/av',
      AV_DATABASE_URL: 'postgres://db/av',
      AV_LEASE_SECS: '1800',
      AV_IDLE_SECS: '900',
    })
  })

  test('searches by meaning where the command does, and shows no key of it', () => {
    const env = {
      ...{ AV_EMBED_URL: 'http://127.0.0.1:11434', AV_EMBED_MODEL: 'small', AV_EMBED_KEY: 'k1' },
      ...{ AV_QDRANT_URL: 'http://127.0.0.1:6333', AV_QDRANT_API_KEY: 'k2' },
    }
    const { settings } = readConfig(bare(env), {})
    expect(daemonEnvironment(settings, {})).toMatchObject(env)
    const shared = sharedSettings(settings, {})
    expect(shared.map(({ name, shown, refuses }) => [name, shown, refuses]).slice(1, 3)).toEqual([
      ['AV_QDRANT_URL', 'http://127.0.0.1:6333', true],
      ['AV_EMBED_URL', 'http://127.0.0.1:11434 (small)', false],
    ])
    const other = sharedSettings({ ...settings, qdrantApiKey: 'k3', embedKey: 'k4' }, {})
    expect(other.map(({ digest }, at) => digest === shared[at]?.digest)).toEqual([
      ...[true, false, false, true, true],
    ])
  })

  test('has the same settings as the command, as far as both can tell', () => {
    const env = { PGHOST: '/run/pg', PGPASSWORD: 'p', PGDATABASE: '' }
    const { settings } = readConfig(bare(env), { database_url: 'postgres:///av', lease_secs: 60 })
    const passed = daemonEnvironment(settings, env)
    const theirs = readConfig({ ...bare(), env: passed, cwd: '/' }, {}).settings
    expect(sharedSettings(theirs, passed)).toEqual(sharedSettings(settings, env))
  })

  test('is another one where Postgres variables lead elsewhere', () => {
    const { settings } = readConfig(bare({ AV_DATABASE_URL: 'postgres:///av' }), {})
    const digest = (env: Surroundings['env']) => sharedSettings(settings, env)[0]?.digest
    expect(digest({ PGHOST: 'a' })).not.toBe(digest({ PGHOST: 'b' }))
    const embedded = readConfig(bare(), {}).settings
    const of = (env: Surroundings['env']) => sharedSettings(embedded, env)[0]?.digest
    expect(of({ PGHOST: 'a' })).toBe(of({ PGHOST: 'b' }))
  })
})

describe('the nearest name', () => {
  test('goes on from what was written, else takes the fewest edits; ties go by bytes', () => {
    expect(nearest('lease', ['idle_secs', 'lease_secs', 'task'])).toBe('lease_secs')
    expect(nearest('tusk', ['idle_secs', 'lease_secs', 'task'])).toBe('task')
    expect(nearest('taks', ['tank', 'task'])).toBe('tank')
    expect(nearest('x', [])).toBe(null)
  })

  test('is measured by a distance: zero only to itself, symmetric, no detour is shorter', () => {
    const word = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b) === 0).toBe(a === b)
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c))
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})
