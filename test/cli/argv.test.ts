import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readCommandLine } from '../../src/cli/argv.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { GLOBALS, isPlace, parametersOf } from '../../src/cli/parameters.ts'
import { Fault } from '../../src/domain/fault.ts'

/** Name and values of a line, or what kind of page it asks for. */
function read(...words: readonly string[]) {
  const line = readCommandLine(words)
  return line.kind === 'command' ? [line.command.name, line.given] : line
}

function refusal(...words: readonly string[]) {
  try {
    readCommandLine(words)
  } catch (thrown) {
    if (thrown instanceof Fault) return [thrown.code, thrown.detail.reason, thrown.message]
    throw thrown
  }
  throw new Error(`was read: ${words.join(' ')}`)
}

describe('values stay as they were typed', () => {
  const HOSTILE = [
    '0123',
    '1e5',
    '0x10',
    '-5',
    '-',
    '- a list item',
    '',
    ' ',
    'true',
    'null',
    '__proto__',
    'a=b=c',
    'a\nb',
    '\u202eabc',
    '\ud83e\udd8a e\u0301 \u00e9',
    '"quoted" $(echo)',
    '--flag with spaces',
  ]
  for (const value of HOSTILE) {
    test(JSON.stringify(value), () => {
      const given = { kind: 'note', summary: value, body: value, at: [value, value] }
      expect(
        read('record', 'note', `--body=${value}`, `--at=${value}`, '--at', value, '--', value),
      ).toEqual(['record', given])
    })
  }

  test('any text at all', () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 })
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 4 }), (summary, body, anchors) => {
        const at = anchors.map((anchor) => `--at=${anchor}`)
        expect(read('record', ...at, `--body=${body}`, '--', 'note', summary)).toEqual([
          'record',
          { kind: 'note', summary, body, ...(anchors.length > 0 && { at: anchors }) },
        ])
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  test('a flag after --body is no body, unless it is joined', () => {
    expect(read('record', 'note', 'x', '--body=--json')).toEqual([
      'record',
      { kind: 'note', summary: 'x', body: '--json' },
    ])
    expect(refusal('record', 'note', 'x', '--body', '--json')).toEqual([
      'bad_input',
      'flag_value',
      '--body wants a value: TEXT|-, found the flag "--json".',
    ])
  })
})

describe('flags', () => {
  test('camelCase fields are typed in kebab case', () => {
    expect(read('record', 'note', 'x', '--reply-to', 'r:1', '--allow-missing')).toEqual([
      'record',
      { kind: 'note', summary: 'x', replyTo: 'r:1', allowMissing: true },
    ])
    expect(refusal('record', 'note', 'x', '--replyTo', 'r:1')).toEqual([
      'bad_input',
      'unknown_flag',
      '`av record` has no flag --replyTo; nearest is --reply-to.',
    ])
  })

  test('short forms alone, joined to their value, and in a cluster', () => {
    expect(read('checkpoint', '-m', 'a')).toEqual(['checkpoint', { message: 'a' }])
    expect(read('checkpoint', '-ma')).toEqual(['checkpoint', { message: 'a' }])
    expect(read('checkpoint', '-qm', 'a')).toEqual(['checkpoint', { message: 'a' }])
  })

  test('a list flag repeats; another may be given once', () => {
    expect(read('pack', '-f', 'a', '--focus', 'b', '--focus=c')).toEqual([
      'pack',
      { focus: ['a', 'b', 'c'] },
    ])
    expect(refusal('pack', '--budget', '100', '-b', '200')).toEqual([
      'bad_input',
      'flag_twice',
      '-b was given twice.',
    ])
  })

  test('an unknown one is refused, wherever it stands', () => {
    expect(refusal('pack', '--bugdet', '3')).toEqual([
      'bad_input',
      'unknown_flag',
      '`av pack` has no flag --bugdet; nearest is --budget.',
    ])
    expect(refusal('--bugdet', 'pack')[1]).toBe('unknown_flag')
    expect(refusal('pack', '-x')[1]).toBe('unknown_flag')
    expect(refusal('pack', '---json')[1]).toBe('unknown_flag')
    expect(refusal('pack', '--no-json')[1]).toBe('unknown_flag')
    expect(refusal('pack', '--C', 'x')[1]).toBe('unknown_flag')
    expect(refusal('pack', '--__proto__=x')[1]).toBe('unknown_flag')
    expect(refusal('pack', '--version')[1]).toBe('unknown_flag')
  })

  test('a switch takes no value, the others want one', () => {
    expect(refusal('pack', '--explain=false')).toEqual([
      'bad_input',
      'flag_value',
      '--explain takes no value, found "false".',
    ])
    expect(refusal('pack', '--budget')).toEqual([
      'bad_input',
      'flag_value',
      '--budget wants a value: TOKENS.',
    ])
  })

  for (const text of ['1e5', '0123', '0x10', '1.0', ' 1', '', '+1', '1_000', '٣', '9'.repeat(17)]) {
    test(`${JSON.stringify(text)} is no whole number`, () => {
      expect(refusal('pack', `--budget=${text}`)).toEqual([
        'bad_input',
        'bad_value',
        `--budget: expected a whole number, found ${JSON.stringify(text)}.`,
      ])
    })
  }

  test('global ones stand anywhere', () => {
    const line = readCommandLine([
      ...['-C', 'task', '--json', 'task', '-q', '--repo=hono', 'start', '--no-color', 'a goal'],
      ...['-C', '../x'],
    ])
    expect(line).toMatchObject({
      kind: 'command',
      given: { goal: 'a goal' },
      globals: { json: true, quiet: true, noColor: true, folders: ['task', '../x'], repo: 'hono' },
    })
  })

  test('no flag of a command hides a global one or another of its own', () => {
    for (const { row } of COMMANDS) {
      const forms = [...parametersOf(row), ...Object.values(GLOBALS)].flatMap((one) => one.forms)
      expect(forms).toEqual([...new Set(forms)])
    }
  })

  test('at most the last argument of a command takes a list or may be left out', () => {
    for (const { row } of COMMANDS) {
      const loose = parametersOf(row)
        .filter(isPlace)
        .map((place) => place.isList || !place.isRequired)
      expect(loose.slice(0, -1)).not.toContain(true)
    }
  })
})

