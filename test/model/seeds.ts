import { afterAll, beforeAll, expect, test } from 'bun:test'
import { freshStore, type TestStore } from '../support/stores.ts'
import { playHistory, shrinkHistory } from './history.ts'
import { Stage } from './stage.ts'

const GROUPS = 5
const HISTORIES = 200
/** On a busy machine a history takes a tenth of a second and more. */
const TIMEOUT_MS = 300_000

/** Tests of a thousand histories, in groups; one that fails is told step by step, with as few as it needs. */
export function testThousand(first: number): void {
  let opened: TestStore
  let stage: Stage
  beforeAll(async () => {
    opened = await freshStore()
    stage = new Stage([opened.store], opened.query)
  })
  afterAll(() => opened.close())
  for (let group = 0; group < GROUPS; group++) {
    const from = first + group * HISTORIES
    const title = `histories of the seeds from ${from} keep to the rules`
    test(title, () => playAll(stage, from), TIMEOUT_MS)
  }
}

async function playAll(stage: Stage, first: number): Promise<void> {
  let acknowledged = 0
  for (let seed = first; seed < first + HISTORIES; seed++) {
    const outcome = await playHistory(stage, seed)
    acknowledged += outcome.requests
    if (outcome.failure === null) continue
    const { chosen, failure, told } = await shrinkHistory(stage, outcome)
    throw new Error(
      `${failure}\nreplay: bun scripts/bench/model-check.ts --seed ${seed} --histories 1 --steps ${chosen.join()}\n${told.join('\n')}`,
    )
  }
  // Somebody did get somewhere in them.
  expect(acknowledged).toBeGreaterThan(HISTORIES * 10)
}
