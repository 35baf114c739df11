/** What a run of the test suite came to. */
export type Tally = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** One line for each failure: the file, the test's name, the first line of what went wrong. */
  readonly failures: readonly string[]
  /** The test files that ran, as the report names them. */
  readonly files: readonly string[]
}

/** Reads the JUnit report that `bun test --reporter=junit` writes. */
export function readJunit(xml: string): Tally {
  const cases = [...xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)]
  const failures: string[] = []
  let skipped = 0
  for (const [, attributes, content = ''] of cases) {
    if (content.includes('<skipped')) skipped++
    const failure = content.match(/<(?:failure|error)\b([^>]*)>/)
    if (!failure) continue
    const name = [attributeOf(attributes!, 'classname'), attributeOf(attributes!, 'name')]
    const reason = attributeOf(failure[1]!, 'message').trim().split('\n')[0]
    failures.push(
      `${attributeOf(attributes!, 'file')}: ${name.filter(Boolean).join(' > ')}: ${reason}`,
    )
  }
  const suites = [...xml.matchAll(/<testsuite ([^>]*)>/g)].map(([, found]) =>
    attributeOf(found!, 'file'),
  )
  return {
    passed: cases.length - failures.length - skipped,
    failed: failures.length,
    skipped,
    failures,
    files: [...new Set(suites)].sort(),
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
}

function attributeOf(attributes: string, name: string): string {
  const value = attributes.match(new RegExp(`(?:^|\\s)${name}="([^"]*)"`))?.[1] ?? ''
  return value.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, entity) => {
    if (decimal) return String.fromCodePoint(Number(decimal))
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16))
    return ENTITIES[entity] ?? whole
  })
}
