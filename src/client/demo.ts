import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { Fault } from '../domain/fault.ts'
import { DEMO_FILES } from './demo-repository.ts'

/** How the demo runs av itself: the program, the words before a command's own, the environment. */
export type DemoShell = {
  readonly program: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the story is told. */
  readonly say: (text: string) => void
}

/**
 * The main job, told on a small repository that is made for it: a human, two agents, each step a
 * real command of this very program in a process of its own. The folder stays, so that every id
 * shown can be looked up afterwards. A shared database is left alone: then the demo keeps its data
 * in its folder too.
 * @returns the folder it worked in, and how many commands it ran
 */
export async function runDemo(shell: DemoShell): Promise<{ folder: string; steps: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'av-demo-'))
  const repo = join(folder, 'av-demo')
  const story = new Story(shell, folder)
  for (const [path, text] of Object.entries(DEMO_FILES)) write(join(repo, path), text)
  for (const words of GIT_SETUP) await story.git(repo, words)

  story.tell(
    `A small repository was made for this: ${repo}`,
    'It has a session store and two handlers. Nothing in it knows of av yet.',
  )
  await story.av('you', repo, ['init'])

  story.tell(
    'A rule of the repository, for the files a glob matches. A required one is in every pack of a',
    'task that touches such files.',
  )
  const rule = 'Handlers answer with a Result; they never throw at the caller.'
  await story.av('you', repo, ['convention', 'add', 'src/api/**', rule, '--required'])

  story.tell(
    "Ada, an agent, starts a task. It gets a folder of its own; your checkout isn't touched.",
  )
  const ada = await story.start('ada', repo, 'Refresh sessions before they expire')

  story.tell(
    'She decides something, and finds a dead end. Both are kept beside the code they are about.',
  )
  await story.av('ada', ada.workspace, [
    ...['record', 'decision', 'Refresh 30 s early: the clocks of our hosts drift apart'],
    ...['--at', 'src/session.ts:Session.refresh'],
  ])
  await story.av('ada', ada.workspace, [
    ...['record', 'attempt', 'One timer per session: 40,000 timers kept the process from ending'],
    ...['--at', 'src/session.ts', '--body', 'A sweep over the store every 10 s does the same.'],
  ])

  story.tell('She edits with her usual tools, and snapshots what she has.')
  edit(
    join(ada.workspace, 'src/session.ts'),
    'now >= this.expiresAt',
    'now >= this.expiresAt - 30_000',
  )
  await story.av('ada', ada.workspace, ['checkpoint', '-m', 'refresh 30 s before the end'])

  story.tell(
    'Ben, another agent, starts next to her on something else, and asks what he should know.',
    'This is the pack: no model was asked, and the same state gives the same bytes.',
  )
  const ben = await story.start(
    'ben',
    repo,
    'Log out all sessions of a user when the password changes',
  )
  const pack = await story.av('ben', ben.workspace, ['pack', '--focus', 'src/session.ts'])
  const receipt = /rcp:[0-9a-f]{8,}/.exec(pack)?.[0]
  const decision = /r:[0-9a-f]{8,}/.exec(pack)?.[0]
  if (receipt === undefined || decision === undefined) throw broken('pack', pack)

  story.tell(
    'He saw what Ada decided, what did not work for her, and that she is at the same file.',
  )
  story.tell('Any line can be opened:')
  await story.av('ben', ben.workspace, ['expand', decision])
  story.tell('and the receipt says why each line was in the pack:')
  await story.av('ben', ben.workspace, ['receipt', receipt, '--explain'])
  story.tell('Asking the code itself works too:')
  await story.av('ben', ben.workspace, ['why', 'src/session.ts:Session.refresh'])
  await story.av('you', repo, ['task', 'list'])

  story.tell('Ada is done, and asks for a review. Without a record that says why, she could not.')
  await story.av('ada', ada.workspace, ['submit'])
  story.tell('You look at it, approve what you saw, and land it: trunk moves by a merge alone.')
  await story.av('you', repo, ['review', 'show', ada.id])
  await story.av('you', repo, ['approve', ada.id, '-m', 'Fine; 30 s is what our hosts need'])
  await story.av('you', repo, ['merge', ada.id])

  story.tell('Your checkout has it now, as one commit that says why:')
  await story.git(repo, ['log', '-1', '--format=%an: %B'], 'shown')
  await story.git(repo, ['status', '--short', '--branch'], 'shown')
  story.tell(
    `The demo is kept in ${folder}; each id above can still be opened:`,
    ...story.howToReturn(repo),
  )
  return { folder, steps: story.steps }
}

class Story {
  steps = 0
  private readonly env: Record<string, string>
  private readonly shared: boolean

