import type { Link } from '../domain/code.ts'

/** A link and where in the text it stands (`at`). */
export type FoundLink = { readonly at: number; readonly link: Link }

/** `a, b as c, type d` → `a`, `b`, `d`: the names by which the other file knows them. */
export function listedNames(list: string): string[] {
  return list.split(',').flatMap((part) => {
    const name = /^\s*(?:type\s+|typeof\s+)?([\p{L}\p{N}_$.]+)/u.exec(part.slice(0, 400))?.[1]
    return name === undefined ? [] : [name]
  })
}
