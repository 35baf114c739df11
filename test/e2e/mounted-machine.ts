import { mkdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../daemon/household.ts'
import { Machine, type RunOptions } from '../support/machine.ts'

const IS_ROOT = process.getuid?.() === 0
/** A mount namespace of its own; with a user namespace around it, nobody needs rights for that. */
const UNSHARE = ['unshare', ...(IS_ROOT ? [] : ['--map-root-user']), '--mount']

/**
 * A machine whose `AV_HOME` is a file system of its own, which its own processes alone see: a disk
 * that can be small, full or closed. It ends with the machine, also where a test is cut off.
 */
export class MountedMachine extends Machine {
  private constructor(private readonly holder: Bun.Subprocess) {
    super({}, enter(holder.pid))
  }

  /** @param mountOptions as `mount -o` takes them: `size=64m` */
  static async make(mountOptions: string): Promise<MountedMachine> {
    const holder = Bun.spawn([...UNSHARE, 'sleep', '600'], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const own = readlinkSync('/proc/self/ns/mnt')
    await until(() => readlinkSync(`/proc/${holder.pid}/ns/mnt`) !== own)
    const machine = new MountedMachine(holder)
    mkdirSync(machine.home.folder)
    await machine.inside(`mount -t tmpfs -o mode=0700,${mountOptions} none "$AV_HOME"`)
    return machine
  }

  /** The namespace begins in its own root folder, so the command is told where it stands. */
  override start(words: readonly string[], options: RunOptions = {}) {
    return super.start(['-C', options.cwd ?? this.box.dir, ...words], options)
  }

  /** Runs a line of shell where the home is mounted. */
  async inside(line: string): Promise<void> {
    const child = Bun.spawn([...this.prefix, 'sh', '-c', line], {
      env: this.environment({}),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const talk = await new Response(child.stderr).text()
    if ((await child.exited) !== 0) throw new Error(`${line}: ${talk}`)
  }

  /** Takes the disk's room, but for so many KiB. */
  fill(leftKiB: number): Promise<void> {
    const free = 'df --output=avail -k "$AV_HOME" | tail -1'
    return this.inside(
      `head -c $((($(${free}) - ${leftKiB}) * 1024)) /dev/zero >"$AV_HOME/ballast"`,
    )
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.run(['daemon', 'stop'])
    this.holder.kill('SIGKILL')
    await this.holder.exited
    await super[Symbol.asyncDispose]()
  }
}

/** Why there can be no such machine here, or null. */
export function whyNoMounts(): string | null {
  if (process.platform !== 'linux') return 'only Linux has mount namespaces'
  const line = 'mount -t tmpfs none "$0"'
  const { success, stderr } = Bun.spawnSync([...UNSHARE, 'sh', '-c', line, join('/', 'mnt')])
  return success ? null : `no file system can be mounted: ${stderr.toString().trim()}`
}

function enter(pid: number): string[] {
  const user = IS_ROOT ? [] : ['--user', '--preserve-credentials']
  return ['nsenter', '--target', String(pid), ...user, '--mount', '--']
}
