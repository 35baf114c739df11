import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Fault } from '../../src/domain/fault.ts'
import { type Handoff, handoffRecord, parseHandoff } from '../../src/domain/handoff.ts'

const NONE: Handoff = { done: [], remaining: [], broken: [], open: [] }

describe('a small Markdown', () => {
  test('with list items of several lines, paragraphs and task marks', () => {
    const markdown = `# DONE
- [x] Sessions are refreshed
  before they expire
- [ ] And closed

  once

## remaining:
The migration
of old rows.

Its tests.
1. one
2) two
lazily
### Broken ###
* nothing
	really
Open questions
==============
+ who?
---
and why?
`
    expect(parseHandoff(markdown)).toEqual({
      done: ['Sessions are refreshed\nbefore they expire', 'And closed\n\nonce'],
      remaining: ['The migration\nof old rows.', 'Its tests.', 'one', 'two\nlazily'],
      broken: ['nothing\n  really'],
      open: ['who?', 'and why?'],
    })
  })

  test.each([
    ['# Open (questions)'],
    ['## Open question'],
    ['###### **Open:**'],
    ['Open\n---'],
    ['\ufeff\n   # open'],
    ['# Open\r\n'],
  ])('%j is the heading of open questions', (heading) => {
    expect(parseHandoff(`${heading}\n- a`)).toEqual({ ...NONE, open: ['a'] })
  })

  test('a heading in a fence or an item is text; one after a fence that stays open is not', () => {
    const fenced = '# Done\n```sh\n# Remaining\n\n  make\n```\n# Broken\n- a\n  # Open\n  b'
    expect(parseHandoff(fenced)).toEqual({
      ...NONE,
      done: ['```sh\n# Remaining\n\n  make\n```'],
      broken: ['a\n# Open\nb'],
    })
    expect(parseHandoff('# Done\n```\na\n# Remaining\nb')).toEqual({
      ...NONE,
      done: ['```\na'],
      remaining: ['b'],
    })
  })

  test('sections met twice are joined, and empty ones are allowed', () => {
    expect(parseHandoff('# Done\na\n# Broken\n# Done\nb')).toEqual({ ...NONE, done: ['a', 'b'] })
  })

  test.each([
    ['', 'empty_handoff', 'The handoff says nothing'],
    ['# Done\n\n-\n- [x]\n', 'empty_handoff', 'The handoff says nothing'],
    ['all fine\n# Done\n- a', 'text_before_heading', '"all fine"'],
    ['# Done\n- a\n## Doing\n- b', 'unknown_heading', '"Doing"'],
    ['# Done\n- a\n#\n- b', 'unknown_heading', '""'],
    [`# Done\n${'a'.repeat(70_000)}`, 'too_long', '70007 bytes'],
  ])('%#: is refused', (markdown, reason, found) => {
    const fault = faultOf(() => parseHandoff(markdown))
    expect({ code: fault.code, reason: fault.detail.reason }).toEqual({ code: 'bad_input', reason })
    expect(fault.message).toContain(found)
  })

  test('many fences that stay open take no long while', () => {
    const lines = Array.from({ length: 9_000 }, (_, at) => `\`\`\`${at % 10}`)
    expect(parseHandoff(`# Done\n${lines.join('\n')}`).done).toEqual([lines.join('\n')])
  })
})

describe('its record', () => {
  test('is told by counts and by what comes next', () => {
    const handoff = { ...NONE, done: ['a', 'b'], broken: ['the\nlogin'], open: ['who?'] }
    expect(handoffRecord(handoff)).toEqual({
      summary: 'Handed off (2 done, 1 broken, 1 open): the login',
      body: '## Done\n\n- a\n- b\n\n## Broken\n\n- the\n  login\n\n## Open questions\n\n- who?\n',
    })
  })

  test('has a summary of one line within its limit', () => {
    const { summary } = handoffRecord({ ...NONE, done: [`a\u2028${'𝒳 '.repeat(300)}`] })
    expect(summary.length).toBeLessThanOrEqual(200)
    expect(summary).toStartWith('Handed off (1 done): a 𝒳 𝒳')
  })

  test.each([
    [NONE, 'empty_handoff'],
    [{ ...NONE, done: [' \n', ''] }, 'empty_handoff'],
    [{ ...NONE, done: ['a\0b'] }, 'not_text'],
    [{ ...NONE, done: ['a'.repeat(20_000)] }, 'body_too_long'],
  ])('%#: is refused', (handoff, reason) => {
    const fault = faultOf(() => handoffRecord(handoff))
    expect({ code: fault.code, reason: fault.detail.reason }).toEqual({ code: 'bad_input', reason })
  })

  test('reads back as the same handoff, whatever its items hold', () => {
    fc.assert(
      fc.property(HANDOFF, (handoff) => {
        const kept = tidied(handoff)
        fc.pre(Object.values(kept).some((items) => items.length > 0))
        const { body } = handoffRecord(handoff)
        expect(parseHandoff(body)).toEqual(kept)
        expect(handoffRecord(parseHandoff(body)).body).toBe(body)
      }),
      { seed: 3, numRuns: 2_000 },
    )
  })
})

const MARKUP = fc.constantFrom(
  ...[
    '# Done',
    '## Remaining',
    '#',
    '- ',
    '* ',
    '+',
    '1. ',
    '2) ',
    '[x] ',
    '[ ]',
    '\\[x]',
    '\\',
    '[',
  ],
  ...[
    '```',
    '~~~',
    '---',
    '===',
    '***',
    '___',
    '> ',
    '    ',
    '  ',
    '\t',
    ' ',
    'Open',
    'a',
    '\u00a0',
  ],
  ...['<!--', '\u2028', '\ufeff', '|'],
)
const BREAK = fc.constantFrom('\n', '\n\n', '\r\n', '\r', '\n\n\n')
const ITEM = fc
  .array(fc.oneof({ weight: 4, arbitrary: MARKUP }, BREAK, fc.string({ unit: 'grapheme' })), {
    maxLength: 12,
  })
  .map((parts) => parts.join('').replaceAll('\0', ''))
const ITEMS = fc.array(ITEM, { maxLength: 4 })
const HANDOFF = fc.record({ done: ITEMS, remaining: ITEMS, broken: ITEMS, open: ITEMS })

function tidied(handoff: Handoff): Handoff {
  const tidy = (items: readonly string[]) =>
    items
      .map((item) =>
        item
          .replace(/\r\n?/g, '\n')
          .replace(/[^\S\n]+(?=\n)/g, '')
          .trim(),
      )
      .filter((item) => item !== '')
  const { done, remaining, broken, open } = handoff
  return { done: tidy(done), remaining: tidy(remaining), broken: tidy(broken), open: tidy(open) }
}

function faultOf(run: () => unknown): Fault {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}
