import { z } from 'zod'

const ASKED = z.object({
  model: z.string(),
  input: z.array(z.string()),
  encoding_format: z.literal('float'),
})

/**
 * Speaks OpenAI's `POST /v1/embeddings`: a vector counts the letters of its text, so that words that
 * share letters mean alike. After `forget` it counts otherwise, as a model does that was changed.
 */
export class EmbeddingServer {
  /** Every text it was asked for, in order. */
  readonly texts: string[] = []
  /** Waited for before each answer. */
  gate: Promise<void> = Promise.resolve()
  private shift = 0
  private readonly server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (new URL(request.url).pathname !== '/v1/embeddings') {
        return new Response('', { status: 404 })
      }
      const { model, input } = ASKED.parse(await request.json())
      this.texts.push(...input)
      await this.gate
      const data = input.map((text, index) => {
        return { object: 'embedding', index, embedding: this.letters(text) }
      })
      return Response.json({ object: 'list', model, data })
    },
  })

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`
  }

  forget(): void {
    this.shift = 7
  }

  async close(): Promise<void> {
    await this.server.stop(true)
  }

  private letters(text: string): number[] {
    const counts = new Array<number>(26).fill(0)
    for (const letter of text.toLowerCase()) {
      const at = letter.charCodeAt(0) - 97
      if (at >= 0 && at < 26) counts[(at + this.shift) % 26]! += 1 + this.shift * at
    }
    return counts
  }
}
