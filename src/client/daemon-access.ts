import type { Home } from '../api/home.ts'
import type { SharedSetting } from '../api/identity.ts'
import type { Build } from '../api/version.ts'
import type { World } from '../world.ts'

/** How to find the daemon, and how to start one. */
export type DaemonAccess = {
  readonly home: Home
  readonly build: Build
  /** The settings of this command that a running daemon may have otherwise. */
  readonly shared: readonly SharedSetting[]
  readonly world: World
  readonly launch: {
    /** The words that run this program's daemon; no secret stands in them. */
    readonly command: readonly string[]
    /** The daemon's whole environment. */
    readonly env: Readonly<Record<string, string>>
  }
}
