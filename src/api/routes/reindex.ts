import { z } from 'zod'
import type { IndexDifference } from '../../domain/index-check.ts'
import { arg, flag, text } from '../field.ts'
import type { ReindexView } from '../reindex-view.ts'
import { type Route, returns } from '../route.ts'
import { codeView } from './code.ts'
import { repo } from './repos.ts'

/** Building everything derived anew. Only `reindex` is a command; the rest is how a client goes about it. */
export const reindexRoutes = {
  reindex: {
    summary: 'Delete every index of this repository, and build it anew.',
    group: 'repo',
    mcp: false,
    local: true,
    input: () =>
      z.strictObject({
        check: arg(flag(), {
          description: 'Change nothing: compare what is kept with what it was made from.',
        }),
      }),
    output: returns<ReindexView>(),
  },
  'index.drop': {
    summary: 'Delete a part of what is stored of the code; call until nothing is left.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo() }),
    output: returns<{ readonly dropped: number; readonly left: number }>(),
  },
  'index.load': {
    summary: 'Bring code and records into memory, and count them.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo(), view: codeView() }),
    output: returns<{
      readonly files: number
      readonly symbols: number
      readonly records: number
    }>(),
  },
  'index.unparsable': {
    summary: 'Contents that a grammar failed on: how many, and some of them.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo(), version: text(64) }),
    output: returns<{ readonly count: number; readonly blobs: readonly string[] }>(),
  },
  'index.rows': {
    summary: 'What is stored of contents, in pages: names, and a hash of each.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        after: z.strictObject({ version: text(64), blob: text(100) }).nullable(),
      }),
    output: returns<{
      /** `print` null: what is stored cannot be read. */
      readonly items: readonly {
        readonly version: string
        readonly blob: string
        readonly print: string | null
      }[]
      readonly more: boolean
    }>(),
  },
  'index.listings': {
    summary: 'The listings stored, in pages: names, and a hash of each.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo(), after: text(200).nullable() }),
    output: returns<{
      readonly items: readonly { readonly key: string; readonly print: string | null }[]
      readonly more: boolean
    }>(),
  },
  'index.compare': {
    summary: 'Compare what memory holds with what is made of the store anew.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo(), view: codeView() }),
    output: returns<{
      readonly symbols: number
      readonly records: number
      /** Null: they are the same. */
      readonly difference: IndexDifference | null
    }>(),
  },
} as const satisfies Record<string, Route>
