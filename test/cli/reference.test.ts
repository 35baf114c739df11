import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { REFERENCE_FILE, referencePage } from '../../scripts/reference.ts'

test('docs/cli.md is what the table says; `bun scripts/reference.ts` writes it anew', async () => {
  expect(await readFile(REFERENCE_FILE, 'utf8')).toBe(referencePage())
})
