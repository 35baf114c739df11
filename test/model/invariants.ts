import type { SchemaLink } from '../../src/store/database.ts'
import { type Acknowledged, Violation } from './judged-play.ts'
import type { SimulatedRepository } from './repository.ts'

/** What must hold of a repo's rows whatever happened, judged by the rows alone and by what was acknowledged. */
export async function checkInvariants(
  query: SchemaLink['query'],
  repo: string,
  repository: SimulatedRepository,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const rows = await readRows(query, repo)
  assertLog(rows)
  assertGenerations(rows, acknowledged)
  assertRecords(rows, acknowledged)
  assertTrunk(rows, repository, acknowledged)
  assertLandings(rows, repository)
}

type Row = Readonly<Record<string, unknown>>
type Rows = Readonly<Record<(typeof TABLES)[number], readonly Row[]>> & { readonly repo: Row }

const TABLES = [
  'fact',
  'task',
  'claim',
  'checkpoint',
  'record',
  'verdict',
  'landing',
  'trunk_move',
] as const

async function readRows(query: SchemaLink['query'], repo: string): Promise<Rows> {
  const columns = TABLES.map(
    (table) =>
      `(SELECT coalesce(json_agg(t), '[]') FROM ${table} t WHERE t.repo = $1)::text AS ${table}`,
  )
  const [row] = await query(
    `SELECT ${columns.join(', ')}, (SELECT row_to_json(r) FROM repo r WHERE r.id = $1)::text AS repo`,
    [repo],
  )
  const read = Object.entries(row ?? {}).map(([name, json]) => [name, JSON.parse(String(json))])
  return Object.fromEntries(read) as Rows
}

function must(holds: boolean, promise: string, found?: unknown): void {
  if (holds) return
  const what = found === undefined ? '' : `: ${JSON.stringify(found)}`
  throw new Violation(`${promise}${what}`)
}

function byPosition(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => Number(a.position) - Number(b.position))
}

/** Positions are 1, 2, 3 … without a gap, and each row of a fact stands at its own. */
function assertLog({ repo, fact, record, checkpoint, verdict, trunk_move: moves }: Rows): void {
  const positions = byPosition(fact).map(({ position }) => position)
  must(
    positions.every((position, index) => position === index + 1),
    'positions have no gap',
    positions,
  )
  must(positions.length === Number(repo.position), 'the counter is at the last fact')
  const events = new Map(fact.map(({ position, event }) => [position, event]))
  const told = [
    ...record.map(({ position }) => [position, 'record.added']),
    ...checkpoint.map(({ position }) => [position, 'checkpoint.added']),
    ...verdict.map((row) => [
      row.position,
      row.carried_from === null ? 'verdict.added' : 'verdict.carried',
    ]),
  ]
  for (const [position, event] of told) {
    must(events.get(position) === event, 'a row stands at its fact', { position, event })
  }
  const moving = new Set(['trunk.moved', 'task.merged', 'task.undone', 'task.reverted'])
  for (const { position } of moves) {
    must(moving.has(String(events.get(position))), 'a move of trunk stands at its fact', position)
  }
}

const STEPS_OF_OWNERS = new Set([
  'checkpoint.added',
  'task.submitted',
  'task.handed_off',
  'task.resolved',
  'task.abandoned',
])

/** No write under an old generation is visible: each is by who held the claim at its place in the log. */
function assertGenerations(rows: Rows, acknowledged: readonly Acknowledged[]): void {
  const granted = new Map<unknown, { position: number; actor: unknown; session: unknown }[]>()
  const tasks = new Map(rows.task.map((task) => [task.id, task]))
  const log = byPosition(rows.fact)
  for (const { position, event, subject, actor, session } of log) {
    const isFirst = event === 'task.created' && startedOwned(rows, subject)
    if (event !== 'task.claimed' && !isFirst) continue
    const grants = granted.get(subject) ?? []
    granted.set(subject, [...grants, { position: Number(position), actor, session }])
  }
  const holderAt = (task: unknown, position: number) => {
    const before = (granted.get(task) ?? []).filter((grant) => grant.position < position)
    return { generation: before.length, ...before.at(-1) }
  }
  for (const [id, { generation }] of tasks) {
    must(generation === (granted.get(id) ?? []).length, 'each generation was granted', id)
  }
  const conflicts = new Set(
    log.filter(({ event }) => event === 'task.conflicted').map(({ position }) => Number(position)),
  )
  const checkpoints = new Map(rows.checkpoint.map((row) => [row.position, row]))
  for (const { position, event, subject, actor, session } of log) {
    if (!STEPS_OF_OWNERS.has(String(event))) continue
    const place = Number(position)
    const kept = checkpoints.get(position)
    const holder = holderAt(kept?.task ?? subject, place)
    if (kept !== undefined) {
      must(kept.generation === holder.generation, 'a checkpoint is of the claim of its time', kept)
      // What a merge that met a conflict brings onto trunk is written under the slot.
      if (conflicts.has(place - 1)) continue
    }
    const isHolder = actor === holder.actor && session === holder.session
    must(isHolder, 'a step is by who held the task', { event, subject, actor, session, holder })
  }
  for (const { request, output } of acknowledged) {
    const { name, input, by } = request
    if (name !== 'record' && name !== 'checkpoint') continue
    const place = Number(output.position)
    const held = (granted.get(input.task) ?? []).some(
      (g) => g.position < place && g.actor === by.actor,
    )
    if (!held && name === 'record') continue
    const { generation } = holderAt(input.task, place)
    must(by.generation === generation, 'nothing is written under an old generation', output)
  }
}

