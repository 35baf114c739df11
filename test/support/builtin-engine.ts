import { openEngine } from '../../src/index/engine.ts'
import type { SemanticEngine } from '../../src/ops/semantic-texts.ts'

/** The engine without settings. */
export const builtin = (): Promise<SemanticEngine> =>
  openEngine({
    ...{ embedUrl: '', embedModel: '', embedKey: '', qdrantUrl: '', qdrantApiKey: '' },
  })
