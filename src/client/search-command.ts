import type { FoundKind } from '../domain/found.ts'
import { codeHere } from './code-at-hand.ts'
import type { Command } from './command.ts'
import { syncFew, waitForIndex } from './index-wait.ts'
import { findPlace } from './place.ts'

/** Waits for the index of the code one stands in as a pack does, unless no code is looked for. */
export const search: Command<'search'> = async (session, given) => {
  const place = await findPlace(session)
  const kind = given.kind as FoundKind | undefined
  const code = await codeHere(session.host, place)
  const view = code === null ? null : (await code.view()).view
  let indexing = false
  if (code !== null && view !== null) {
    const wantsCode = kind === undefined || kind === 'code'
    if (wantsCode) indexing = await waitForIndex(session, place, code, view)
    else await syncFew(session, place.repo, code, view)
  }
  return session.call('search', {
    ...given,
    words: given.words as readonly string[],
    repo: place.repo,
    view,
    indexing,
  })
}
