import { EMBEDDING_TEXT_VERSION } from '../domain/embedding-text.ts'
import type { Embedder } from './embedder.ts'
import { MemoryVectors, type VectorIndex } from './vectors.ts'

export type EngineSettings = {
  readonly embedUrl: string
  readonly embedModel: string
  readonly embedKey: string
  readonly qdrantUrl: string
  readonly qdrantApiKey: string
}

/**
 * What the settings name: the built-in table or an endpoint, and vectors here or in Qdrant. Its code
 * and the table are loaded by this call, which sends nothing yet.
 */
export async function openEngine(settings: EngineSettings): Promise<{
  readonly embedder: Embedder
  readonly vectors: (dims: number) => VectorIndex
  readonly isRemote: boolean
}> {
  const embedder = await embedderOf(settings)
  const vectors = await vectorsOf(settings, `${embedder.id}/${EMBEDDING_TEXT_VERSION}`)
  return { embedder, vectors, isRemote: settings.embedUrl !== '' }
}

async function embedderOf({ embedUrl, embedModel, embedKey }: EngineSettings): Promise<Embedder> {
  if (embedUrl === '') {
    const { loadBuiltinEmbedder } = await import('./embedder-builtin.ts')
    return loadBuiltinEmbedder()
  }
  const { HttpEmbedder } = await import('./embedder-http.ts')
  return new HttpEmbedder({ url: embedUrl, model: embedModel, key: embedKey })
}

/** Vectors of another length lie elsewhere. */
async function vectorsOf(
  { qdrantUrl, qdrantApiKey }: EngineSettings,
  embedder: string,
): Promise<(dims: number) => VectorIndex> {
  if (qdrantUrl === '') {
    const vectors = new MemoryVectors()
    return () => vectors
  }
  const { QdrantVectors } = await import('./vectors-qdrant.ts')
  const byLength = new Map<number, VectorIndex>()
  return (dims) => {
    const there = byLength.get(dims)
    if (there !== undefined) return there
    const made = new QdrantVectors({ url: qdrantUrl, apiKey: qdrantApiKey, embedder, dims })
    byLength.set(dims, made)
    return made
  }
}
