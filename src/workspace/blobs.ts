import type { BlobId } from '../domain/code.ts'
import { Fault } from '../domain/fault.ts'
import { type GitPlace, QUIET } from './git.ts'
import { childEnv, type Host } from './host.ts'

export type Blob = {
  readonly id: BlobId
  /** Null: not in this store, not a blob, or larger than the limit. */
  readonly bytes: Buffer | null
}

const BLOB_BYTES_MAX = 8 * 1024 * 1024
const IDS_A_WRITE = 512

/**
 * The contents of many blobs through one git process, in the order asked for, one at a time: the
 * caller sets the pace, and what it does not keep is not kept. A blob over `bytesMax` is read past.
 * Faults with `internal` when git ends before all were answered.
 */
export async function* readBlobs(
  host: Host,
  place: GitPlace,
  ids: readonly BlobId[],
  bytesMax = BLOB_BYTES_MAX,
): AsyncGenerator<Blob, void, undefined> {
  if (ids.length === 0) return
  const where = 'gitDir' in place ? ['--git-dir', place.gitDir] : ['-C', place.folder]
  const child = Bun.spawn({
    cmd: ['git', ...QUIET, ...where, 'cat-file', '--batch'],
    cwd: '/',
    env: childEnv(host),
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  try {
    const asking = ask(child.stdin, ids)
    // A caller that has seen enough ends git in the middle of being asked.
    asking.catch(() => {})
    const answers = new Answers(child.stdout)
    for (const id of ids) yield { id, bytes: await answers.next(id, bytesMax) }
    await asking
  } finally {
    child.kill()
    await child.exited
  }
}

async function ask(stdin: Bun.FileSink, ids: readonly BlobId[]): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_A_WRITE) {
    stdin.write(`${ids.slice(from, from + IDS_A_WRITE).join('\n')}\n`)
    await stdin.flush()
  }
  await stdin.end()
}

/** Takes `cat-file --batch` apart: `<id> blob <size>\n<bytes>\n`, or `<id> missing\n`. */
class Answers {
  private readonly chunks: AsyncIterator<Uint8Array>
  private chunk: Buffer = Buffer.alloc(0)

  constructor(stream: ReadableStream<Uint8Array>) {
    this.chunks = stream[Symbol.asyncIterator]()
  }

  async next(id: BlobId, bytesMax: number): Promise<Buffer | null> {
    const [answered, type, size] = (await this.line()).split(' ')
    if (answered !== id) throw outOfStep(id)
    if (type === 'missing' || size === undefined) return null
    const length = Number(size)
    const keep = type === 'blob' && length <= bytesMax
    const bytes = keep ? await this.take(length) : await this.skip(length)
    await this.skip(1)
    return bytes
  }

  private async line(): Promise<string> {
    const parts: Buffer[] = []
    for (;;) {
      const end = this.chunk.indexOf(10)
      if (end >= 0) {
        parts.push(this.chunk.subarray(0, end))
        this.chunk = this.chunk.subarray(end + 1)
        return Buffer.concat(parts).toString('latin1')
      }
      parts.push(this.chunk)
      await this.more()
    }
  }

  private async take(length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    for (let at = 0; at < length; ) {
      if (this.chunk.length === 0) await this.more()
      const part = this.chunk.subarray(0, length - at)
      part.copy(bytes, at)
      at += part.length
      this.chunk = this.chunk.subarray(part.length)
    }
    return bytes
  }

  private async skip(length: number): Promise<null> {
    for (let left = length; left > 0; ) {
      if (this.chunk.length === 0) await this.more()
      const part = Math.min(left, this.chunk.length)
      left -= part
      this.chunk = this.chunk.subarray(part)
    }
    return null
  }

  private async more(): Promise<void> {
    const { done, value } = await this.chunks.next()
    if (done) throw outOfStep(null)
    this.chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}

function outOfStep(id: BlobId | null): Fault {
  return new Fault(
    'internal',
    'git stopped answering in the middle of reading file contents.',
    'Repeat the command; if it happens again, run `git fsck` in the repository.',
    { detail: { reason: 'blobs_out_of_step', id } },
  )
}
