import { connect, createServer, type Server, type Socket } from 'node:net'

/** A line to a database server that can be cut, and cut in the middle of what is being said. */
export class FrailLine implements AsyncDisposable {
  private readonly ends = new Set<Socket>()
  private isCut = false
  /** Messages to the server until the line breaks by itself; null: it holds. */
  private left: number | null = null

  private constructor(
    private readonly server: Server,
    private readonly far: { readonly host: string; readonly port: number },
  ) {}

  static async to(url: string): Promise<FrailLine> {
    const { hostname, port } = new URL(url)
    const server = createServer()
    const line = new FrailLine(server, { host: hostname, port: Number(port) })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    server.on('connection', (near) => line.carry(near))
    return line
  }

  /** The address of the same database by this line. */
  through(url: string): string {
    const address = this.server.address()
    if (address === null || typeof address === 'string') throw new TypeError('no port')
    const there = new URL(url)
    there.hostname = '127.0.0.1'
    there.port = String(address.port)
    return there.toString()
  }

  cut(): void {
    this.isCut = true
    for (const end of this.ends) end.destroy()
  }

  /** Breaks before the server hears the message after so many. */
  cutAfter(messages: number): void {
    this.left = messages
  }

  mend(): void {
    this.isCut = false
    this.left = null
  }

  private carry(near: Socket): void {
    if (this.isCut) {
      near.destroy()
      return
    }
    const far = connect(this.far)
    const both = [near, far]
    for (const end of both) {
      this.ends.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        this.ends.delete(end)
        for (const each of both) each.destroy()
      })
    }
    near.on('data', (bytes) => {
      if (this.left === 0) this.cut()
      else {
        if (this.left !== null) this.left--
        far.write(bytes)
      }
    })
    far.on('data', (bytes) => near.write(bytes))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.server.close(resolve))
  }
}
