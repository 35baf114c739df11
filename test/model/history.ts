import { ActorAtWork, type Machine } from './actor-at-work.ts'
import { commandOf, lateCommandOf, trunkCommandOf } from './command-choice.ts'
import { Dice } from './dice.ts'
import { checkInvariants } from './invariants.ts'
import { JudgedPlay, type Run, Violation } from './judged-play.ts'
import { Reference } from './reference.ts'
import { freshFacts } from './reference-task.ts'
import { SimulatedRepository } from './repository.ts'
import type { Stage } from './stage.ts'
import * as commands from './task-programs.ts'
import * as trunkCommands from './trunk-programs.ts'

export type HistoryOutcome = {
  readonly seed: number
  /** How many of its steps there were, and how many requests were answered. */
  readonly steps: number
  readonly requests: number
  /** Null: all was as it had to be. */
  readonly failure: string | null
  /** What happened, one line each. */
  readonly told: readonly string[]
}

/**
 * One random history of a repo of its own, from its seed alone: on one daemon the same every time.
 * @param chosen the steps that are made; all of them where it is left out
 */
export async function playHistory(
  stage: Stage,
  seed: number,
  chosen?: readonly number[],
): Promise<HistoryOutcome> {
  const dice = new Dice(seed)
  const length = 8 + Math.min(dice.below(18), dice.below(18))
  const steps = chosen ?? Array.from({ length }, (_, step) => step)
  const history = await History.open(stage, seed)
  let failure: string | null = null
  try {
    for (const step of steps) await history.step(Dice.ofStep(seed, step))
    await history.end(new Dice(seed ^ 0x5bd1e995))
  } catch (thrown) {
    if (!(thrown instanceof Violation)) throw thrown
    failure = thrown.message
  }
  const { told, acknowledged } = history.play
  return { seed, steps: steps.length, requests: acknowledged.length, failure, told }
}

/** Leaves out steps for as long as it fails without them. */
export async function shrinkHistory(stage: Stage, failed: HistoryOutcome): Promise<ShrunkHistory> {
  let steps = Array.from({ length: failed.steps }, (_, step) => step)
  let outcome = failed
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < steps.length; ) {
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)]
      const tried = await playHistory(stage, failed.seed, fewer)
      if (tried.failure === null) from += size
      else [steps, outcome] = [fewer, tried]
    }
  }
  return { ...outcome, chosen: steps }
}

export type ShrunkHistory = HistoryOutcome & { readonly chosen: readonly number[] }

const LEASE_AND_MORE = 1_801
const SLOT_AND_MORE = 61
/** Requests that one command may make. */
const REQUESTS_MAX = 80

class History {
  private readonly running: Run[] = []
  private clock = 0

  private constructor(
    private readonly stage: Stage,
    private readonly repo: string,
    private readonly repository: SimulatedRepository,
    private readonly actors: readonly ActorAtWork[],
    readonly play: JudgedPlay,
  ) {}

  static async open(stage: Stage, seed: number): Promise<History> {
    const repository = new SimulatedRepository(`history ${seed}`)
    const human = callerOf('mia', null)
    const repo = await stage.newRepo(repository.root, trunkCommands.CLONE, human)
    const [row] = await stage.query('SELECT position FROM repo WHERE id = $1', [repo])
    const facts = freshFacts(repository.root, Number(row?.position), [human.actor])
    const play = new JudgedPlay(stage, repo, new Reference(facts))
    return new History(stage, repo, repository, actorsOf(new Dice(seed + 7), repository), play)
  }

