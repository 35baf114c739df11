import { describe, expect, test } from 'bun:test'
import type { Topic } from '../../src/cli/argv.ts'
import { COMMANDS, findCommand } from '../../src/cli/commands.ts'
import { helpPage } from '../../src/cli/help.ts'
import { parametersOf } from '../../src/cli/parameters.ts'

const TOPICS: readonly Topic[] = [
  { kind: 'all' },
  { kind: 'group', word: 'task' },
  { kind: 'group', word: 'convention' },
  { kind: 'group', word: 'daemon' },
  ...COMMANDS.map((command) => ({ kind: 'command', command }) as const),
]

function pageOf(words: string, columns: number | null = null): string {
  const command = findCommand(words)
  if (command === null) throw new Error(`no command ${words}`)
  return helpPage({ kind: 'command', command }, columns)
}

test('all of av, by groups', () => {
  expect(helpPage({ kind: 'all' }, null)).toMatchInlineSnapshot(`
    "Usage: av COMMAND [ARGUMENTS] [FLAGS]

    Keeps the why next to the code, and packs what is known for whoever works on it next.

    repo
      init                          Make av ready for the repository you stand in.
      status                        Where you stand: repository, task, daemon.
      config                        Every setting, its value, and where the value comes from.
      config get KEY                One setting's value.
      config set KEY VALUE          Write a setting to config.toml.
      index run                     Bring the index of the code you stand in up to date.
      sync                          Follow trunk: what others moved, what landed elsewhere, what a crash
                                    left open.
      reindex                       Delete every index of this repository, and build it anew.

    tasks
      task start GOAL               Start a task: a workspace of its own, branched from trunk.
      task file GOAL                File a task for later: no owner and no workspace until somebody
                                    claims it.
      task list                     The tasks of the repository, newest first.
      task show [TASK]              One task: state, owner, workspace.
      task path [TASK]              Where the workspace of a task lies, for \`cd "$(av task path T)"\`.

    work
      checkpoint                    Snapshot the task's workspace.
      diff [TASK]                   What a task changed, as a git diff against its base.
      submit                        Ask for a review: snapshots, and wants to know why it changed.
      handoff [-]                   Give the task back, and say what is done, remains, is broken and
                                    open.
      handoff show [TASK]           What the next one on a task needs to know, within a token budget.
      claim TASK                    Make a task yours: one handed off, owned by nobody, or whose owner
                                    fell silent.
      abandon [TASK]                Give a task up for good; its records stay, its last state can be
                                    recovered.

    review
      review list                   The tasks that wait for a review or a merge, oldest first.
      review show [TASK]            What there is to review: the why, what changed, open points, checks.
      review resolve RECORD         Close a point of a review, as who raised it or as the owner of the
                                    task.
      approve [TASK]                Let a task be merged: what you looked at, byte for byte.
      request-changes [TASK]        Send a task back to its owner, and say why.
      attest NAME                   Report that a check ran on the task, and how it ended. av runs
                                    nothing itself.
      merge [TASK]                  Land an approved task on trunk as one commit that says why.
      resolve                       Say that the conflicts of your task are resolved; it is open again.
      undo [TASK]                   Take the last merge back from trunk, when nothing came after it.
      revert [TASK]                 Add a commit to trunk that takes a merged task back.

    why
      record KIND SUMMARY           Keep a why: a decision, a dead end, a note, tied to code.
      log                           The records, newest first.
      why PATH[:SYMBOL|:LINE]       Why this code is as it is: its records, wherever it stood then.

    rules
      convention add GLOB TEXT      Add a rule for the files a glob matches.
      convention list [PATH]        The rules, or those for one path.
      convention retire CONVENTION  Take a rule out of packs; it stays readable.
      convention propose GLOB TEXT  Propose a rule; a human accepts it.
      convention accept CONVENTION  Make a proposed rule count.

    context
      pack [TASK]                   The context pack of a task: what is known, within a token budget.
      expand ID...                  Everything behind an id or a \`path:Symbol\` of a pack.
      receipt RECEIPT               What a pack held, at which tier, and why.
      receipt list                  The receipts, newest first.
      session list                  The sessions that packs were delivered to, the last heard of first.
      session show [SESSION]        What a session was sent and has not lost since.
      session reset [SESSION]       A session lost its context, and all below it: send everything again.
      search WORD...                Search records, code and tasks by words; the best first.

    store
      daemon start                  Start the daemon; every command does so by itself.
      daemon stop                   Stop the daemon of this AV_HOME.
      daemon status                 Whether the daemon runs, and on what.
      daemon logs                   The end of the daemon's log.
      daemon run                    Run the daemon in the foreground.
      migrate                       Bring the store's schema up to date, and say where it is.
      purge ID                      Replace the text of a record, convention or task by a mark, forever.

    people
      demo                          See av at work: a small repository, two agents, each step explained.

    flags of every command
          --json                    Print the result as JSON, for programs.
      -h, --help                    Show help instead.
      -q, --quiet                   Print the result only.
          --no-color                No colours; NO_COLOR does the same.
      -C DIR                        Act as if started in this folder.
          --repo NAME               Which repository, when not the one you stand in.
          --version                 Show the version.

    \`av help COMMAND\` shows one command.
    "
  `)
})

