import { ACTOR_NAME_MAX, type Caller } from '../domain/actor.ts'
import { Fault } from '../domain/fault.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * How a coding agent shows itself in the environment of the commands it runs, and where it tells
 * its conversation's id. Nested agents inherit the outer one's variables; the first row wins.
 */
const HARNESSES: readonly {
  readonly name: string
  readonly sign: string
  readonly session: readonly string[]
}[] = [
  { name: 'claude-code', sign: 'CLAUDECODE', session: ['CLAUDE_CODE_SESSION_ID'] },
  { name: 'codex', sign: 'CODEX_THREAD_ID', session: ['CODEX_THREAD_ID'] },
  { name: 'codex', sign: 'CODEX_SESSION_ID', session: ['CODEX_SESSION_ID'] },
  { name: 'copilot', sign: 'COPILOT_CLI', session: ['COPILOT_AGENT_SESSION_ID'] },
  { name: 'gemini', sign: 'GEMINI_CLI', session: ['GEMINI_SESSION_ID'] },
  { name: 'opencode', sign: 'OPENCODE', session: [] },
  { name: 'amp', sign: 'AMP_CURRENT_THREAD_ID', session: ['AMP_CURRENT_THREAD_ID'] },
  { name: 'cursor', sign: 'CURSOR_AGENT', session: [] },
  { name: 'pi', sign: 'PI_CODING_AGENT', session: [] },
]

/** Names people have set: `AV_ACTOR`, `AV_SESSION`, `AV_GENERATION`; '' where they have not. */
export type CallerSettings = {
  readonly actor: string
  readonly session: string
  readonly generation: string
}

/**
 * Who is asking: the name set, else the agent whose variables are there, else git's `user.name`,
 * else the user of the operating system. An agent is recognised by its harness's variables; a name
 * alone is a human's.
 * @param gitUser asked only when nothing nearer tells
 * @throws Fault `bad_input` for a name that cannot be shown, or a generation that is no number
 */
export async function findCaller(
  settings: CallerSettings,
  env: Environment,
  gitUser: () => Promise<string | null>,
): Promise<Caller> {
  const harness = HARNESSES.find(({ sign }) => Boolean(env[sign]))
  const agent = harness?.name ?? agentByConvention(env)
  const nativeSession = harness?.session.map((name) => env[name]).find(Boolean)
  const actor = settings.actor || agent || (await gitUser()) || env.USER || 'human'
  return {
    actor: checkedName(actor),
    kind: agent === null ? 'human' : 'agent',
    session: settings.session || nativeSession || null,
    generation: settings.generation === '' ? null : checkedGeneration(settings.generation),
  }
}

/** `AI_AGENT=claude-code_2-1-332_agent`, `AGENT=amp`: what agents of no table row say of themselves. */
function agentByConvention(env: Environment): string | null {
  const said = env.AI_AGENT ?? env.AGENT ?? ''
  const name = /^[A-Za-z][A-Za-z0-9.-]{0,40}/.exec(said)?.[0] ?? ''
  if (name === '' || /^(?:0|1|true|false|no|yes)$/i.test(name)) return said === '1' ? 'agent' : null
  return name
}

function checkedName(name: string): string {
  const trimmed = name.normalize('NFC').trim()
  if (trimmed !== '' && trimmed.length <= ACTOR_NAME_MAX && !/\p{C}/u.test(trimmed)) return trimmed
  throw new Fault(
    'bad_input',
    `${JSON.stringify(name.slice(0, 100))} cannot be the name of an actor.`,
    `Set AV_ACTOR to a name of 1 to ${ACTOR_NAME_MAX} characters on one line.`,
    { detail: { reason: 'bad_actor' } },
  )
}

function checkedGeneration(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Fault(
    'bad_input',
    `AV_GENERATION is ${JSON.stringify(text.slice(0, 40))}; it is a whole number.`,
    'Unset it: the generation a claim was granted is remembered by itself.',
    { detail: { reason: 'bad_generation' } },
  )
}