  async step(dice: Dice): Promise<void> {
    const what = dice.weighted([
      ['command', 58],
      ['go on', this.running.length > 0 ? 26 : 0],
      ['at once', this.stage.size > 1 ? 30 : 0],
      ['stall', 7],
      ['clock', 7],
      ['restart', 2],
      ['outside', 5],
      ['edit', 5],
    ] as const)
    if (what === 'command') await this.runSome(this.beginOne(dice), dice)
    else if (what === 'go on') await this.runSome(this.takeOne(dice), dice)
    else if (what === 'at once') await this.runAtOnce(dice)
    else if (what === 'stall') await this.stall(dice)
    else if (what === 'clock')
      await this.moveClock(dice.percent(60) ? LEASE_AND_MORE : SLOT_AND_MORE)
    else if (what === 'restart') this.restart(dice)
    else if (what === 'outside') await this.moveOutside(dice)
    else this.edit(dice)
  }

  /** Who still works goes on, or never comes back; then whoever looks finds everything in order. */
  async end(dice: Dice): Promise<void> {
    for (const run of this.running.splice(0)) {
      if (dice.percent(50)) await this.runOn(run, REQUESTS_MAX)
    }
    await this.moveClock(SLOT_AND_MORE)
    const last = this.actors[0]!
    const program = trunkCommands.sync(last)
    const run = this.play.begin('the last sync', program, 0)
    if (run !== null) await this.runOn(run, REQUESTS_MAX)
    if (run?.failure) throw new Violation(`the last sync was refused: ${run.failure.message}`)
    const { trunk, open } = this.play.facts
    if (trunk !== this.repository.trunk || open !== null) {
      throw new Violation('the last sync did not bring the store to where trunk is')
    }
    const { acknowledged } = this.play
    await checkInvariants(this.stage.query, this.repo, this.repository, acknowledged)
  }

  private beginOne(dice: Dice): Run | null {
    const late = dice.percent(25) ? lateCommandOf(dice, this.actors, this.play.facts) : null
    const { title, program, actor } = late ?? commandOf(dice, this.actors, this.play.facts)
    return this.play.begin(title, program, this.actors.indexOf(actor))
  }

  private takeOne(dice: Dice): Run | null {
    const [run] = this.running.splice(dice.below(this.running.length), 1)
    return run ?? null
  }

  private async runSome(run: Run | null, dice: Dice): Promise<void> {
    if (run === null) return
    const how = dice.weighted([
      ['to its end', 62],
      ['and waits', 27],
      ['and dies', 11],
    ] as const)
    const requests = how === 'to its end' ? REQUESTS_MAX : dice.below(9)
    const goesOn = await this.runOn(run, requests)
    if (!goesOn) return
    this.play.told.push(`${how}: ${run.title}`)
    if (how === 'and waits') this.running.push(run)
  }

  /** False when it came to its end. */
  private async runOn(run: Run, requests: number): Promise<boolean> {
    for (let made = 0; made < requests; made++) {
      if (!(await this.play.step(run))) return false
    }
    return true
  }

  /** One holds the slot and falls silent; another takes it; the first wakes up, somewhere in the other's work. */
  private async stall(dice: Dice): Promise<void> {
    const slow = await this.holdSlot(dice)
    if (slow === null) return
    if (await this.runOn(slow, dice.below(5))) this.running.push(slow)
    await this.moveClock(SLOT_AND_MORE)
    const next = await this.holdSlot(dice)
    if (next === null) return
    if (await this.runOn(next, dice.below(5))) this.running.push(next)
    for (const run of dice.percent(80) ? [slow, next] : [next, slow]) {
      const index = this.running.indexOf(run)
      if (index < 0) continue
      const isOver = !(await this.runOn(run, dice.percent(70) ? REQUESTS_MAX : 2))
      if (isOver) this.running.splice(index, 1)
    }
  }

  /** A command that moves trunk, up to where it has the slot. */
  private async holdSlot(dice: Dice): Promise<Run | null> {
    const { title, program, actor } = trunkCommandOf(dice, this.actors, this.play.facts, 'careful')
    const run = this.play.begin(title, program, this.actors.indexOf(actor))
    for (let made = 0; run !== null && made < REQUESTS_MAX; made++) {
      if (!(await this.play.step(run))) return null
      if (run.isHolding) return run
    }
    return null
  }