test('one command', () => {
  expect(pageOf('record')).toMatchInlineSnapshot(`
    "Usage: av record KIND SUMMARY [FLAGS]

    Keep a why: a decision, a dead end, a note, tied to code.

    arguments
      KIND                     What it is. One of: intent, decision, attempt, note, handoff, review.
      SUMMARY                  One line, at most 200 characters.

    flags
          --task TASK          On which task.
          --reply-to RECORD    The record it answers.
          --body TEXT|-        The rest of it; - reads it from standard input.
      -a, --at PATH[:SYMBOL]   The code it is about; may be repeated.
          --supersedes RECORD  The record it replaces; may be repeated.
          --receipt RECEIPT    The pack it was written from; the session's last one when left out.
          --allow-missing      Take an anchor whose path or symbol is not there.

    flags of every command
          --json               Print the result as JSON, for programs.
      -h, --help               Show help instead.
      -q, --quiet              Print the result only.
          --no-color           No colours; NO_COLOR does the same.
      -C DIR                   Act as if started in this folder.
          --repo NAME          Which repository, when not the one you stand in.
    "
  `)
})

test('a step of a task says where it leads, by the table that judges it', () => {
  expect(pageOf('merge')).toContain(`
what becomes of the task
  in_review -> merged      When it is approved.
  in_review -> conflicted  When it conflicts with trunk.
`)
  expect(pageOf('abandon')).toContain('\n  open, handed_off, in_review, conflicted -> abandoned\n')
  expect(pageOf('task list')).not.toContain('what becomes')
})

test('the commands that begin with one word', () => {
  expect(helpPage({ kind: 'group', word: 'convention' }, null)).toMatchInlineSnapshot(`
    "Usage: av convention COMMAND [ARGUMENTS] [FLAGS]

    commands
      convention add GLOB TEXT      Add a rule for the files a glob matches.
      convention list [PATH]        The rules, or those for one path.
      convention retire CONVENTION  Take a rule out of packs; it stays readable.
      convention propose GLOB TEXT  Propose a rule; a human accepts it.
      convention accept CONVENTION  Make a proposed rule count.

    flags of every command
          --json                    Print the result as JSON, for programs.
      -h, --help                    Show help instead.
      -q, --quiet                   Print the result only.
          --no-color                No colours; NO_COLOR does the same.
      -C DIR                        Act as if started in this folder.
          --repo NAME               Which repository, when not the one you stand in.
    "
  `)
})

test('on a narrow terminal', () => {
  expect(pageOf('pack', 60)).toMatchInlineSnapshot(`
    "Usage: av pack [TASK] [FLAGS]

    The context pack of a task: what is known, within a token
    budget.

    arguments
      [TASK]                 The task; the workspace's own when
                             left out.

    flags
      -f, --focus FOCUS      A path, symbol or words to look at
                             first; may be repeated.
      -b, --budget TOKENS    Tokens the pack may take at most.
                             Default: 800.
          --session SESSION  The session the pack is for;
                             AV_SESSION when left out.
          --fresh            Send what this session was sent
                             before once more.
          --explain          Say where the rank of each line
                             came from.

    flags of every command
          --json             Print the result as JSON, for
                             programs.
      -h, --help             Show help instead.
      -q, --quiet            Print the result only.
          --no-color         No colours; NO_COLOR does the same.
      -C DIR                 Act as if started in this folder.
          --repo NAME        Which repository, when not the one
                             you stand in.
    "
  `)
})

describe('every page', () => {
  for (const columns of [null, 200, 100, 72]) {
    test(`fits ${columns ?? 'no terminal'}`, () => {
      const widest = Math.min(columns ?? 100, 100)
      for (const topic of TOPICS) {
        for (const line of helpPage(topic, columns).split('\n')) {
          expect([line, line.length <= widest]).toEqual([line, true])
        }
      }
    })
  }

  test('is plain text that ends in one newline', () => {
    for (const topic of TOPICS) expect(helpPage(topic, null)).toMatch(/^[\x20-\x7e\n]*[^\n]\n$/)
  })
})

test('the first page names every command, and a page of its own each parameter', () => {
  const all = helpPage({ kind: 'all' }, null)
  for (const { words, row } of COMMANDS) {
    expect(all).toContain(`\n  ${words} `)
    const page = pageOf(words)
    for (const { forms, value, description } of parametersOf(row)) {
      expect(page).toContain(forms.at(-1) ?? value ?? '')
      expect(description.length).toBeGreaterThan(4)
    }
  }
})
