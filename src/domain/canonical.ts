import { compareBytes } from './order.ts'

/** JSON of plain data that depends on its content only: keys ordered by bytes, no white space. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) {
    let list = ''
    for (const item of value) list += `${list === '' ? '' : ','}${canonicalJson(item)}`
    return `[${list}]`
  }
  const fields: Readonly<Record<string, unknown>> = { ...value }
  let text = ''
  for (const key of Object.keys(fields).sort(compareBytes)) {
    const field = fields[key]
    if (field === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(field)}`
  }
  return `{${text}}`
}