describe('commands', () => {
  test('of two words', () => {
    expect(read('task', 'list')).toEqual(['task.list', {}])
    expect(read('convention', 'add', '**', 'x')).toEqual([
      'convention.add',
      { glob: '**', text: 'x' },
    ])
  })

  test('of one word that begins others too', () => {
    expect(read('config')).toEqual(['config', {}])
    expect(read('config', 'get', 'AV_HOME')).toEqual(['config.get', { key: 'AV_HOME' }])
    expect(read('receipt', 'list')).toEqual(['receipt.list', {}])
    expect(read('receipt', 'rcp:1')).toEqual(['receipt', { id: 'rcp:1' }])
    expect(read('receipt', '--', 'rcp:1')).toEqual(['receipt', { id: 'rcp:1' }])
    expect(refusal('config', 'frob')).toEqual([
      'bad_input',
      'unknown_command',
      'There is no command "config frob"; nearest: config get, config set.',
    ])
  })

  test('half of one', () => {
    expect(refusal('task')).toEqual([
      'bad_input',
      'missing_word',
      '`av task` wants a second word, before any flag: start, file, list, show, path.',
    ])
    expect(refusal('task', '--id', 'x', 'start', 'a goal')[1]).toBe('missing_word')
  })

  test('unknown ones name what is nearest', () => {
    expect(refusal('pakc')[2]).toBe('There is no command "pakc"; nearest: pack, task path.')
    expect(refusal('checkpont')[2]).toBe('There is no command "checkpont"; nearest: checkpoint.')
    expect(refusal('task', 'strat', 'x')[2]).toBe(
      'There is no command "task strat"; nearest: task start.',
    )
    expect(refusal('propose')[2]).toBe(
      'There is no command "propose"; nearest: convention propose.',
    )
    expect(refusal('frobnicate')[2]).toBe('There is no command "frobnicate".')
    expect(refusal('')[2]).toBe('There is no command "".')
  })

  for (const word of ['__proto__', 'constructor', '0123', '1e5', 'repo.list', 'task.start', '🦊']) {
    test(`${word} is none`, () => expect(refusal(word)[1]).toBe('unknown_command'))
  }

  test('rows without a group are none', () => {
    expect(refusal('repo', 'list')[1]).toBe('unknown_command')
    expect(refusal('index', 'state')[1]).toBe('unknown_command')
  })

  test('missing and surplus words', () => {
    expect(refusal('task', 'start')[2]).toBe('GOAL is missing.')
    expect(refusal('record', 'note')[2]).toBe('SUMMARY is missing.')
    expect(refusal('expand')[2]).toBe('ID is missing.')
    expect(refusal('task', 'start', 'fix', 'the', 'race')).toEqual([
      'bad_input',
      'extra_word',
      'Did not expect "the".',
    ])
    expect(read('expand', 'r:1', 'r:2', '--', '-3')).toEqual([
      'expand',
      { ids: ['r:1', 'r:2', '-3'] },
    ])
  })
})

describe('help and version', () => {
  const command = (name: string) => ({
    kind: 'help',
    topic: { kind: 'command', command: expect.objectContaining({ name }) },
  })
  const all = { kind: 'help', topic: { kind: 'all' } }
  const task = { kind: 'help', topic: { kind: 'group', word: 'task' } }
  const LINES: readonly (readonly [line: string, read: object])[] = [
    ['', all],
    ['help', all],
    ['--help', all],
    ['-h', all],
    ['--json', all],
    ['help task', task],
    ['task --help', task],
    ['--help task', task],
    ['task -h', task],
    ['help task start', command('task.start')],
    ['task start --help', command('task.start')],
    ['task --help start', command('task.start')],
    ['pack --frob -h', command('pack')],
    ['pack --budget --help', command('pack')],
    ['config --help', command('config')],
    ['help receipt', command('receipt')],
    ['--version', { kind: 'version' }],
    ['--json --version', { kind: 'version' }],
    ['--version pack', { kind: 'version' }],
  ]
  for (const [line, expected] of LINES) {
    test(`av ${line}`, () => {
      expect(readCommandLine(line.split(' ').filter(Boolean)) as object).toEqual(expected)
    })
  }

  test('help for what there is not', () => {
    expect(refusal('help', 'pakc')[1]).toBe('unknown_command')
  })

  test('after -- and when joined it is text', () => {
    expect(read('task', 'start', '--', '--help')).toEqual(['task.start', { goal: '--help' }])
    expect(read('checkpoint', '--message=--help')).toEqual(['checkpoint', { message: '--help' }])
  })
})
