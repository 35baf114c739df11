import { describe, expect, test } from 'bun:test'
import type { Output, RouteName } from '../../src/api/routes.ts'
import { runCli } from '../../src/cli/run.ts'
import type { CommandResult } from '../../src/client/run-command.ts'
import { FAULTS, Fault, type FaultCode } from '../../src/domain/fault.ts'
import { answering, echo, echoJson, RecordingTerminal } from './recording-terminal.ts'

const ABOUT = { version: '1.2.3' }

describe('the envelope', () => {
  test('of a result: one line with data and warnings', async () => {
    const terminal = new RecordingTerminal()
    const { run } = answering(() => ({ id: 'x' }), ['The index is old.'])
    expect(await runCli(['status', '--json'], terminal, run, ABOUT)).toBe(0)
    expect(terminal.written).toEqual([
      { to: 'out', text: '{"ok":true,"data":{"id":"x"},"warnings":["The index is old."]}\n' },
    ])
  })

  test('of a refusal: on standard output as well', async () => {
    const terminal = new RecordingTerminal()
    const { run } = answering(() => {
      throw new Fault('claim_lost', 'Claim lost.', 'See `av task show`.', {
        detail: { owner: 'ben', generation: 2 },
      })
    })
    expect(await runCli(['status', '--json'], terminal, run, ABOUT)).toBe(6)
    expect(terminal.written).toEqual([
      {
        to: 'out',
        text: '{"ok":false,"error":{"code":"claim_lost","message":"Claim lost.","remediation":"See `av task show`.","detail":{"owner":"ben","generation":2}}}\n',
      },
    ])
  })

  test('of a line that cannot be read', async () => {
    const { code, envelope } = await echoJson(['pack', '--budget', '1e5'])
    expect(code).toBe(2)
    expect(envelope).toEqual({
      ok: false,
      error: {
        code: 'bad_input',
        message: '--budget: expected a whole number, found "1e5".',
        remediation: 'Tokens the pack may take at most. Default: 800.',
        detail: { reason: 'bad_value', field: 'budget' },
      },
    })
  })

  test('is not asked for by a --json after --', async () => {
    const terminal = new RecordingTerminal()
    const { run, calls } = answering(() => {
      throw new Fault('not_found', 'Not here.', 'Look elsewhere.')
    })
    await runCli(['task', 'start', '--', '--json'], terminal, run, ABOUT)
    expect(calls[0]?.given).toEqual({ goal: '--json' })
    expect(terminal.written).toEqual([
      { to: 'err', text: 'Error: Not here.\nHint: Look elsewhere.\n' },
    ])
  })

  test('of version and help', async () => {
    expect((await echoJson(['--version'])).envelope).toEqual({
      ok: true,
      data: { version: '1.2.3' },
      warnings: [],
    })
    expect((await echoJson(['help', 'demo'])).envelope).toMatchObject({
      ok: true,
      data: { text: expect.stringMatching(/^Usage: av demo\n/) },
    })
  })

  test('holds the value exactly, and nothing a terminal would act on', async () => {
    const goal = 'a\x1b[2Jb\x9b1m\u202ec\u2028d\ufeff\u{e0041}\x7fé🦊'
    const { out } = await echo(['--json', 'task', 'start', goal])
    expect(JSON.parse(out).data.given.goal).toBe(goal)
    expect(out).toContain(
      `${String.raw`a\u001b[2Jb\u009b1m\u202ec\u2028d\ufeff\udb40\udc41\u007f`}é🦊`,
    )
  })
})

describe('a fault', () => {
  for (const code of Object.keys(FAULTS) as FaultCode[]) {
    test(`${code} leaves with ${FAULTS[code].exit}`, async () => {
      const terminal = new RecordingTerminal()
      const { run } = answering(() => {
        throw new Fault(code, 'What was found.', 'The next step.')
      })
      expect(await runCli(['status'], terminal, run, ABOUT)).toBe(FAULTS[code].exit)
      expect(terminal.written).toEqual([
        { to: 'err', text: 'Error: What was found.\nHint: The next step.\n' },
      ])
    })
  }

  test('nobody expected leaves with 70 and shows no stack', async () => {
    const terminal = new RecordingTerminal()
    const { run } = answering(() => {
      throw new TypeError('x is undefined')
    })
    expect(await runCli(['status'], terminal, run, ABOUT)).toBe(70)
    expect(terminal.text('err')).toBe(
      'Error: Something in av broke: x is undefined\nHint: See `av daemon logs`, and report what it shows.\n',
    )
  })

  test('is told under --quiet too, and cannot steer the terminal', async () => {
    const terminal = new RecordingTerminal()
    const { run } = answering(() => {
      throw new Fault('not_found', 'No file \x1b[31mx\r\u202e.', 'Name another.')
    })
    await runCli(['status', '-q'], terminal, run, ABOUT)
    expect(terminal.text('err')).toBe('Error: No file ^[[31mx^M<U+202E>.\nHint: Name another.\n')
  })
})

describe('what is left to do after the output', () => {
  const run = async (words: readonly string[], isRead: boolean) => {
    const terminal = new RecordingTerminal()
    terminal.isRead = isRead
    const data = { text: 'the pack\n', explanation: null }
    const after: number[] = []
    const code = await runCli(
      words,
      terminal,
      async <N extends RouteName>(): Promise<CommandResult<N>> => ({
        ...{ data: data as Output<N>, warnings: [] },
        afterOutput: async () => {
          after.push(terminal.written.length)
        },
      }),
      ABOUT,
    )
    return { code, after }
  }

  test.each([[['pack']], [['pack', '--json']], [['pack', '--quiet']]])(
    'of %j is done when it was written, and not when nobody read it',
    async (words) => {
      expect(await run(words, true)).toEqual({ code: 0, after: [1] })
      expect(await run(words, false)).toEqual({ code: 0, after: [] })
    },
  )
})

describe('values are checked', () => {
  const REFUSED: readonly (readonly [words: readonly string[], message: string])[] = [
    [['pack', '--budget', '3'], '--budget: Too small: expected number to be >=50, found 3.'],
    [['pack', '-b', '-5'], '--budget: Too small: expected number to be >=50, found -5.'],
    [
      ['pack', '--focus', ''],
      '--focus: Too small: expected string to have >=1 characters, found "".',
    ],
    [
      ['pack', '-f', 'ok', '-f', ''],
      '--focus: Too small: expected string to have >=1 characters, found "".',
    ],
    [
      ['record', 'bug', 'x'],
      'KIND: Invalid option: expected one of "intent"|"decision"|"attempt"|"note"|"handoff"|"review", found "bug".',
    ],
    [
      ['task', 'start', 'x', '--id', 'No!'],
      '--id: lower-case letters, digits and dashes, found "No!".',
    ],
    [['log', '--limit', '1001'], '--limit: Too big: expected number to be <=1000, found 1001.'],
  ]
  for (const [words, message] of REFUSED) {
    test(`av ${words.join(' ')}`, async () => {
      const { code, err, calls } = await echo(words)
      expect([code, calls.length]).toEqual([2, 0])
      expect(err).toStartWith(`Error: ${message}\nHint: `)
    })
  }

  test('and what was left out is filled in', async () => {
    const { calls } = await echo(['--json', 'pack'])
    expect(calls[0]).toMatchObject({
      name: 'pack',
      given: { focus: [], budget: 800, explain: false },
    })
    expect(calls[0]?.given).not.toHaveProperty('task')
  })
})

describe('standard input', () => {
  const withStdin = (bytes: Uint8Array) => {
    const terminal = new RecordingTerminal()
    terminal.stdin = bytes
    return terminal
  }

  for (const words of [['--body', '-'], ['--body=-']]) {
    test(`is the body with ${words.join(' ')}`, async () => {
      const terminal = withStdin(new TextEncoder().encode('first\r\n- sécond 🦊\n'))
      const { calls } = await echo(['--json', 'record', 'note', 'x', ...words], terminal)
      expect(calls[0]?.given.body).toBe('first\r\n- sécond 🦊\n')
      expect(await calls[0]?.invocation.readStdin()).toBe('first\r\n- sécond 🦊\n')
      expect(terminal.stdinReads).toBe(1)
    })
  }

  test('is left alone otherwise', async () => {
    const terminal = withStdin(new Uint8Array([1]))
    const { calls } = await echo(['--json', 'record', 'note', '-', '--body', '--x y'], terminal)
    expect(calls[0]?.given).toMatchObject({ summary: '-', body: '--x y' })
    expect(terminal.stdinReads).toBe(0)
  })

  test('is refused beyond 1 MiB', async () => {
    const words = ['record', 'note', 'x', '--body', '-']
    const { code, err, calls } = await echo(words, withStdin(new Uint8Array(1024 * 1024 + 1)))
    expect([code, calls.length]).toEqual([2, 0])
    expect(err).toStartWith('Error: Standard input holds more than 1048576 bytes.\n')
  })

  test('is refused when it is no text', async () => {
    const words = ['record', 'note', 'x', '--body', '-']
    const { code, err } = await echo(words, withStdin(new Uint8Array([0xc3, 0x28])))
    expect(code).toBe(2)
    expect(err).toStartWith('Error: Standard input is not UTF-8 text.\n')
  })
})

describe('where it runs', () => {
  test('each -C starts from the one before', async () => {
    const { calls } = await echo(['-C', '../other', '--json', 'status', '-C', 'sub', '--repo', 'r'])
    expect(calls[0]?.invocation).toMatchObject({ cwd: '/home/ada/other/sub', repo: 'r' })
  })

  test('nothing given: the folder one stands in', async () => {
    const { calls } = await echo(['--json', 'status'])
    expect(calls[0]?.invocation).toMatchObject({
      cwd: '/home/ada/repo',
      repo: null,
      progress: null,
      confirm: null,
    })
  })
})

describe('a question', () => {
  const asked = async (answer: string) => {
    const terminal = new RecordingTerminal()
    const questions: string[] = []
    terminal.ask = async (question) => {
      questions.push(question)
      return answer
    }
    const { calls } = await echo(['--json', 'purge', 'r:1'], terminal)
    const isYes = await calls[0]?.invocation.confirm?.('Replace the text of \x1b[1mr:1?')
    return { isYes, questions }
  }

  test('cannot steer the terminal', async () => {
    expect((await asked('y')).questions).toEqual(['Replace the text of ^[[1mr:1? [y/N] '])
  })

  const ANSWERS: readonly (readonly [answer: string, isYes: boolean])[] = [
    ['y', true],
    ['Yes', true],
    [' yes\r', true],
    ['', false],
    ['n', false],
    ['yesterday', false],
  ]
  for (const [answer, isYes] of ANSWERS) {
    test(`answered ${JSON.stringify(answer)}`, async () => {
      expect((await asked(answer)).isYes).toBe(isYes)
    })
  }

  test('cannot be put where nobody can be asked; --yes answers it before', async () => {
    const { calls } = await echo(['--json', 'purge', 'r:1', '-y'])
    expect(calls[0]?.given).toEqual({ id: 'r:1', yes: true })
    expect(calls[0]?.invocation.confirm).toBeNull()
  })
})

describe('progress', () => {
  const watched = async (words: readonly string[], isTty: boolean) => {
    const terminal = new RecordingTerminal()
    terminal.errIsTty = isTty
    terminal.columns = 30
    const { run } = answering(({ invocation }) => {
      invocation.progress?.('indexing', 1, 400)
      terminal.pass(999)
      invocation.progress?.('indexing', 200, 400)
      terminal.pass(1)
      invocation.progress?.('indexing', 201, 400)
      terminal.pass(100)
      invocation.progress?.('indexing\x1b', 300, 400)
      invocation.progress?.('waiting for the daemon to be ready', 0, 0)
      return { items: [] }
    })
    await runCli(words, terminal, run, ABOUT)
    return terminal
  }

  test('is drawn after a second, not too often, and gone at the end', async () => {
    const terminal = await watched(['config'], true)
    expect(terminal.text('err')).toBe(
      [
        '\r\x1b[Kindexing 200/400',
        '\r\x1b[Kindexing^[ 300/400',
        '\r\x1b[Kwaiting for the daemon to be…',
        '\r\x1b[K',
      ].join(''),
    )
    expect(terminal.timersLeft).toBe(0)
  })

  test('is nowhere without a terminal, or when it is to be quiet', async () => {
    expect((await watched(['config'], false)).written).toEqual([{ to: 'out', text: '' }])
    expect((await watched(['config', '-q'], true)).written).toEqual([{ to: 'out', text: '' }])
  })

  test('of a short command is never seen', async () => {
    const terminal = new RecordingTerminal()
    terminal.errIsTty = true
    const { run } = answering(({ invocation }) => {
      invocation.progress?.('indexing', 1, 2)
      terminal.pass(500)
      throw new Fault('not_found', 'Not here.', 'Look elsewhere.')
    })
    expect(await runCli(['config'], terminal, run, ABOUT)).toBe(4)
    terminal.pass(5_000)
    expect(terminal.text('err')).toBe('Error: Not here.\nHint: Look elsewhere.\n')
  })

  const BEFORE_IT: readonly (readonly [ms: number, drawn: string])[] = [
    [500, ''],
    [1_000, '\r\x1b[Klooking\r\x1b[K'],
  ]
  for (const [ms, drawn] of BEFORE_IT) {
    test(`makes room for a question after ${ms} ms, and stays away while it is open`, async () => {
      const terminal = new RecordingTerminal()
      terminal.errIsTty = true
      terminal.ask = async (question) => {
        terminal.err(question)
        terminal.pass(5_000)
        return 'yes'
      }
      const { run } = answering(async ({ invocation }) => {
        invocation.progress?.('looking', 0, 0)
        terminal.pass(ms)
        return { items: [], agreed: await invocation.confirm?.('Same repository?') }
      })
      await runCli(['config', '--json'], terminal, run, ABOUT)
      expect(terminal.text('err')).toBe(`${drawn}Same repository? [y/N] `)
      expect(terminal.text('out')).toContain('"agreed":true')
    })
  }
})

describe('talk', () => {
  const initialised = {
    ...{ id: 'x', repo: 'hono', trunk: 'main', trunkCommit: null, created: true, dryRun: false },
    warnings: ['Two remotes.'],
  }

  test('and warnings go to standard error, each warning once', async () => {
    const terminal = new RecordingTerminal()
    const { run } = answering(() => initialised, ['Two remotes.', 'Old \x07 jj.'])
    await runCli(['init'], terminal, run, ABOUT)
    expect(terminal.text('out')).toBe('hono is ready, trunk main without commits\n')
    expect(terminal.text('err')).toBe(
      '`av task start "GOAL"` begins a task.\nWarning: Two remotes.\nWarning: Old ^G jj.\n',
    )
  })

  test('is left out by --quiet; the result is not', async () => {
    const terminal = new RecordingTerminal()
    const { run } = answering(() => initialised, ['Two remotes.'])
    await runCli(['init', '--quiet'], terminal, run, ABOUT)
    expect(terminal.written).toEqual([
      { to: 'out', text: 'hono is ready, trunk main without commits\n' },
    ])
  })
})

test('--version', async () => {
  expect(await echo(['--version'])).toMatchObject({ code: 0, out: 'av 1.2.3\n', err: '' })
})
