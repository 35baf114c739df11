import { describe, expect, test } from 'bun:test'
import { type CallerSettings, findCaller } from '../../src/client/caller.ts'
import { asFault } from '../../src/domain/fault.ts'

const UNSET: CallerSettings = { actor: '', session: '', generation: '' }
const noGit = async () => null
const ada = async () => 'Ada Lovelace'

describe('who is asking', () => {
  test('a person goes by the name in git', async () => {
    expect(await findCaller(UNSET, { USER: 'al' }, ada)).toEqual({
      actor: 'Ada Lovelace',
      kind: 'human',
      session: null,
      generation: null,
    })
  })

  test('without one, by the name of the operating system', async () => {
    expect((await findCaller(UNSET, { USER: 'al' }, noGit)).actor).toBe('al')
  })

  test('an agent is told by its variables, with its conversation', async () => {
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'c-1', USER: 'al' }
    expect(await findCaller(UNSET, env, ada)).toEqual({
      actor: 'claude-code',
      kind: 'agent',
      session: 'c-1',
      generation: null,
    })
  })

  test('a name of its own makes an agent no human', async () => {
    const settings = { actor: 'reviewer', session: 's-9', generation: '4' }
    expect(await findCaller(settings, { CODEX_THREAD_ID: 't' }, ada)).toEqual({
      actor: 'reviewer',
      kind: 'agent',
      session: 's-9',
      generation: 4,
    })
  })

  test('a name alone is a human', async () => {
    expect((await findCaller({ ...UNSET, actor: 'mia' }, {}, noGit)).kind).toBe('human')
  })

  test.each([
    ['AI_AGENT', 'claude-code_2-1-332_agent', 'claude-code'],
    ['AI_AGENT', 'demo', 'demo'],
    ['AGENT', '1', 'agent'],
  ])('%s=%s is %s', async (name, value, actor) => {
    expect((await findCaller(UNSET, { [name]: value }, noGit)).actor).toBe(actor)
  })

  test.each(['', '   ', 'x'.repeat(65), 'a\nb', '\u202egolb'])(
    'a name that cannot be shown is refused: %j',
    async (name) => {
      const refused = findCaller({ ...UNSET, actor: name || ' ' }, {}, noGit)
      expect(
        await refused.then(
          () => null,
          (thrown) => asFault(thrown).code,
        ),
      ).toBe('bad_input')
    },
  )
})
