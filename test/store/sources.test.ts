import { expect, setDefaultTimeout, test } from 'bun:test'
import { Glob } from 'bun'

setDefaultTimeout(60_000)

const FOLDER = `${import.meta.dir}/../../src/store`

/** A way to the database taken by itself, and one taken inside another. */
const OWN_WAY = /\bDatabase\b|\bdrizzle\(|\.transaction\(|pglite|node-postgres/
const NESTED = /\b(?:read|write|transaction)\((?:[^()]|\([^()]*\))*\b(?:read|write)\(/

// On PGlite a second way to the database, taken inside a transaction, waits for that transaction to end: for ever.
test('what runs in a transaction has no way to the database but the one it is given', async () => {
  const files = (await Array.fromAsync(new Glob('**/*.ts').scan(FOLDER))).sort()
  const found: string[] = []
  for (const file of files) {
    const forbidden = file.startsWith('sql/') ? OWN_WAY : NESTED
    const lines = (await Bun.file(`${FOLDER}/${file}`).text()).split('\n')
    found.push(...lines.filter((line) => forbidden.test(line)).map((line) => `${file}: ${line}`))
  }
  expect(found).toEqual([])
  expect(files).toContain('sql/records.ts')
  expect(NESTED.test('write(async (q) => read((q) => findTask(q, id)))')).toBe(true)
  expect(OWN_WAY.test('await database.transaction(async (tx) => tx)')).toBe(true)
})
