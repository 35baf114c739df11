import type { Input } from '../api/routes.ts'
import type { Anchor } from '../domain/anchor.ts'
import { type AnchorState, anchorsIn } from '../domain/anchor-moves.ts'
import { failingChecks } from '../domain/attestation.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'
import { type CodeView, versionOf } from '../domain/code-view.ts'
import { Fault } from '../domain/fault.ts'
import type { Ledger } from '../domain/ledger.ts'
import { MARKS } from '../domain/mark.ts'
import { compareBytes } from '../domain/order.ts'
import { buildPack, type PackInput, recordsWeighed } from '../domain/pack.ts'
import type { ChangedCode } from '../domain/pack-candidate.ts'
import type { Pack } from '../domain/pack-finish.ts'
import type { PackRecord, RecordAnchor } from '../domain/pack-history.ts'
import type { LiveTask } from '../domain/pack-live.ts'
import { selectCandidates } from '../domain/pack-select.ts'
import type { PackTask } from '../domain/pack-task.ts'
import { RECEIPT_DIGITS } from '../domain/receipt.ts'
import type { RecordId, TaskRecord } from '../domain/record.ts'
import { redact } from '../domain/redact.ts'
import type { Task, TaskId } from '../domain/task.ts'
import { assertStorable } from '../domain/text.ts'
import type { Store } from '../store/store.ts'
import { asCodeView } from './code.ts'
import { type IndexedView, type RepoIndex, viewKey } from './code-indexes.ts'
import type { Deps, Handler } from './deps.ts'
import { renderExplanation } from './explanation.ts'
import { findLog, findTask, type RepoLog } from './lookup.ts'
import type { Facts, RepoFacts } from './repo-facts.ts'
import type { SemanticAnswer } from './semantic.ts'
import { type Reading, readingOf } from './sessions.ts'
import { approvalText, verdictText } from './task-verdict.ts'
import { givenTask } from './tasks.ts'

export const pack: Handler<'pack'> = async (deps, input, caller) => {
  const { store, indexes } = deps
  for (const focus of input.focus) assertStorable('focus', focus)
  const repo = await findLog(store, input.repo)
  const index = await indexes.current(repo)
  const task = await taskOf(store, index, repo, givenTask(input.task))
  const reading = await readingOf(store, repo.id, input, caller)
  const gathered = await gather(deps, index, repo, task, input, reading?.ledger)
  const built = await keep(deps, repo, task, reading, caller.actor, gathered)
  const { text, receipt, tokens, budget, degraded, items, omitted, sentBefore } = built
  const explanation = input.explain ? renderExplanation(built.manifest) : null
  const reader =
    reading === null ? null : { session: reading.reader.session, resets: reading.resets }
  return {
    ...{ text, receipt, tokens, budget, degraded, items, omitted, sentBefore },
    ...{ reader, explanation },
  }
}

/** A live task as the facts have it: what a pack shows of one takes a position when it changes. */
async function taskOf(store: Store, index: RepoIndex, repo: RepoLog, id: string): Promise<Task> {
  const { tasks } = await index.facts.asOf(repo.position)
  return tasks.get(id as TaskId) ?? (await findTask(store, repo.id, id))
}

/**
 * Builds the pack and stores its receipt. The id is the beginning of the manifest's hash; where
 * another manifest has the same beginning, this one's id is longer.
 */
async function keep(
  deps: Deps,
  repo: RepoLog,
  task: Task,
  reading: Reading | null,
  actor: string,
  gathered: PackInput,
): Promise<Pack> {
  const countTokens = await deps.countTokens()
  const session = reading?.reader.session ?? null
  for (let digits = RECEIPT_DIGITS; ; digits += 4) {
    const built = buildPack(gathered, countTokens, digits)
    try {
      const { receipt: id, manifestText: manifest } = built
      await deps.store.putReceipt(repo.id, { id, task: task.id, actor, session, manifest })
      return built
    } catch (thrown) {
      const taken = thrown instanceof Fault && thrown.detail.reason === 'id_taken'
      if (!taken || digits >= RECEIPT_DIGITS_MAX) throw thrown
    }
  }
}

const RECEIPT_DIGITS_MAX = 32

/** Everything a pack is made of, read once. */
async function gather(
  { store, semantic }: Deps,
  index: RepoIndex,
  repo: RepoLog,
  task: Task,
  input: Input<'pack'>,
  ledger: Ledger | undefined,
): Promise<PackInput> {
  const code = asCodeView(input.view)
  const [view, facts] = await Promise.all([
    code === null ? null : index.view(code),
    index.facts.asOf(repo.position),
  ])
  const own = index.own.of(task.id)
  const checkpoint = facts.checkpoints.get(task.id) ?? null
  const focus = input.focus.map((word) => redact(word).text)
  const changed = changedCode(view === null ? null : input.changed, checkpoint)
  const meant =
    view === null
      ? null
      : await semantic.lists({
          ...{ repo: repo.id, index, view: view.lexical, goal: task.goal, focus },
        })
  const candidates = selectCandidates({
    index: index.lexical,
    view: view?.lexical ?? index.lexical.view([]),
    records: index.lexical.recordView(),
    goal: task.goal,
    focus,
    changed,
    ownRecords: own.filter(({ intent }) => intent.trim() !== task.goal.trim()).map(({ id }) => id),
    ownPaths: own.flatMap(({ paths }) => paths),
    semantic: meant,
  })
  const { taskFiles } = candidates
  const incomplete = view === null || view.missing > 0 || input.indexing
  const weighed = recordsWeighed(candidates.records, { budget: input.budget, ledger })
  const handoff = own.find(({ kind }) => kind === 'handoff')
  const [records, handoffs, verdict] = await Promise.all([
    packRecords(index.facts, weighed, view),
    index.facts.records(handoff === undefined ? [] : [handoff.id]),
    // Who asks for changes says so in a review: without one there is no need to look.
    own.some(({ kind }) => kind === 'review') ? verdictText(store, task) : approvalText(task),
  ])
  return {
    task: {
      ...packTask(task, checkpoint, handoffs[0] ?? null),
      verdict,
      failing: failingChecks(facts.attestations.get(task.id) ?? [], task.head),
    },
    focus,
    budget: input.budget,
    position: repo.position,
    overlay: code === null ? 'none' : viewKey(code),
    indexVersion: code === null ? 'none' : indexVersion(code, meant),
    degraded: [
      ...(incomplete ? ['index'] : []),
      ...(view !== null && meant === null ? ['semantic'] : []),
    ],
    candidates,
    changed,
    records,
    conventions: facts.rules
      .filter(({ matches }) => taskFiles.some(matches))
      .map(({ convention }) => convention),
    live: liveTasks(index, repo, facts, task, taskFiles),
    ledger,
  }
}