  private async runAtOnce(dice: Dice): Promise<void> {
    const count = 2 + dice.below(2)
    let runs = Array.from({ length: count }, () =>
      this.running.length > 0 && dice.percent(40) ? this.takeOne(dice) : this.beginOne(dice),
    ).filter((run) => run !== null)
    for (let made = 0; made < REQUESTS_MAX && runs.length > 0; made++) {
      const goOn = await this.play.together(runs)
      runs = runs.filter((_, index) => goOn[index])
    }
  }

  private async moveClock(secs: number): Promise<void> {
    this.clock += secs
    this.play.passTime(secs)
    this.play.told.push(`the clock goes on by ${secs} seconds`)
    await this.stage.setClock(this.clock)
  }

  private restart(dice: Dice): void {
    this.play.told.push('a daemon is started anew')
    this.stage.restart(dice.below(this.stage.size))
  }

  /** A person at work with git: a commit, somebody's patch as one of their own, or trunk set elsewhere. */
  private async moveOutside(dice: Dice): Promise<void> {
    const { repository } = this
    const how = dice.weighted([
      ['commit', 60],
      ['squash', 20],
      ['force', 20],
    ] as const)
    const lines = [...repository.linesOf(repository.trunk)]
    const nonce = `outside ${dice.below(1_000_000)}`
    let to = repository.trunk
    if (how === 'force') to = repository.parentOf(to) ?? to
    if (how === 'squash') {
      const tasks = [...this.play.facts.tasks.values()].filter(({ head }) => head !== null)
      if (tasks.length > 0) {
        const { base, head } = dice.pick(tasks)
        const tip = repository.linesOf(head ?? repository.root)
        const tried = repository.trial(base ?? repository.root, tip, repository.trunk)
        if (tried.conflicted.length === 0) to = repository.commit(to, tried.lines, nonce)
      }
    }
    if (how === 'commit' || (how === 'force' && dice.percent(50))) {
      lines[dice.below(lines.length)] = 100_000 + dice.below(1_000)
      to = repository.commit(to, lines, nonce)
    }
    if (to === repository.trunk) return
    this.play.told.push(`trunk is moved by hand (${how}) to ${to.slice(0, 8)}`)
    repository.moveBy(to, how)
    if (!dice.percent(35)) return
    const care = dice.pick(['careful', 'unfollowing', 'unfollowing', 'blind'] as const)
    const { title, program, actor } = trunkCommandOf(dice, this.actors, this.play.facts, care)
    await this.runSome(this.play.begin(title, program, this.actors.indexOf(actor)), dice)
  }

  private edit(dice: Dice): void {
    const actor = dice.pick(this.actors)
    const [folder] = [...this.play.facts.tasks.keys()].flatMap((task) => actor.place(task) ?? [])
    if (folder === undefined) return
    this.play.told.push(`${actor.name} edits ${folder.task} (folder of ${folder.generation})`)
    commands.edit(actor, folder, dice)
  }
}

function actorsOf(dice: Dice, repository: SimulatedRepository): readonly ActorAtWork[] {
  let contents = 0
  const machine: Machine = { repository, folders: new Map(), fresh: () => ++contents }
  const mia = new ActorAtWork('mia', callerOf('mia', null), machine)
  const others = [
    new ActorAtWork('mia elsewhere', callerOf('mia', null), machine),
    new ActorAtWork('ada in s1', callerOf('ada', 's1'), machine),
    new ActorAtWork('ada in s1 elsewhere', callerOf('ada', 's1'), machine),
    new ActorAtWork('ada in s2', callerOf('ada', 's2'), machine),
    new ActorAtWork('bob', callerOf('bob', 'b1'), machine),
  ]
  const count = 1 + dice.below(4)
  while (others.length > count) others.splice(dice.below(others.length), 1)
  return [mia, ...others]
}

function callerOf(actor: string, session: string | null) {
  const kind = session === null ? ('human' as const) : ('agent' as const)
  return { actor, kind, session, generation: null }
}