function startedOwned({ claim, fact }: Rows, task: unknown): boolean {
  const claims = claim.filter((row) => row.task === task).length
  const taken = fact.filter((row) => row.event === 'task.claimed' && row.subject === task).length
  return claims > taken
}

/** What was acknowledged is there, as it was sent; and nothing else is. */
function assertRecords({ record, checkpoint }: Rows, acknowledged: readonly Acknowledged[]): void {
  const stored = new Map(record.map((row) => [row.id, row]))
  let spoken = 0
  for (const { request, output } of acknowledged) {
    const { name, input, by } = request
    if (name === 'handoff') {
      spoken += 1
      must(stored.get(output.record)?.author === by.actor, 'no handoff is lost', output.record)
    }
    if (name === 'request-changes' || (name === 'approve' && (input.message ?? '') !== '')) {
      spoken += 1
      const { message } = input
      must(
        record.some((row) => row.summary === message && row.author === by.actor),
        'no word of a review is lost',
        message,
      )
    }
    if (name === 'record') {
      spoken += 1
      const row = stored.get(output.id)
      const isSame =
        row?.summary === input.summary &&
        row.task === input.task &&
        row.kind === input.kind &&
        row.author === by.actor &&
        row.session === by.session &&
        row.position === output.position
      must(isSame, 'no record is lost or changed', output)
    }
    if (name === 'checkpoint') {
      const row = checkpoint.find(({ position }) => position === output.position)
      const isSame =
        row?.commit === input.commit && row.tree === input.tree && row.patch === input.patch
      must(isSame, 'no checkpoint is lost or changed', output)
    }
  }
  must(record.length === spoken, 'no record is there that nobody wrote', [record.length, spoken])
}

/** Trunk is one line; it moves by what av landed, and by what it was told of. */
function assertTrunk(
  { repo, landing, trunk_move: moves }: Rows,
  repository: SimulatedRepository,
  acknowledged: readonly Acknowledged[],
): void {
  let at: unknown = repository.root
  for (const move of byPosition(moves)) {
    must(move.old === at, 'trunk is one line', { at, move })
    at = move.new
    if (move.kind === 'outside') {
      const isTold = acknowledged.some(
        ({ request, output }) => request.name === 'trunk.note' && output.position === move.position,
      )
      must(isTold, 'a move from outside was noted', move)
      continue
    }
    const by = landing.find(({ position }) => position === move.position)
    const isLanded =
      by?.state === 'landed' &&
      by.old === move.old &&
      by.new === move.new &&
      by.kind === move.kind &&
      by.task === move.task
    must(isLanded, 'trunk moves by what landed', move)
  }
  must(at === repo.trunk_commit, 'trunk is where its moves lead to')
  must(at === repository.trunk, 'trunk is where the repository has it')
}

function assertLandings(
  { task, landing, verdict, checkpoint }: Rows,
  repository: SimulatedRepository,
) {
  const open = landing.filter(({ state }) => state === 'open')
  must(open.length <= 1, 'one move of trunk at a time', open)
  for (const { id, landing: slot } of task) {
    if (slot === null) continue
    must(
      open.some((row) => row.slot === slot && row.task === id),
      'a task is landing only while it lands',
      id,
    )
  }
  for (const row of landing) {
    if (row.kind !== 'merge' || row.state !== 'landed') continue
    const given = verdict.find(({ position }) => position === row.verdict)
    const isApproved =
      given?.result === 'approve' && given.task === row.task && given.patch === row.patch
    must(isApproved, 'what is merged was approved', row)
    const [old, to] = [String(row.old), String(row.new)]
    const patch = repository.patchOf(old, repository.linesOf(to)).identity
    must(patch === row.patch, 'what is on trunk is the patch that was approved', row)
    const held = checkpoint.some(
      (kept) =>
        kept.task === row.task &&
        kept.tree === given?.tree &&
        Number(kept.position) < Number(row.verdict),
    )
    must(held, 'what was approved is what the task held', row)
    const origin = verdict.find(({ position }) => position === given?.carried_from) ?? given
    must(origin?.result === 'approve' && origin.carried_from === null, 'somebody looked at it', row)
  }
}
