import { expect, setDefaultTimeout, test } from 'bun:test'
import { linesOf } from '../support/pack-input.ts'
import { freshStore } from '../support/stores.ts'
import { agent, Office } from './office.ts'

setDefaultTimeout(60_000)

test('a pack shows the current records alone, and says which of them compete', async () => {
  const office = await Office.open((await freshStore()).store)
  const { task, owner } = await office.task('Refresh the session token', agent('ada'))
  const history = async (): Promise<readonly string[]> => {
    const { text } = await office.call('pack', {
      ...{ repo: office.repo, task, focus: [], budget: 2_000, explain: false },
      ...{ view: null, changed: [], indexing: false },
    })
    return linesOf(text, 'history')
  }
  const first = await office.record(task, owner, 'Session token lives an hour')
  const tried = await office.record(task, owner, 'Session token in the URL', { kind: 'attempt' })
  const before = (await history()).join('\n')
  expect(before).toContain(`${first.id} decision: Session token lives an hour`)
  expect(before).toContain(`${tried.id} dead end: Session token in the URL`)

  const supersedes = [first.id]
  const a = await office.record(task, owner, 'Session token lives a day', { supersedes })
  const b = await office.record(task, owner, 'Session token lives a minute', { supersedes })
  const after = (await history()).join('\n')
  expect(after).not.toContain('lives an hour')
  expect(after).toContain(`${a.id} decision: Session token lives a day\n`)
  expect(after).toContain(`(supersedes ${first.id}; so does ${b.id})`)
  expect(after).toContain(`(supersedes ${first.id}; so does ${a.id})`)
})
