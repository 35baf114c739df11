import { testThousand } from './seeds.ts'

/** `scripts/bench/model-check.ts` plays as many as one wants, and replays one by its seed. */
testThousand(1)
