import type { z } from 'zod'
import { bundleRoutes } from './routes/bundles.ts'
import { codeRoutes } from './routes/code.ts'
import { contextRoutes } from './routes/context.ts'
import { reindexRoutes } from './routes/reindex.ts'
import { repoRoutes } from './routes/repos.ts'
import { reviewRoutes } from './routes/review.ts'
import { searchRoutes } from './routes/search.ts'
import { taskRoutes } from './routes/tasks.ts'
import { trunkRoutes } from './routes/trunk.ts'
import { trunkSlotRoutes } from './routes/trunk-slot.ts'
import { whyRoutes } from './routes/why.ts'
import { workRoutes } from './routes/work.ts'

/**
 * The whole contract. Each key is at once the call `POST /v1/<key>`, the client's method, the
 * command `av <key>` (a dot is a space) and the tool `av_<key>` (a dot is an underscore).
 */
export const routes = {
  ...repoRoutes,
  ...taskRoutes,
  ...workRoutes,
  ...reviewRoutes,
  ...trunkRoutes,
  ...whyRoutes,
  ...contextRoutes,
  ...searchRoutes,
  ...codeRoutes,
  ...reindexRoutes,
  ...trunkSlotRoutes,
  ...bundleRoutes,
} as const

export type Routes = typeof routes
export type RouteName = keyof Routes
/** Rows that the daemon answers. */
export type CallName = {
  [N in RouteName]: Routes[N] extends { readonly local: true } ? never : N
}[RouteName]
export type LocalName = Exclude<RouteName, CallName>

/** What a handler receives: every field present, defaults filled in. */
export type Input<N extends RouteName> = z.output<ReturnType<Routes[N]['input']>>
/** What a caller must send. */
export type Args<N extends RouteName> = z.input<ReturnType<Routes[N]['input']>>
/** The same, from values that nobody may change. */
export type Sent<N extends RouteName> = Frozen<Args<N>>
export type Output<N extends RouteName> = Routes[N]['output']

export const ROUTE_NAMES = Object.keys(routes) as readonly RouteName[]
export const isRoute = (name: string): name is RouteName => Object.hasOwn(routes, name)
export const isCall = (name: string): name is CallName =>
  isRoute(name) && !('local' in routes[name])

type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T
