import type { z } from 'zod'

export const GROUPS = [
  'repo',
  'tasks',
  'work',
  'review',
  'why',
  'rules',
  'context',
  'store',
  'people',
] as const
export type Group = (typeof GROUPS)[number]

/** One thing av can do: a row of the contract. */
export type Route = {
  readonly summary: string
  /** Where help lists it; null: for clients only, no command. */
  readonly group: Group | null
  /** Built when first needed, so that a command pays for its own row only. */
  readonly input: () => z.ZodObject
  /** Only its type counts. */
  readonly output: unknown
  /** Whether agents get it as a tool. */
  readonly mcp: boolean
  /** Runs wholly at the caller: no HTTP call of this name. */
  readonly local?: true
}

/** Gives a row its output type. */
export const returns = <T>(): T => undefined as T
