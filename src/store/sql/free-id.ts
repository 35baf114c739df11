import { Fault } from '../../domain/fault.ts'

/**
 * Inserts under the shortest id that is free: `prefix` and the first `least` of `digits`, then one more each time the
 * id is taken.
 * @param insert gives no row when the id is taken (`on conflict do nothing`).
 * @throws Fault `conflict` when all of them are.
 */
export async function insertUnderFreeId<Id extends string, Row>(
  id: { readonly prefix: string; readonly digits: string; readonly least: number },
  insert: (id: Id) => PromiseLike<readonly Row[]>,
): Promise<Row> {
  for (let length = id.least; length <= id.digits.length; length++) {
    const [row] = await insert(`${id.prefix}${id.digits.slice(0, length)}` as Id)
    if (row !== undefined) return row
  }
  throw idTaken(`${id.prefix}${id.digits}`)
}

export function idTaken(id: string): Fault {
  return new Fault('conflict', `The id ${id} is taken.`, 'Run the command again.', {
    detail: { reason: 'id_taken', id },
  })
}
