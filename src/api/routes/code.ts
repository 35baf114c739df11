import { z } from 'zod'
import {
  LINK_CHARS_MAX,
  LINK_KINDS,
  LINK_NAMES_MAX,
  LINKS_MAX,
  PARSE_STATUSES,
  SYMBOL_KINDS,
} from '../../domain/code.ts'
import { OVERLAY_MAX } from '../../domain/code-view.ts'
import { supplied, text } from '../field.ts'
import { type Route, returns } from '../route.ts'
import { repo } from './repos.ts'

const path = () => text(4_096)
const blob = () => z.string().regex(/^[0-9a-f]{40,64}(?:\.[a-z0-9-]{1,20})?$/)
const treeKey = () => z.string().regex(/^[0-9a-f]{40,64}\/[\w.-]{1,64}$/)

/** The code the caller stands on; null where it has none at hand. */
export const codeView = () =>
  supplied(
    z
      .strictObject({
        tree: treeKey(),
        overlay: z
          .array(z.strictObject({ path: path(), blob: blob().nullable(), gone: z.boolean() }))
          .max(OVERLAY_MAX),
      })
      .nullable(),
    'The code the caller stands on.',
  )

const fileIndex = () =>
  z.strictObject({
    blob: blob(),
    language: text(40),
    status: z.enum(PARSE_STATUSES),
    bytes: z.int().min(0),
    lines: z.int().min(0),
    hash: text(64),
    words: z.array(z.string().max(200)).max(200_000),
    counts: z.array(z.int().min(0)).max(200_000),
    symbols: z
      .array(
        z.strictObject({
          name: text(1_000),
          kind: z.enum(SYMBOL_KINDS),
          line: z.int().min(1),
          endLine: z.int().min(1),
          signature: z.string().max(400),
          doc: z.string().max(400),
          hash: text(64),
          words: z.array(z.int().min(0)),
        }),
      )
      .max(50_000),
    links: z.array(link()).max(LINKS_MAX).default([]),
  })

const link = () =>
  z
    .tuple([z.enum(LINK_KINDS), text(LINK_CHARS_MAX)], text(LINK_CHARS_MAX))
    .refine((each) => each.length <= 2 + LINK_NAMES_MAX)

/** How a client brings the code index up to date. None of these is a command. */
export const codeRoutes = {
  'index.state': {
    summary: 'What the store lacks of the code a client stands on.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        view: codeView(),
        countSymbols: supplied(z.boolean().default(false), 'Count the definitions too.'),
      }),
    output: returns<{
      /** False: send the tree's listing first. */
      readonly treeKnown: boolean
      /** Files of the view, and how many of them have no index yet. */
      readonly total: number
      readonly missing: number
      /** Definitions in the files that have one; null where they were not counted. */
      readonly symbols: number | null
      /** At most 2,000 of those: send these, then ask again. */
      readonly blobs: readonly string[]
    }>(),
  },
  'index.tree': {
    summary: "Send a tree's listing, in parts.",
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        tree: treeKey(),
        /** Entries sent before this part. */
        offset: z.int().min(0),
        entries: z.array(z.tuple([path(), blob().nullable()])).max(20_000),
        last: z.boolean(),
      }),
    output: returns<{ readonly entries: number }>(),
  },
  'index.files': {
    summary: 'Send what was found in files, by content hash.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({ repo: repo(), version: text(64), files: z.array(fileIndex()).max(2_000) }),
    output: returns<{ readonly stored: number }>(),
  },
} as const satisfies Record<string, Route>
