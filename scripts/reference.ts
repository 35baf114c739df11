#!/usr/bin/env bun
/** Writes `docs/cli.md` from the table of the contract: `bun scripts/reference.ts`. */
import { join } from 'node:path'
import { GROUPS } from '../src/api/route.ts'
import { COMMANDS, type Command } from '../src/cli/commands.ts'
import {
  GLOBALS,
  type Parameter,
  parameterForm,
  parameterHelp,
  parametersOf,
  usageOf,
  VERSION_FLAG,
} from '../src/cli/parameters.ts'
import { FAULTS } from '../src/domain/fault.ts'
import { LIFECYCLE } from '../src/domain/lifecycle.ts'
import { TASK_KINDS } from '../src/domain/task.ts'

export const REFERENCE_FILE = join(import.meta.dir, '..', 'docs', 'cli.md')

export function referencePage(): string {
  const groups = GROUPS.flatMap((group) => {
    const commands = COMMANDS.filter((command) => command.group === group)
    return commands.length === 0 ? [] : [`## ${group}`, ...commands.map(commandPart)]
  })
  return `${[...HEAD, ...groups, ...lifePart(), ...exitPart()].join('\n\n')}\n`
}

const HEAD = [
  '<!-- Generated from src/api/routes by `bun scripts/reference.ts`. Do not edit. -->',
  '# The commands of av',
  [
    'Standard output is the result, standard error the talk: warnings, progress, errors. A command',
    'that is left without a task takes the one whose workspace you stand in. Flags may be written as',
    '`--flag value` or `--flag=value`; a value that looks like a flag needs the second form. `--` ends',
    'the flags. Global flags stand anywhere, those of a command after its name.',
  ].join('\n'),
  parameterList([...Object.values(GLOBALS), VERSION_FLAG]),
  [
    'With `--json` a command prints one line: `{"ok":true,"data":…,"warnings":[…]}`, or',
    '`{"ok":false,"error":{"code","message","remediation","detail"}}`.',
  ].join('\n'),
]

function commandPart({ words, row }: Command): string {
  const parameters = parametersOf(row)
  const usage = `\`${usageOf(words, parameters)}\``
  const list = parameters.length === 0 ? [] : [parameterList(parameters)]
  return [`### ${words}`, row.summary, usage, ...list].join('\n\n')
}

function parameterList(parameters: readonly Parameter[]): string {
  return parameters
    .map((parameter) => `- \`${parameterForm(parameter).trim()}\`: ${parameterHelp(parameter)}`)
    .join('\n')
}

function lifePart(): readonly string[] {
  const rows = LIFECYCLE.map(({ event, from, to, kinds, when }) => {
    const only = kinds.length === TASK_KINDS.length ? '' : kinds.join(', ')
    return `| ${from.join(', ')} | ${event} | ${to} | ${only} | ${when ?? ''} |`
  })
  const head = ['| from | event | to | kinds | when |', '|---|---|---|---|---|']
  return [
    '## The life of a task',
    'What is not a row here is refused with `refused_transition`. `needs_attention` and `reverted` are flags, not states.',
    [...head, ...rows].join('\n'),
  ]
}

function exitPart(): readonly string[] {
  const codes = new Map<number, string[]>()
  for (const [code, { exit }] of Object.entries(FAULTS)) {
    codes.set(exit, [...(codes.get(exit) ?? []), `\`${code}\``])
  }
  const rows = [...codes]
    .sort(([a], [b]) => a - b)
    .map(([exit, of]) => `- ${exit}: ${of.join(', ')}`)
  return ['## Exit codes', ['- 0: done', ...rows].join('\n')]
}

if (import.meta.main) {
  await Bun.write(REFERENCE_FILE, referencePage())
  console.log(`wrote ${REFERENCE_FILE}`)
}
