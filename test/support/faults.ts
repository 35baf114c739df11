import { Fault } from '../../src/domain/fault.ts'

/** The fault that `work` ends with; fails the test when it ends otherwise. */
export async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const outcome = await work.then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  )
  if ('thrown' in outcome && outcome.thrown instanceof Fault) return outcome.thrown
  if ('thrown' in outcome) throw outcome.thrown
  throw new Error(`expected a fault, got ${JSON.stringify(outcome.value)}`)
}

/** Its code and reason, as `not_found/task`, or the code alone. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  const { code, detail } = await faultOf(work)
  return detail.reason === undefined ? code : `${code}/${detail.reason}`
}