/** Of the parsed code, and of the vectors made from it. */
function indexVersion({ tree }: CodeView, meant: SemanticAnswer | null): string {
  return meant === null ? versionOf(tree) : `${versionOf(tree)} ${meant.version}`
}

/** What the task changed: as it is on disk, or where that is not at hand as last snapshotted. */
function changedCode(
  onDisk: readonly string[] | null,
  checkpoint: Checkpoint | null,
): readonly ChangedCode[] {
  const symbols = new Map<string, string[]>()
  for (const named of checkpoint?.symbols ?? []) {
    const cut = named.indexOf(':')
    const path = named.slice(0, cut)
    const there = symbols.get(path)
    if (there) there.push(named.slice(cut + 1))
    else symbols.set(path, [named.slice(cut + 1)])
  }
  const paths = onDisk ?? checkpoint?.files.map(({ path }) => path) ?? []
  return paths.map((path) => ({ path, symbols: symbols.get(path) ?? [] }))
}

function packTask(
  task: Task,
  checkpoint: Checkpoint | null,
  handoff: TaskRecord | null,
): Omit<PackTask, 'verdict' | 'failing'> {
  const { id, goal, kind, state, owner, base, flags } = task
  return {
    ...{ id, goal, kind, state, owner, base, flags },
    checkpoint:
      checkpoint === null
        ? null
        : {
            commit: checkpoint.commit,
            files: checkpoint.files.length,
            message: checkpoint.message,
          },
    lastJournal: null,
    handoff: handoff === null ? null : `${handoff.summary}\n${handoff.body}`.trim(),
  }
}

async function packRecords(
  facts: RepoFacts,
  candidates: readonly { readonly id: RecordId }[],
  view: IndexedView | null,
): Promise<readonly PackRecord[]> {
  const current = (await facts.records(candidates.map(({ id }) => id))).filter(isCurrent)
  const rivals = await rivalsOf(facts, current)
  const states = anchorsIn(
    view,
    current.flatMap(({ anchors }) => anchors),
  ).values()
  return current.map((record) => ({
    ...record,
    corrects: [],
    rivals: rivals.get(record.id) ?? [],
    anchors: record.anchors.map((anchor) => recordAnchor(anchor, states.next().value!)),
  }))
}

/** An anchor as a pack shows it: at the place where its code is now. */
function recordAnchor({ path, symbol }: Anchor, { mark, at }: AnchorState): RecordAnchor {
  if (mark === 'moved' && at !== null) return { ...at, mark: null, movedFrom: { path, symbol } }
  return { path, symbol, mark: mark === null ? null : MARKS[mark] }
}

const isCurrent = ({ supersededBy, purged }: TaskRecord) => supersededBy.length === 0 && !purged

/** Other current records that supersede one which a record supersedes too. */
async function rivalsOf(
  facts: RepoFacts,
  records: readonly TaskRecord[],
): Promise<ReadonlyMap<RecordId, readonly RecordId[]>> {
  const superseded = new Set(records.flatMap(({ supersedes }) => supersedes))
  if (superseded.size === 0) return new Map()
  const old = await facts.records([...superseded])
  const successors = new Set(old.flatMap(({ supersededBy }) => supersededBy))
  const current = (await facts.records([...successors])).filter(isCurrent)
  const rivals = records.map((record): [RecordId, readonly RecordId[]] => {
    const sharing = current.filter(
      ({ id, supersedes }) =>
        id !== record.id && supersedes.some((each) => record.supersedes.includes(each)),
    )
    return [record.id, sharing.map(({ id }) => id).sort(compareBytes)]
  })
  return new Map(rivals)
}

/** Other live tasks whose last checkpoint touches one of these files. */
function liveTasks(
  index: RepoIndex,
  repo: RepoLog,
  { tasks, checkpoints }: Facts,
  own: Task,
  files: readonly string[],
): readonly LiveTask[] {
  const ours = new Set(files)
  return [...checkpoints.values()].flatMap((checkpoint): LiveTask[] => {
    const task = tasks.get(checkpoint.task)
    const shares = checkpoint.files.some(({ path }) => ours.has(path))
    if (task === undefined || task.id === own.id || !shares) return []
    const lastWrite = Math.max(checkpoint.position, index.own.lastWrite(task.id))
    return [
      {
        id: task.id,
        goal: task.goal,
        state: task.state,
        owner: task.owner,
        files: checkpoint.files.map(({ path }) => path),
        symbols: checkpoint.symbols,
        latestIntent: index.own.of(task.id).find(({ kind }) => kind === 'intent')?.intent ?? null,
        silentPositions: repo.position - lastWrite,
      },
    ]
  })
}
