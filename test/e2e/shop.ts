import { join } from 'node:path'
import { ADA, BEN, type Machine } from '../support/machine.ts'
import { type Edits, edit } from '../workspace/sandbox.ts'

/** The files of a small shop: what the tests of the whole program work on. */
export const SHOP: Edits = {
  'README.md': '# Shop\n\nSessions and a few handlers.\n\n## Sessions\n\nThey end by themselves.\n',
  'src/session.ts': `/** One sign-in of one user. */
export class Session {
  constructor(
    readonly id: string,
    public expiresAt: number,
  ) {}

  /** Prolongs the session when its time has come. */
  refresh(now: number): boolean {
    if (now >= this.expiresAt) {
      this.expiresAt = now + SESSION_MS
      return true
    }
    return false
  }

  end(): void {
    this.expiresAt = 0
  }
}

export const SESSION_MS = 15 * 60 * 1000
`,
  'src/legacy.ts': 'export function oldLogin(): boolean {\n  return false\n}\n',
  'src/api/login.ts': `import { Session } from '../session.ts'

/** Signs a user in. */
export function login(user: string): Session {
  return new Session(user, 0)
}
`,
  'src/stock.py': 'def count():\n    return 1\n',
  '.gitignore': '*.log\n',
}

export type Job = Awaited<ReturnType<typeof doMainJob>>

/**
 * The main job from `init` to a receipt, as three people would do it: Mei sets up, Ada works and
 * records, Ben starts beside her.
 */
export async function doMainJob(machine: Machine, root: string) {
  const init = await machine.data('init', [], { cwd: root })
  const goal = 'Refresh sessions before they expire'
  const task = await machine.data('task.start', [goal], { cwd: root, as: ADA })
  const cwd = task.workspace ?? ''
  const records = await recordAll(machine, cwd)

  edit(cwd, {
    'src/legacy.ts': null,
    'src/session.ts': String(SHOP['src/session.ts']).replace(
      'now >= this.expiresAt',
      'now >= this.expiresAt - 30_000',
    ),
    'src/sweep.ts': 'export function sweep(): void {}\n',
    'debug.log': 'not part of it\n',
  })
  const checkpoint = await machine.data('checkpoint', ['-m', 'refresh early'], { cwd, as: ADA })
  const log = await machine.data('log', [], { cwd, as: ADA })
  const whyOf = (target: string) => machine.data('why', [target], { cwd, as: ADA })
  const why = {
    path: await whyOf('src/session.ts'),
    symbol: await whyOf('src/session.ts:Session.refresh'),
    line: await whyOf('src/session.ts:10'),
    other: await whyOf('src/session.ts:Session.end'),
  }
  const rules = await makeRules(machine, root)
  const other = await machine.data('task.start', ['Sign out everywhere at once'], {
    ...{ cwd: root, as: BEN },
  })
  const beside = { cwd: other.workspace ?? '', as: BEN }
  const words = ['--focus', 'src/session.ts', '--focus', 'login']
  const packText = await machine.text(['pack', ...words], beside)
  const pack = await machine.data('pack', [...words, '--fresh'], beside)
  return { init, task, ...records, checkpoint, log, why, ...rules, other, packText, pack }
}

async function recordAll(machine: Machine, cwd: string) {
  const decision = await machine.data(
    'record',
    [
      ...['decision', 'Refresh 30 s early: the clocks of our hosts drift apart'],
      ...['--at', 'src/session.ts:Session.refresh'],
    ],
    { cwd, as: ADA },
  )
  const attempt = await machine.data(
    'record',
    ['attempt', 'One timer per session: too many timers', '--at', 'src/session.ts', '--body', '-'],
    { cwd, as: ADA, stdin: 'A sweep does the same.\n' },
  )
  const note = await machine.data(
    'record',
    ['note', 'Callers must pass the user in lower case', '--at', 'login.ts:login'],
    { cwd: join(cwd, 'src/api'), as: ADA },
  )
  return { decision, attempt, note }
}

async function makeRules(machine: Machine, root: string) {
  const cwd = root
  const required = await machine.data(
    'convention.add',
    [
      'src/api/**',
      'Handlers answer with a Result that says what went wrong, and for whom; they never throw at their caller, nor log what the caller sent.',
      '--required',
    ],
    { cwd },
  )
  const proposed = await machine.data('convention.propose', ['src/*.ts', 'No default exports.'], {
    ...{ cwd, as: ADA },
  })
  const accepted = await machine.data('convention.accept', [proposed.id], { cwd })
  const { id } = await machine.data('convention.add', ['**/*.py', 'Types on every def.'], { cwd })
  const retired = await machine.data('convention.retire', [id], { cwd })
  const rules = await machine.data('convention.list', [], { cwd })
  const rulesAtPath = await machine.data('convention.list', ['src/api/login.ts'], { cwd })
  return { required, proposed, accepted, retired, rules, rulesAtPath }
}
