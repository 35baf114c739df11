import { PGlite } from '@electric-sql/pglite'

/**
 * PGlite that stays down when it died. Its Postgres ends on a PANIC (a WAL that cannot be written, say), and whatever
 * is asked of it after that, the ROLLBACK that PGlite itself sends included, blocks the process for ever.
 */
export class MortalPGlite extends PGlite {
  #deadBy: string | null = null

  /** What it died of, in Postgres's words; null while it lives. */
  get deadBy(): string | null {
    return this.#deadBy
  }

  die(line: string): void {
    this.#deadBy ??= line
  }

  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (this.#deadBy !== null) throw new Error(this.#deadBy)
    return super.execProtocolRawSync(message)
  }

  /** PGlite passes over what WebAssembly throws (memory out of bounds, a stack overflow): that is a death too. */
  watchForTraps(): void {
    const step = this.Module._PostgresMainLoopOnce
    this.Module._PostgresMainLoopOnce = () => {
      try {
        step()
      } catch (thrown) {
        if (thrown instanceof WebAssembly.RuntimeError) this.die(String(thrown))
        throw thrown
      }
    }
  }
}

/** A log line by which Postgres ends. */
export function isDeathLine(line: string): boolean {
  return /^\S+ \S+ \S+ \[\d+\] (?:PANIC|FATAL): {2}|^Aborted\(/.test(line)
}

export function isFullDisk(line: string): boolean {
  return /No space left on device|[Dd]isk quota exceeded/.test(line)
}
