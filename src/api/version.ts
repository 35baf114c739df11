import { version } from '../../package.json' with { type: 'json' }

export const VERSION: string = version

/** Version and build: two builds of the same sources share it, two different ones never do. */
export const BUILD_ID: string = typeof AV_BUILD === 'undefined' ? `${version}+source` : AV_BUILD

/** Raised when a request or an answer changes so that an older side would misread it. */
export const PROTOCOL = 1

/** Which program this is, as far as client and daemon must know of each other. */
export type Build = {
  /** `0.1.0+3f2a9c1d44aa` */
  readonly id: string
  /** When the program's file was written, in ms since the epoch: tells two builds of one version apart. */
  readonly writtenAtMs: number
  /** Where the program lies. */
  readonly program: string
}

/**
 * Above 0 when `a` is the newer program, 0 for the same one. Builds of one version go by the age of
 * their files; where that is equal too, `a` counts as the older.
 */
export function compareBuilds(a: Build, b: Build): number {
  if (a.id === b.id) return 0
  const byVersion = Bun.semver.order(a.id, b.id)
  if (byVersion !== 0) return byVersion
  return a.writtenAtMs > b.writtenAtMs ? 1 : -1
}
