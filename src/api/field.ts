import { z } from 'zod'

/** What a field means to a person at a terminal; JSON Schema and help take the rest from zod. */
export type FieldFacts = {
  readonly description: string
  /** Given by place, in the order of the row's fields; a list takes all words that are left. */
  readonly positional?: boolean
  /** One letter. */
  readonly short?: string
  /** Filled in by the client from where it stands: neither a flag nor a tool's argument. */
  readonly supplied?: boolean
  /** What stands for the value in help: `PATH[:SYMBOL]`. */
  readonly value?: string
  /** The flag's word, where it is not the field's name in kebab case. */
  readonly flag?: string
}

/** Attaches the facts. Use it outermost: `arg(text().optional(), {…})`. */
export function arg<S extends z.ZodType>(schema: S, facts: FieldFacts): S {
  return schema.meta({ ...facts })
}

/** A field that the client fills in. */
export function supplied<S extends z.ZodType>(schema: S, description: string): S {
  return arg(schema, { description, supplied: true })
}

export function factsOf(schema: z.ZodType): FieldFacts {
  const { description = '', ...rest } = (schema.meta() ?? {}) as Partial<FieldFacts>
  return { description, ...rest }
}

/** Text of 1 to `max` characters. */
export const text = (max = 4_000) => z.string().min(1).max(max)
/** True or false, false when left out. */
export const flag = () => z.boolean().default(false)
export const limit = () => z.int().min(1).max(1_000).default(50)
