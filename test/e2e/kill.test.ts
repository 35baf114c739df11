import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readBody } from '../../src/api/wire.ts'
import type { Client } from '../../src/client/client.ts'
import type { Caller } from '../../src/domain/actor.ts'
import { Fault } from '../../src/domain/fault.ts'
import { seededWorld } from '../../src/world.ts'
import { ADA, Machine, makeRepo } from '../support/machine.ts'
import { clientOf } from './daemon-client.ts'
import { SHOP } from './shop.ts'

const KILLS = 50
const WRITERS = 4
const LONG_MS = 480_000
/** The second: killed once it was ready, before whoever started it had looked; the call was not sent. */
const REASONS = ['outcome_unknown', 'start_failed']

type Kept = { readonly id: string; readonly position: number }

describe(`a daemon that is killed ${KILLS} times while clients write`, () => {
  let machine: Machine
  let repo: string
  let task: string
  let cwd: string
  /** Summaries of the records that were acknowledged, with their ids and positions. */
  const acknowledged = new Map<string, Kept>()
  const failures: Fault[] = []
  afterAll(() => machine[Symbol.asyncDispose]())

  beforeAll(async () => {
    machine = new Machine({ AV_IDLE_SECS: '0' })
    const root = makeRepo(machine.box, 'plain', SHOP)
    repo = (await machine.data('init', [], { cwd: root })).id
    const started = await machine.data('task.start', ['Write on'], { cwd: root, as: ADA })
    task = started.id
    cwd = started.workspace ?? ''
    const caller: Caller = {
      ...{ actor: 'ada', kind: 'agent', session: 'ada-1', generation: started.generation },
    }
    let isOver = false
    const client = await clientOf(machine, 0)
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let count = 0; !isOver; count++) {
        await write(client, caller, `Writer ${writer}, record ${count}`)
      }
    })
    const typist = (async () => {
      for (let count = 0; !isOver; count++) await type(`Typed, record ${count}`)
    })()
    await killAgainAndAgain()
    isOver = true
    await Promise.all([...writers, typist])
  }, LONG_MS)

  /** One record over the socket. */
  function write(client: Client, caller: Caller, summary: string): Promise<void> {
    const body = summary.repeat(50)
    const fields = { repo, task, kind: 'note', summary, body, workspaceTask: null } as const
    return keep(summary, async () => {
      return (await client.call('record', { ...fields, anchors: [] }, caller)).data
    })
  }

  /** One record by the command. */
  function type(summary: string): Promise<void> {
    return keep(summary, async () => {
      const words = ['record', 'note', summary, '--json']
      const { out } = await machine.run(words, { cwd, as: ADA })
      return readBody(JSON.parse(out)).data as Kept
    })
  }

  /** What was refused, or whose outcome is not known, is not sent again. */
  async function keep(summary: string, record: () => Promise<Kept>): Promise<void> {
    try {
      acknowledged.set(summary, await record())
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      failures.push(thrown)
    }
  }

  async function killAgainAndAgain(): Promise<void> {
    const chance = seededWorld(50)
    for (let count = 0; count < KILLS; count++) {
      const pid = await readyDaemon()
      // Somewhere in the first writes after a start, or once some were acknowledged: a slow machine
      // would have few of these otherwise.
      if (count % 2 === 1) await moreAcknowledged()
      await Bun.sleep(Number.parseInt(chance.randomHex(1), 16))
      process.kill(pid, 'SIGKILL')
    }
  }

  async function moreAcknowledged(): Promise<void> {
    const enough = acknowledged.size + 3
    while (acknowledged.size < enough) await Bun.sleep(1)
  }

  async function readyDaemon(): Promise<number> {
    for (;;) {
      const pid = await machine.pid()
      if (pid !== null) return pid
      await Bun.sleep(10)
    }
  }

  test('loses no record that it acknowledged', async () => {
    const { items } = await machine.data('log', ['--all'], { cwd })
    const kept = new Map(items.map(({ summary, id, position }) => [summary, { id, position }]))
    expect(acknowledged.size).toBeGreaterThan(KILLS)
    const lost = [...acknowledged].filter(
      ([summary, { id, position }]) =>
        kept.get(summary)?.id !== id || kept.get(summary)?.position !== position,
    )
    expect(lost).toEqual([])
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
  })

  test('keeps nothing twice, and leaves no gap in the log', async () => {
    const { items } = await machine.data('log', ['--all'], { cwd })
    const summaries = items.map(({ summary }) => summary)
    expect(summaries.length).toBe(new Set(summaries).size)
    const positions = items.map(({ position }) => position)
    const first = Math.min(...positions)
    expect(positions.toSorted((a, b) => a - b)).toEqual(positions.map((_, at) => first + at))
  })

  test('says of each of the others that its outcome is not known, or that it was not sent', () => {
    const strange = failures.filter(({ detail }) => !REASONS.includes(String(detail.reason)))
    expect(strange.map(({ code, message }) => `${code}: ${message}`)).toEqual([])
    expect(failures.map(({ detail }) => detail.reason)).toContain('outcome_unknown')
  })
})
