import type { Caller } from '../../src/domain/actor.ts'
import type { SimulatedRepository } from './repository.ts'

/** A task's files as one claimant has them. An older claim's folder stays, and whoever works in it goes on. */
export type Folder = {
  readonly task: string
  generation: number
  base: string
  /** What the files hold, snapshotted or not. */
  lines: readonly number[]
  /** Files with markers of a conflict left. */
  conflicts: readonly string[]
}

/** One machine's folders and its repository; what everybody on it shares. */
export type Machine = {
  readonly repository: SimulatedRepository
  readonly folders: Map<string, Folder[]>
  /** For contents and commits that nobody had before. */
  fresh(): number
}

/** A claimant, with the generations it was granted, as the client keeps them. */
export class ActorAtWork {
  private readonly granted = new Map<string, number>()
  /** The folder it stands in, by task. */
  private readonly places = new Map<string, Folder>()

  constructor(
    readonly name: string,
    readonly caller: Caller,
    readonly machine: Machine,
  ) {}

  grant(task: string, generation: number): void {
    this.granted.set(task, generation)
  }

  /** The caller with what it holds for the task: never more than the folder it writes from belongs to. */
  as(task: string, folder: Folder | null): Caller {
    const granted = this.granted.get(task) ?? null
    if (granted === null || folder === null) return { ...this.caller, generation: granted }
    return { ...this.caller, generation: Math.min(granted, folder.generation) }
  }

  /** The folder one has worked in; it is not left because somebody else claimed the task. */
  place(task: string): Folder | null {
    return this.places.get(task) ?? null
  }

  stand(folder: Folder): void {
    this.places.set(folder.task, folder)
  }

  foldersOf(task: string): readonly Folder[] {
    return this.machine.folders.get(task) ?? []
  }

  /** The one of the present claim, as others on the machine find it. */
  currentFolder(task: string, generation: number): Folder | null {
    return this.foldersOf(task).find((folder) => folder.generation === generation) ?? null
  }

  makeFolder(fresh: Folder): Folder {
    const there = this.machine.folders.get(fresh.task) ?? []
    this.machine.folders.set(fresh.task, [...there, fresh])
    return fresh
  }
}
