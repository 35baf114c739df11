import { loadTokenCounter } from '../../src/ops/tokens.ts'

/** The counter that packs are measured with, loaded once for all tests. */
export const countTokens = await loadTokenCounter()
