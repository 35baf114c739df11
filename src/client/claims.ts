import { z } from 'zod'
import type { Caller } from '../domain/actor.ts'
import type { RepoId } from '../domain/repo.ts'
import { HomeFacts } from './home-facts.ts'

/**
 * The generations that claimants on this machine were granted. Kept by actor, session and task, not
 * in the workspace: two agents in one folder must not inherit each other's claim, and a writer
 * never asks the daemon which generation it should have.
 */
export class GrantedClaims {
  private readonly grants: HomeFacts<{ readonly generation: number }>

  /** @param home `AV_HOME` */
  constructor(home: string) {
    this.grants = new HomeFacts(home, 'claims', z.object({ generation: z.int().min(0) }))
  }

  /**
   * The caller with the generation it holds for this task, if it was ever granted one here.
   * @param folder the generation that the folder it writes from belongs to: from an older one the
   *   caller writes as an older claimant would, whatever it was granted since; null: from no folder
   */
  withGeneration(caller: Caller, repo: RepoId, task: string, folder: number | null): Caller {
    const kept = () => this.grants.read(keyOf(caller, repo, task))?.generation ?? null
    const granted = caller.generation ?? kept()
    if (granted === null || folder === null) return { ...caller, generation: granted }
    return { ...caller, generation: Math.min(granted, folder) }
  }

  grant(caller: Caller, repo: RepoId, task: string, generation: number): void {
    this.grants.write(keyOf(caller, repo, task), { generation })
  }
}

const keyOf = ({ actor, session }: Caller, repo: RepoId, task: string) => [
  actor,
  session,
  repo,
  task,
]
