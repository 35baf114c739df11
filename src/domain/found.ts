import { compareBytes } from './order.ts'
import { fuse, ranking } from './rank.ts'

/** What can be searched for. In this order where the score is the same: why comes before where. */
export const FOUND_KINDS = ['record', 'code', 'task'] as const
export type FoundKind = (typeof FOUND_KINDS)[number]

export type Found = { readonly kind: FoundKind; readonly id: string }

/** Lists of ids, each best first → one list: by reciprocal rank, ties by kind, then id. */
export function fuseFound(lists: Readonly<Record<FoundKind, readonly string[]>>): readonly Found[] {
  const ranked = FOUND_KINDS.map(
    (kind, place) => [kind, ranking(lists[kind].map((id) => `${place}${id}`))] as const,
  )
  return fuse(Object.fromEntries(ranked), SEARCH_WEIGHTS, compareBytes).flatMap(({ key }) => {
    const kind = FOUND_KINDS[Number(key[0])]
    return kind === undefined ? [] : [{ kind, id: key.slice(1) }]
  })
}

/** What each kind's list is worth, in thousandths. */
const SEARCH_WEIGHTS: Readonly<Record<FoundKind, number>> = {
  record: 1_000,
  code: 1_000,
  task: 1_000,
}