  constructor(
    private readonly shell: DemoShell,
    private readonly folder: string,
  ) {
    const kept = Object.entries(shell.env).filter(
      ([name, value]) => value !== undefined && !OTHERS.test(name),
    ) as [string, string][]
    this.shared = Boolean(shell.env.AV_DATABASE_URL)
    this.env = {
      ...Object.fromEntries(kept),
      AV_WORKSPACES: join(folder, 'ws'),
      ...(this.shared && { AV_HOME: join(folder, 'home') }),
    }
  }

  tell(...lines: readonly string[]): void {
    this.shell.say(`\n${lines.map((line) => `# ${line}\n`).join('')}`)
  }

  /** Runs one command as somebody, shows it and what it says, and gives back its output. */
  async av(who: Actor, cwd: string, words: readonly string[]): Promise<string> {
    this.steps++
    this.shell.say(`\n${who}$ av ${words.map(quoted).join(' ')}\n`)
    return this.run(
      [...this.shell.program, ...words],
      cwd,
      { ...this.env, ...ACTORS[who] },
      'shown',
    )
  }

  async start(
    who: Actor,
    cwd: string,
    goal: string,
  ): Promise<{ readonly id: string; readonly workspace: string }> {
    const out = await this.av(who, cwd, ['task', 'start', goal])
    const id = /^\S+/.exec(out)?.[0] ?? ''
    const words = ['task', 'show', id, '--json']
    const json = await this.run(
      [...this.shell.program, ...words],
      cwd,
      { ...this.env, ...ACTORS[who] },
      'quiet',
    )
    const shown = taskJson.safeParse(JSON.parse(json))
    if (!shown.success) throw broken('task show', json)
    return shown.data.data
  }

  async git(
    cwd: string,
    words: readonly string[],
    as: 'shown' | 'quiet' = 'quiet',
  ): Promise<string> {
    if (as === 'shown') this.shell.say(`\nyou$ git ${words.map(quoted).join(' ')}\n`)
    return this.run(['git', ...words], cwd, { ...this.env, ...GIT_ENV }, as)
  }

  howToReturn(repo: string): string[] {
    return [
      ...(this.shared
        ? [`  export AV_HOME=${join(this.folder, 'home')}   (with AV_DATABASE_URL unset)`]
        : []),
      `  cd ${repo} && av log`,
    ]
  }

  private async run(
    argv: readonly string[],
    cwd: string,
    env: Record<string, string>,
    as: 'shown' | 'quiet',
  ): Promise<string> {
    const child = Bun.spawn([...argv], {
      cwd,
      env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, talk, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    if (code !== 0) throw broken(argv.join(' '), talk || out)
    if (as === 'shown') this.shell.say(out)
    return out
  }
}

/** What would change who acts, or where, in the commands of the demo. */
const OTHERS =
  /^(?:GIT_|JJ_|AV_(?:ACTOR|SESSION|TASK|GENERATION|DATABASE_URL)|CLAUDE|CODEX|COPILOT|GEMINI_|OPENCODE|CURSOR_|PI_CODING|AMP_|AI_AGENT$|AGENT$)/

const ACTORS = {
  you: { AV_ACTOR: 'you' },
  ada: { AV_ACTOR: 'ada', AV_SESSION: 'ada-1', AI_AGENT: 'demo' },
  ben: { AV_ACTOR: 'ben', AV_SESSION: 'ben-1', AI_AGENT: 'demo' },
} as const satisfies Record<string, Readonly<Record<string, string>>>
type Actor = keyof typeof ACTORS

const taskJson = z.object({ data: z.object({ id: z.string(), workspace: z.string() }) })

function broken(step: string, output: string): Fault {
  return new Fault(
    'internal',
    `The demo stopped at \`${step}\`: ${output.trim().slice(-2_000)}`,
    'Report it.',
    {
      detail: { reason: 'demo', step },
    },
  )
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function edit(path: string, from: string, to: string): void {
  const before = readFileSync(path, 'utf8')
  if (!before.includes(from)) throw broken(`edit ${path}`, `no "${from}" in it`)
  writeFileSync(path, before.replace(from, to))
}

const GIT_ENV = {
  GIT_AUTHOR_NAME: 'You',
  GIT_AUTHOR_EMAIL: 'you@example.com',
  GIT_COMMITTER_NAME: 'You',
  GIT_COMMITTER_EMAIL: 'you@example.com',
}

const GIT_SETUP: readonly (readonly string[])[] = [
  ['init', '-q', '-b', 'main'],
  ['add', '-A'],
  ['commit', '-q', '-m', 'A session store and two handlers'],
]
