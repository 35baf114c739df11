import { testThousand } from './seeds.ts'

/** In a file of its own, so that it runs beside the first thousand. */
testThousand(1_001)
