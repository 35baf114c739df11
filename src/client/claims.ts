import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Caller } from '../domain/actor.ts'
import type { RepoId } from '../domain/repo.ts'
import { writeAtomic } from '../workspace/atomic.ts'

/**
 * The generations that claimants on this machine were granted. Kept by actor, session and task, not
 * in the workspace: two agents in one folder must not inherit each other's claim, and a writer
 * never asks the daemon which generation it should have.
 */
export class GrantedClaims {
  private readonly folder: string

  /** @param home `AV_HOME` */
  constructor(home: string) {
    this.folder = join(home, 'claims')
  }

  /**
   * The caller with the generation it holds for this task, if it was ever granted one here.
   * @param folder the generation that the folder it writes from belongs to: from an older one the
   *   caller writes as an older claimant would, whatever it was granted since; null: from no folder
   */
  withGeneration(caller: Caller, repo: RepoId, task: string, folder: number | null): Caller {
    const granted = caller.generation ?? this.read(caller, repo, task)
    if (granted === null || folder === null) return { ...caller, generation: granted }
    return { ...caller, generation: Math.min(granted, folder) }
  }

  /** Remembers a grant. Written whole or not at all. */
  grant(caller: Caller, repo: RepoId, task: string, generation: number): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const { actor, session } = caller
    const text = JSON.stringify({ actor, session, repo, task, generation })
    writeAtomic(this.fileOf(caller, repo, task), `${text}\n`)
  }

  private read(caller: Caller, repo: RepoId, task: string): number | null {
    let text: string
    try {
      text = readFileSync(this.fileOf(caller, repo, task), 'utf8')
    } catch {
      return null
    }
    const grant = written.safeParse(JSON.parse(text))
    return grant.success ? grant.data.generation : null
  }

  private fileOf({ actor, session }: Caller, repo: RepoId, task: string): string {
    const key = JSON.stringify([actor, session, repo, task])
    return join(this.folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  }
}

const written = z.object({ generation: z.int().min(0) })
