import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A way to a Postgres server that can be cut and mended, as networks are: the address stays, the
 * server behind it goes on.
 */
export class FrailWay implements AsyncDisposable {
  private readonly ends = new Set<Socket>()
  private server: Server | null = null
  private port = 0

  private constructor(private readonly target: URL) {}

  static async to(url: string): Promise<FrailWay> {
    const way = new FrailWay(new URL(url))
    await way.mend()
    return way
  }

  /** The server's address by this way. */
  get url(): string {
    const url = new URL(this.target)
    url.host = `127.0.0.1:${this.port}`
    return url.toString()
  }

  async mend(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(Number(this.target.port), this.target.hostname)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.ends.add(from)
        // An end that breaks takes the other with it; that is all there is to a cut.
        from.on('error', () => to.destroy()).on('close', () => to.destroy())
        from.pipe(to)
      }
    })
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve))
    const address = server.address()
    if (typeof address === 'object' && address !== null) this.port = address.port
    this.server = server
  }

  async cut(): Promise<void> {
    const { server } = this
    this.server = null
    const closed = new Promise((resolve) =>
      server === null ? resolve(null) : server.close(resolve),
    )
    for (const end of this.ends) end.destroy()
    this.ends.clear()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut()
  }
}
