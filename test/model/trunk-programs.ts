import type { LandingView, SlotView } from '../../src/api/review-views.ts'
import type { Sent } from '../../src/api/routes.ts'
import { Fault } from '../../src/domain/fault.ts'
import type { ActorAtWork } from './actor-at-work.ts'
import { treeOf } from './repository.ts'
import { call, local, type Program } from './request.ts'
import { carriedOver, isFault, snapshotOf } from './task-programs.ts'

/** What the client's commands that move trunk send, in their order; see `src/client/trunk-slot.ts` and around it. */

type AtTrunk = { readonly actor: ActorAtWork; readonly slot: SlotView; readonly trunk: string }

/**
 * Of a client: whether it looks where trunk is before it goes by it. One that does not (another program, another
 * version) is what the store's own judgement of trunk is for.
 */
export type Care = 'careful' | 'unfollowing' | 'blind'

const TRIES_MAX = 3

export function* merge(actor: ActorAtWork, task: string, care: Care): Program {
  const shown = yield* call('task.show', { task }, actor.caller)
  const folder = actor.currentFolder(task, shown.generation)
  const tree = folder === null || shown.state !== 'in_review' ? null : treeOf(folder.lines)
  const want = { kind: 'merge', task, tree } as const
  yield* again(() => onTrunk(actor, want, care, (at) => mergeAt(at, task)))
}

function* mergeAt({ actor, slot, trunk }: AtTrunk, task: string): Program {
  const { repository } = actor.machine
  const { verdict } = slot
  if (verdict === null) throw new TypeError('a merge slot without an approval')
  const base = verdict.base ?? repository.root
  const lines = repository.linesOf(verdict.tip)
  const tried = repository.trial(base, lines, trunk)
  if (tried.conflicted.length > 0) return yield* conflictAt({ actor, slot, trunk }, task)
  const seenOn = verdict.trunk ?? base
  const seen = repository.trial(base, lines, seenOn)
  const isSameBase = seenOn === trunk && seenOn === base
  const carried =
    seen.conflicted.length > 0
      ? null
      : isSameBase
        ? { patch: verdict.patch, over: [] }
        : carriedOver(
            repository,
            { base: seenOn, lines: seen.lines },
            { onto: trunk, lines: tried.lines },
          )
  if (carried === null) {
    const stale = { slot: slot.slot, task, verdict: verdict.position, why: 'the patch changed' }
    yield* call('landing.stale', stale, actor.caller)
    return
  }
  const isSame = carried.patch === verdict.patch && carried.over.length === 0
  const { tip, tree } = verdict
  yield* land({ actor, slot, trunk }, tried.lines, {
    ...{ task, kind: 'merge', patch: carried.patch },
    merge: {
      ...{ verdict: verdict.position, tree },
      carried: isSame ? null : { base, tip, tree, patch: carried.patch, over: [...carried.over] },
    },
  })
}

/** The conflict goes to the owner, into the files where the folder of the present claim is here. */
function* conflictAt({ actor, slot, trunk }: AtTrunk, task: string): Program {
  const { repository } = actor.machine
  const folder = actor.currentFolder(task, slot.task?.generation ?? 0)
  const { verdict } = slot
  const lines = repository.linesOf(verdict?.tip ?? repository.root)
  const { conflicted } = repository.trial(verdict?.base ?? repository.root, lines, trunk)
  let checkpoint: Sent<'landing.conflict'>['checkpoint'] = null
  if (folder !== null) {
    const moved = repository.trial(folder.base, folder.lines, trunk)
    Object.assign(folder, { base: trunk, lines: moved.lines, conflicts: moved.conflicted })
    const tree = moved.conflicted.length > 0 ? null : treeOf(moved.lines)
    checkpoint = { message: 'brought onto trunk', ...snapshotOf(actor, folder), tree }
  }
  const found = { slot: slot.slot, task, conflicted: [...conflicted], checkpoint }
  yield* call('landing.conflict', found, actor.caller)
}

export function* undo(actor: ActorAtWork, task: string, care: Care): Program {
  yield* call('task.show', { task }, actor.caller)
  const want = { kind: 'undo', task, tree: null } as const
  yield* onTrunk(actor, want, care, function* (at): Program {
    const tip = at.slot.task?.landed ?? null
    const { repository } = actor.machine
    if (tip === null || tip !== at.trunk) return
    const before = repository.parentOf(tip)
    if (before === null) return
    const { identity: patch } = repository.patchOf(before, repository.linesOf(tip))
    yield* land(at, before, { task, kind: 'undo', patch, merge: null })
  })
}

export function* revert(actor: ActorAtWork, task: string, care: Care): Program {
  yield* call('task.show', { task }, actor.caller)
  const want = { kind: 'revert', task, tree: null } as const
  yield* again(() =>
    onTrunk(actor, want, care, function* (at): Program {
      const landed = at.slot.task?.landed ?? null
      const { repository } = actor.machine
      const before = landed === null ? null : repository.parentOf(landed)
      if (landed === null || before === null) return
      const tried = repository.trial(landed, repository.linesOf(before), at.trunk)
      const { identity: patch, files } = repository.patchOf(at.trunk, tried.lines)
      if (tried.conflicted.length > 0 || files.size === 0) return
      yield* land(at, tried.lines, { task, kind: 'revert', patch, merge: null })
    }),
  )
}

