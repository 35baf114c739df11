import { z } from 'zod'
import { Fault } from '../domain/fault.ts'
import { factsOf } from './field.ts'
import type { Route } from './route.ts'

/** The fields of a row that a person or an agent gives, without those the client supplies. */
export function givenFields(route: Route): z.ZodObject {
  const fields = Object.entries(route.input().shape)
  return z.strictObject(Object.fromEntries(fields.filter(([, field]) => !factsOf(field).supplied)))
}

/**
 * Checks untrusted values against a schema.
 * @throws Fault `bad_input`: names the first field that is wrong, what was expected and found.
 */
export function parseInput<S extends z.ZodObject>(schema: S, raw: unknown): z.output<S> {
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (!issue) throw new Fault('bad_input', 'The input is not valid.', 'See `av --help`.')
  throw new Fault('bad_input', describe(issue), remedyFor(schema, issue), {
    detail: { field: issue.path.join('.') },
  })
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `Unknown field ${issue.keys.join(', ')}.`
  const field = issue.path.join('.')
  return field === '' ? issue.message : `${field}: ${issue.message}`
}

function remedyFor(schema: z.ZodObject, issue: z.core.$ZodIssue): string {
  const field = schema.shape[String(issue.path[0])]
  const help = field instanceof z.ZodType ? factsOf(field).description : ''
  return help === '' ? `Known fields: ${Object.keys(schema.shape).join(', ')}.` : help
}
