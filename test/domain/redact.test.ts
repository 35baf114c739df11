import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { redact, redactLines } from '../../src/domain/redact.ts'

/** Put together here so that no scanner takes this file for a leak. */
const secrets: Readonly<Record<string, string>> = {
  'aws-key': `AKIA${'IOSFODNN7EXAMPL3'}`,
  'github-token': `ghp_${'a1B2'.repeat(9)}`,
  'anthropic-key': `sk-ant-${'api03-Zz9'.repeat(4)}`,
  'openai-key': `sk-proj-${'Zz9_'.repeat(8)}`,
  'slack-token': `xoxb-${'123456789012-abcdef'}`,
  'npm-token': `npm_${'aB3d'.repeat(9)}`,
  jwt: `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxMjM0In0'}.${'c2lnbmF0dXJl'}`,
  'private-key': `-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----`,
}

describe('redact', () => {
  for (const [name, secret] of Object.entries(secrets)) {
    test(`takes out a ${name}`, () => {
      expect(redact(`before ${secret} after`)).toEqual({
        text: `before [redacted:${name}] after`,
        count: 1,
      })
    })
  }

  test('keeps what surrounds a password in an address', () => {
    expect(redact('postgres://av:hunter2@db.example/av').text).toBe(
      'postgres://av:[redacted:url-password]@db.example/av',
    )
  })

  test('takes out an assigned secret, whatever the notation', () => {
    expect(redact('API_KEY="f3Xq9Lm2Pw7Zt1Bv"').text).toBe('API_KEY="[redacted:secret]"')
    expect(redact('password: Tr0ub4dor&3').text).toBe('password: [redacted:secret]')
    expect(redact('"client_secret": "0a1b2c3d4e5f6a7b8c9d"').text).toBe(
      '"client_secret": "[redacted:secret]"',
    )
  })

  test.each([
    'the token budget is 800',
    'const token = tokens.next()',
    'password: string',
    'secret = process.env.SECRET_KEY_2',
    'tokenizer: o200k_base',
    'accessToken: AccessTokenV2Response',
    'DiffTokenType::Matching and SecretKind::Private2',
    'if (token == otherToken2Value)',
    'sk-learn and risk-free',
    'see https://example.com:8080/a@b',
    'commit 28a9c128912de19f3fb28b00ae289c9b93f6f392',
  ])('leaves alone: %s', (text) => {
    expect(redact(text)).toEqual({ text, count: 0 })
  })

  test('is done after one pass: its own marks are never taken for secrets', () => {
    const words = fc.constantFrom(
      ...Object.values(secrets),
      'token=',
      'password: ',
      ' and ',
      '\n',
      'x',
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const once = redact(parts.join(''))
        expect(redact(once.text)).toEqual({ text: once.text, count: 0 })
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  test('of a file, every line stays where it was', () => {
    const file = `a\n${secrets['private-key']}\nb ghp_${'a1B2'.repeat(9)}\nc`
    const { text, count } = redactLines(file)
    expect(count).toBe(2)
    expect(text.split('\n')).toEqual([
      'a',
      '[redacted:private-key]',
      ...['', '', ''],
      'b [redacted:github-token]',
      'c',
    ])
  })

  test('a megabyte of almost-secrets is read in linear time', () => {
    const hostile = 'a://'.repeat(50_000) + 'token='.repeat(50_000) + 'eyJ'.repeat(50_000)
    expect(redact(hostile).text.length).toBeGreaterThan(0)
  })
})