/** Follows trunk, and recognises tasks that came onto it by somebody else's hand. */
export function* sync(actor: ActorAtWork): Program {
  const want = { kind: 'sync', task: null, tree: null } as const
  yield* onTrunk(actor, want, 'careful', function* ({ slot, trunk }): Program {
    const { repository } = actor.machine
    const since = slot.trunk ?? repository.root
    if (since === trunk) return
    const list = { mine: false, all: false, limit: 100 }
    const { items } = yield* call('task.list', list, actor.caller)
    const left = items.filter(({ head, state }) => head !== null && state !== 'conflicted')
    for (const commit of repository.steps(since, trunk)) {
      const parent = repository.parentOf(commit)
      if (parent === null) continue
      const { identity, files } = repository.patchOf(parent, repository.linesOf(commit))
      for (const { id, base, head } of left) {
        if (head === null || base === null || files.size === 0) continue
        if (repository.patchOf(base, repository.linesOf(head)).identity !== identity) continue
        yield* call('trunk.landed', { slot: slot.slot, task: id, commit }, actor.caller)
      }
    }
  })
}

function* again(attempt: () => Program): Program {
  for (let tried = 1; ; tried++) {
    try {
      return yield* attempt()
    } catch (thrown) {
      if (!isFault(thrown, 'trunk_moved') || tried >= TRIES_MAX) throw thrown
    }
  }
}

function* onTrunk(
  actor: ActorAtWork,
  want: Pick<Sent<'slot.take'>, 'kind' | 'task' | 'tree'>,
  care: Care,
  work: (at: AtTrunk) => Program,
): Program {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const slot = yield* takeSlot(actor, want)
    try {
      if (slot.open === null) {
        const trunk = yield* follow(actor, slot, care)
        return yield* work({ actor, slot, trunk })
      }
      const landed = hasLanded(actor, slot.open)
      yield* local('find out what became of it')
      const close = { slot: slot.slot, landing: slot.open.slot, landed }
      yield* call('landing.close', close, actor.caller)
      if (landed && slot.open.kind === want.kind && slot.open.task === want.task) return
    } finally {
      yield* freeSlot(actor, slot.slot)
    }
  }
}

function* takeSlot(
  actor: ActorAtWork,
  want: Pick<Sent<'slot.take'>, 'kind' | 'task' | 'tree'>,
): Program<SlotView> {
  for (let tried = 1; ; tried++) {
    try {
      return yield* call('slot.take', { ...want, clone: CLONE, remote: null }, actor.caller)
    } catch (thrown) {
      if (!isFault(thrown, 'slot_taken') || tried >= TRIES_MAX) throw thrown
      yield* local('wait for the slot')
    }
  }
}

/** The only clone there is: trunk is its branch. */
export const CLONE = 'clone-1'

function* freeSlot(actor: ActorAtWork, slot: number): Program {
  try {
    yield* call('slot.free', { slot }, actor.caller)
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
  }
}

function* follow(actor: ActorAtWork, slot: SlotView, care: Care): Program<string> {
  const { repository } = actor.machine
  if (care === 'blind') return slot.trunk ?? repository.root
  yield* local('look where trunk is')
  const { trunk } = repository
  if (care === 'unfollowing') return trunk
  if (trunk !== slot.trunk) {
    const forced = slot.trunk !== null && !repository.isAncestor(slot.trunk, trunk)
    const move = { slot: slot.slot, old: slot.trunk, new: trunk, forced }
    yield* call('trunk.note', move, actor.caller)
  }
  for (const { task, kind, new: commit } of slot.discarded) {
    if (kind !== 'merge' || commit === null || !repository.isAncestor(commit, trunk)) continue
    yield* call('trunk.landed', { slot: slot.slot, task, commit }, actor.caller)
  }
  return trunk
}

function hasLanded({ machine: { repository } }: ActorAtWork, { kind, new: to }: LandingView) {
  if (to === null) return false
  return kind === 'undo' ? repository.trunk === to : repository.isAncestor(to, repository.trunk)
}

type Move = Pick<Sent<'landing.open'>, 'task' | 'kind' | 'patch' | 'merge'>

/** @param to what is to be on trunk; or the commit that it goes back to */
function* land(
  { actor, slot, trunk }: AtTrunk,
  to: readonly number[] | string,
  move: Move,
): Program {
  const { repository } = actor.machine
  const commit =
    typeof to === 'string'
      ? to
      : repository.commit(trunk, to, `${move.kind} ${move.task} ${slot.slot}`)
  const opened = { ...move, slot: slot.slot, old: trunk, new: commit, files: [] }
  const landing = yield* call('landing.open', opened, actor.caller)
  yield* local('move trunk')
  const landed = repository.compareAndSwap(trunk, commit, `${move.kind} ${move.task} ${actor.name}`)
  yield* local('say what became of it')
  const close = { slot: slot.slot, landing: landing.slot, landed }
  yield* call('landing.close', close, actor.caller)
  if (landed) return
  throw new Fault('conflict', 'Trunk moved.', 'Again.', { detail: { reason: 'trunk_moved' } })
}
