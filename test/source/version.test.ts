import { expect, test } from 'bun:test'
import manifest from '../../package.json' with { type: 'json' }
import { LANGUAGES } from '../../src/source/languages.ts'
import { INDEX_VERSION } from '../../src/source/version.ts'

test('the name of an index version changes with every package that decides an index', () => {
  const packages = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  const deciding = packages.filter(([name]) => name === 'bun' || name.includes('tree-sitter'))
  // TypeScript's package holds two grammars; the runtime and Bun come on top.
  const grammars = LANGUAGES.filter(({ grammar }) => grammar !== null).length - 1
  expect(deciding).toHaveLength(grammars + 2)
  expect(deciding.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  expect(INDEX_VERSION).toMatch(/^[0-9a-f]{12}$/)
})
