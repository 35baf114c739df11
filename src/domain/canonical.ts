import { compareBytes } from './order.ts'

/** JSON of plain data that depends on its content only: keys ordered by bytes, no white space. */
export function canonicalJson(value: unknown): string {
  return written(value, new Map())
}

/** By an object's keys as JSON: most objects of a document look alike, so that their order is known. */
type KeyOrders = Map<string, readonly Key[]>
type Key = { readonly name: string; readonly json: string }

function written(value: unknown, orders: KeyOrders): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) {
    let list = ''
    for (const item of value) list += `${list === '' ? '' : ','}${written(item, orders)}`
    return `[${list}]`
  }
  const fields = value as Readonly<Record<string, unknown>>
  let text = ''
  for (const { name, json } of orderedKeys(fields, orders)) {
    const field = fields[name]
    if (field === undefined) continue
    text += `${text === '' ? '' : ','}${json}:${written(field, orders)}`
  }
  return `{${text}}`
}

function orderedKeys(fields: object, orders: KeyOrders): readonly Key[] {
  const names = Object.keys(fields)
  const shape = JSON.stringify(names)
  const known = orders.get(shape)
  if (known !== undefined) return known
  const keys = names.sort(compareBytes).map((name) => ({ name, json: JSON.stringify(name) }))
  orders.set(shape, keys)
  return keys
}
