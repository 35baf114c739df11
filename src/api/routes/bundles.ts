import { z } from 'zod'
import { supplied, text } from '../field.ts'
import type { BundleView } from '../review-views.ts'
import { type Route, returns } from '../route.ts'
import { hex, repo } from './repos.ts'

const sha256 = () => supplied(z.string().regex(/^[0-9a-f]{64}$/), 'SHA-256 of the bundle.')
const ordinal = () => supplied(z.int().min(0).max(1_000), 'Which part.')

/** How a task's commits travel between machines that share a store. */
export const bundleRoutes = {
  'bundle.state': {
    summary: 'Whether commits travel by the store, and which bundle brings one.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo(), tip: supplied(hex(), 'The commit.') }),
    output: returns<{
      /** The store is shared: what others may need is to be sent. */
      readonly isShared: boolean
      readonly bundle: BundleView | null
    }>(),
  },
  'bundle.put': {
    summary: 'Send a part of a bundle.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        id: sha256(),
        task: supplied(text(64), 'The task.'),
        base: supplied(hex().nullable(), 'What the receiver must have.'),
        tip: supplied(hex(), 'What it brings.'),
        size: supplied(z.int().min(1), 'Bytes in all.'),
        parts: supplied(z.int().min(1).max(1_000), 'Parts in all.'),
        ordinal: ordinal(),
        data: supplied(z.base64().max(6 * 1024 * 1024), 'The part, in base64.'),
      }),
    output: returns<{ readonly isComplete: boolean }>(),
  },
  'bundle.part': {
    summary: 'Fetch a part of a bundle.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo(), id: sha256(), ordinal: ordinal() }),
    output: returns<{ readonly data: string }>(),
  },
} as const satisfies Record<string, Route>
