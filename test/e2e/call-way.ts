import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { homeAt } from '../../src/api/home.ts'
import type { Machine } from '../support/machine.ts'

/** A call as it passes by: its route, and the how-many-th it is since `watch`. */
export type Call = { readonly route: string; readonly count: number }

/**
 * What becomes of a call. `pass`; `lose_request`: it never reaches the daemon; `lose_reply`: it is done, and nobody
 * hears of it. The caller's connection is cut in either of the last two.
 */
export type Fate = 'pass' | 'lose_request' | 'lose_reply'

type Watch = {
  /** Before the daemon has it. */
  readonly before: (call: Call) => Fate | Promise<Fate>
  /** The daemon's whole reply is there; the caller has nothing of it yet. */
  readonly after?: (call: Call) => Promise<void>
}

/**
 * Stands between commands of a machine and its daemon: sees each call, and holds it or cuts it where it is told to.
 * The daemon's own socket stays as it is. Whoever is to come by this way has an `AV_HOME` of links to the real one,
 * with another socket in it: see `env`.
 */
export class CallWay implements AsyncDisposable {
  private readonly ends = new Set<Socket>()
  private readonly routes: string[] = []
  private watching: Watch = PASSING

  private constructor(
    private readonly far: string,
    private readonly home: string,
    private readonly server: Server,
  ) {}

  /** What the machine's home holds by now is what commands see that come by this way. */
  static async to(machine: Machine): Promise<CallWay> {
    const { folder, socket } = machine.home
    const home = mkdtempSync(`${folder}-way-`)
    for (const name of SHARED_FOLDERS) mkdirSync(join(folder, name), { recursive: true })
    for (const name of readdirSync(folder)) {
      if (!name.startsWith('daemon.')) symlinkSync(join(folder, name), join(home, name))
    }
    const server = createServer({ allowHalfOpen: true })
    const way = new CallWay(socket, home, server)
    await new Promise<void>((resolve) => server.listen(homeAt(home).socket, resolve))
    server.on('connection', (near) => void way.carry(near))
    return way
  }

  /** Of the commands that come by this way. */
  get env(): Readonly<Record<string, string>> {
    return { AV_HOME: this.home }
  }

  /** Calls are counted from here on. */
  watch(watch: Watch): void {
    this.routes.length = 0
    this.watching = watch
  }

  /** The routes called since then. */
  get seen(): readonly string[] {
    return [...this.routes]
  }

  /** Lets everything pass again. */
  open(): void {
    this.watch(PASSING)
  }

  private async carry(near: Socket): Promise<void> {
    this.ends.add(near)
    near.on('error', () => near.destroy())
    const request = await readRequest(near)
    if (request === null) return void near.destroy()
    const route = /^POST \/v1\/(\S+) /.exec(request.toString('latin1', 0, 200))?.[1] ?? null
    const call = route === null ? null : { route, count: this.routes.push(route) }
    // What is no call (the daemon's health) is nobody's business.
    const fate = call === null ? 'pass' : await this.watching.before(call)
    if (fate === 'lose_request') return void near.destroy()
    const reply = await this.ask(request)
    if (call !== null) await this.watching.after?.(call)
    if (fate === 'lose_reply' || reply === null) return void near.destroy()
    near.end(reply)
  }

  /** The daemon's whole reply; null where it goes away. */
  private ask(request: Buffer): Promise<Buffer | null> {
    return new Promise((resolve) => {
      const far = connect(this.far)
      this.ends.add(far)
      const parts: Buffer[] = []
      far.on('data', (part: Buffer) => {
        parts.push(part)
        const whole = wholeMessage(Buffer.concat(parts))
        if (whole === null) return
        far.destroy()
        resolve(whole)
      })
      far.on('error', () => resolve(null)).on('close', () => resolve(null))
      far.write(request)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.ends) end.destroy()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

/** Made as they are needed; they must be the real one's then. */
const SHARED_FOLDERS = ['claims', 'seen', 'repos']

const PASSING: Watch = { before: () => 'pass' }

function readRequest(near: Socket): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    near.on('data', (part: Buffer) => {
      parts.push(part)
      const whole = wholeMessage(Buffer.concat(parts))
      if (whole !== null) resolve(whole)
    })
    near.on('close', () => resolve(null)).on('end', () => resolve(null))
  })
}

/** A message of HTTP/1.1 once all of it is there, by its length; null before that. */
function wholeMessage(bytes: Buffer): Buffer | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const length = /^content-length:\s*(\d+)/im.exec(bytes.toString('latin1', 0, end))?.[1] ?? '0'
  const total = end + 4 + Number(length)
  return bytes.length >= total ? bytes.subarray(0, total) : null
}
