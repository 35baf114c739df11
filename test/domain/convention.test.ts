import { describe, expect, test } from 'bun:test'
import { compileGlob } from '../../src/domain/convention.ts'
import { asFault } from '../../src/domain/fault.ts'

describe('the glob of a convention', () => {
  test.each([
    ['src/api/**', 'src/api/login.ts', true],
    ['src/api/**', 'src/api/v1/login.ts', true],
    ['src/api/**', 'src/apis/login.ts', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['**/*.yml', '.github/workflows/ci.yml', true],
    ['**/*.{ts,tsx}', 'src/view.tsx', true],
    ['**', 'anything/at/all', true],
    ['src/[ab].ts', 'src/b.ts', true],
    ['src/{api,web}/*.ts', 'src/web/a.ts', true],
    ['*', '.env', true],
    ['docs/**', 'docs/Ünïcode 名.md', true],
  ] as const)('%s on %s: %p', (glob, path, matches) => {
    expect(compileGlob(glob)(path)).toBe(matches)
  })

  test.each([
    ['', 'is empty'],
    ['/etc/**', 'is not relative to the repository'],
    ['../**', 'leads out of the repository'],
    ['!src/**', 'negates: a rule says what it is for'],
    ['src/{a,b', 'has a bracket without its other half'],
    ['src/[ab', 'has a bracket without its other half'],
    ['{a,b}'.repeat(9), 'has too many alternatives'],
    ['x'.repeat(201), 'has more than 200 characters'],
  ] as const)('%j is refused', (glob, why) => {
    let message = ''
    try {
      compileGlob(glob)
    } catch (thrown) {
      message = asFault(thrown).message
    }
    expect(message).toBe(`The glob ${JSON.stringify(glob)} ${why}.`)
  })

  test('one that makes a backtracking matcher hang is answered', () => {
    expect(compileGlob(`${'*a'.repeat(60)}b`)('a'.repeat(4_000))).toBe(false)
    expect(compileGlob(`${'{a,a}'.repeat(8)}b`)('a'.repeat(8))).toBe(false)
  })
})
