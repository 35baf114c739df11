export type RepoId = string & { readonly __brand: 'RepoId' }
/** A git commit id, lower-case hex (40, or 64 in a sha256 repository). */
export type CommitId = string & { readonly __brand: 'CommitId' }
/** RFC 3339 in UTC with milliseconds, read from the database's clock. */
export type Instant = string & { readonly __brand: 'Instant' }
/** Place of a fact in its repo's log: 1, 2, 3, … in commit order. */
export type Position = number & { readonly __brand: 'Position' }

/** What makes two clones the same repo: the root commits of trunk, and the remotes. */
export type RepoIdentity = {
  /** Sorted; empty for a repository without commits. */
  readonly rootCommits: readonly CommitId[]
  /** Name → URL without credentials. */
  readonly remotes: Readonly<Record<string, string>>
}

export type Repo = {
  readonly id: RepoId
  readonly name: string
  /** Name of the trunk branch. */
  readonly trunk: string
  /** Where trunk is, as far as av moved it or was told; null before the first commit. */
  readonly trunkCommit: CommitId | null
  /** The clone whose branch is trunk, where no remote is; null until one is known. */
  readonly trunkHome: string | null
  readonly identity: RepoIdentity
  /** The newest position taken. */
  readonly position: Position
  readonly createdAt: Instant
}
