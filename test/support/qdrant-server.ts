import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The program of a real server; '' where there is none. */
const PROGRAM = process.env.AV_TEST_QDRANT_PROGRAM ?? ''
/** Why nothing can be tried on a server of our own here; null where it can. */
export const whyNoQdrant = PROGRAM === '' ? 'AV_TEST_QDRANT_PROGRAM is not set' : null

/** A Qdrant of our own on a free port, that may be killed, emptied and started anew. */
export class QdrantServer implements AsyncDisposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'av-qdrant-'))
  private readonly ports = [freePort(), freePort()]
  private running: Bun.Subprocess | null = null

  get url(): string {
    return `http://127.0.0.1:${this.ports[0]}`
  }

  /** @param more environment of the server, beside where it listens and keeps its data */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const [http, grpc] = this.ports
    const env = {
      QDRANT__SERVICE__HOST: '127.0.0.1',
      QDRANT__SERVICE__HTTP_PORT: `${http}`,
      QDRANT__SERVICE__GRPC_PORT: `${grpc}`,
      QDRANT__STORAGE__STORAGE_PATH: join(this.folder, 'storage'),
      QDRANT__STORAGE__SNAPSHOTS_PATH: join(this.folder, 'snapshots'),
      QDRANT__LOG_LEVEL: 'ERROR',
      ...more,
    }
    this.running = Bun.spawn([PROGRAM, '--disable-telemetry'], {
      ...{ cwd: this.folder, env, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
    })
    while (!(await fetch(this.url).catch(() => null))) {
      if (this.running.exitCode !== null) throw new Error(`${PROGRAM}: exit`)
      await Bun.sleep(50)
    }
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.running?.kill('SIGKILL')
    await this.running?.exited
    this.running = null
  }

  /** Lets it hang, without a word to whoever is connected. */
  async whileStopped<T>(work: () => Promise<T>): Promise<T> {
    this.running?.kill('SIGSTOP')
    try {
      return await work()
    } finally {
      this.running?.kill('SIGCONT')
    }
  }

  /** Kills it, and takes away all that it keeps. */
  async wipe(): Promise<void> {
    await this.kill()
    rmSync(join(this.folder, 'storage'), { recursive: true, force: true })
  }

  async collections(): Promise<string[]> {
    const { result } = (await (await fetch(`${this.url}/collections`)).json()) as Listing
    return result.collections.map(({ name }) => name)
  }

  async deleteCollections(): Promise<void> {
    for (const name of await this.collections()) {
      await fetch(`${this.url}/collections/${name}`, { method: 'DELETE' })
    }
  }

  async makeCollection(name: string, vectors: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ vectors })
    const made = await fetch(`${this.url}/collections/${name}`, { method: 'PUT', headers, body })
    if (!made.ok) throw new Error(`${name}: HTTP ${made.status}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

type Listing = { readonly result: { readonly collections: readonly { readonly name: string }[] } }

function freePort(): number {
  const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = taken
  void taken.stop(true)
  return port ?? 0
}
