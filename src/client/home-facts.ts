import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { writeAtomic } from '../workspace/atomic.ts'

/**
 * Small facts of this machine, in a folder below `AV_HOME`: each in a file of its own, named by the hash of its key, so
 * that writers of different ones need no lock. Written whole or not at all.
 */
export class HomeFacts<T extends object> {
  private readonly folder: string

  /**
   * @param home `AV_HOME`
   * @param schema what must be in a file for it to count
   */
  constructor(
    home: string,
    name: string,
    private readonly schema: z.ZodType<T>,
  ) {
    this.folder = join(home, name)
  }

  /** Null where nothing was written, and where what is there is something else. */
  read(key: readonly unknown[]): T | null {
    try {
      const read = this.schema.safeParse(JSON.parse(readFileSync(this.fileOf(key), 'utf8')))
      return read.success ? read.data : null
    } catch {
      return null
    }
  }

  write(key: readonly unknown[], fact: T): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    writeAtomic(this.fileOf(key), `${JSON.stringify(fact)}\n`)
  }

  private fileOf(key: readonly unknown[]): string {
    const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32)
    return join(this.folder, `${name}.json`)
  }
}
