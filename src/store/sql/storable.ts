import { assertStorable } from '../../domain/text.ts'

/**
 * Every text inside a value about to be stored, keys included.
 * @throws Fault `bad_input` for what Postgres cannot hold as text.
 */
export function assertAllStorable(field: string, value: unknown): void {
  if (typeof value === 'string') assertStorable(field, value)
  else if (Array.isArray(value)) for (const item of value) assertAllStorable(field, item)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      assertStorable(field, key)
      assertAllStorable(`${field} ${key}`, item)
    }
  }
}
