import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** The program is copied, and a database is opened for it. */
const TIMEOUT_MS = 300_000
const ROOT = join(import.meta.dir, '../..')

/** Seeds from which a safeguard is missed soon; a run of 300 histories finds each from anywhere. */
const MUTANTS = [
  { name: 'generation', seed: 1, what: 'claims are fenced by their generation' },
  { name: 'cas', seed: 10_040, what: 'trunk moves only from where it is' },
  { name: 'fencing', seed: 10_000, what: 'the slot is fenced by its number' },
  { name: 'tree', seed: 10_035, what: 'what is merged is what was approved' },
] as const

for (const { name, seed, what } of MUTANTS) {
  test(
    `without it, a history shows that ${what}`,
    async () => {
      const child = Bun.spawn(
        [
          ...[process.execPath, 'scripts/bench/model-check.ts', '--mutant', name],
          ...['--seed', `${seed}`, '--histories', '400'],
        ],
        { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' },
      )
      const output = await new Response(child.stdout).text()
      expect(output).toContain(`mutant ${name}: found, violation in the history of seed`)
      expect(await child.exited).toBe(0)
    },
    TIMEOUT_MS,
  )
}
