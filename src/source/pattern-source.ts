import type { Language } from 'web-tree-sitter'

/** A node to find: of one type, or any that has a name; with what must stand in it, in order. */
export type NodePattern = {
  /** The grammar's number of the type; null for `(_)`. */
  readonly symbol: number | null
  readonly steps: readonly Step[]
  readonly captures: readonly string[]
}

/** A child that must be there, or may (`?`): one of some. */
export type Step = {
  /** The grammar's number of the field it stands in; 0: anywhere. */
  readonly field: number
  readonly any: readonly NodePattern[]
  readonly optional: boolean
  /** Whether something in it is captured: then every child that fits is a match of its own. */
  readonly captures: boolean
}

/** `(#match? @capture "…")`, or `not-match?`. */
export type TextTest = {
  readonly capture: string
  readonly pattern: RegExp
  readonly expected: boolean
}

export type Pattern = {
  /** Its place among all. */
  readonly index: number
  readonly root: NodePattern & { readonly symbol: number }
  readonly tests: readonly TextTest[]
}

/**
 * Reads what `queries/` uses of tree-sitter's query language: nodes, fields, `[…]`, `"…"`, `(_)`, `?`, captures,
 * `#match?` and `#not-match?`. Throws where a query holds anything else, or what the grammar does not know.
 */
export function readPatterns(query: string, language: Language): readonly Pattern[] {
  return new Reader(query, language).patterns()
}

const TOKEN = /;[^\n]*|\s+|"((?:\\.|[^"\\])*)"|#[\w-]+\?|@[\w.-]+|[\w.]+:?|[()[\]?]/y

class Reader {
  private readonly tokens: string[] = []
  private at = 0
  private tests: TextTest[] = []

  constructor(
    query: string,
    private readonly language: Language,
  ) {
    TOKEN.lastIndex = 0
    while (TOKEN.lastIndex < query.length) {
      const start = TOKEN.lastIndex
      const [token] = TOKEN.exec(query) ?? fail(query.slice(start, start + 40))
      if (!/^[;\s]/.test(token)) this.tokens.push(token)
    }
  }

  patterns(): readonly Pattern[] {
    const out: Pattern[] = []
    while (this.at < this.tokens.length) {
      this.tests = []
      const [root, ...others] = this.step().any
      if (root === undefined || root.symbol === null || others.length > 0) fail('several roots')
      out.push({ index: out.length, root: { ...root, symbol: root.symbol }, tests: this.tests })
    }
    return out
  }

  private step(): Step {
    const field = this.peek().endsWith(':') ? this.field() : 0
    const any = this.alternatives()
    const optional = this.skip('?')
    const captures: string[] = []
    while (this.peek().startsWith('@')) captures.push(this.next().slice(1))
    const named = any.map((each) => ({ ...each, captures: [...each.captures, ...captures] }))
    return { field, any: named, optional, captures: named.some(holdsCapture) }
  }

  private alternatives(): readonly NodePattern[] {
    if (this.skip('[')) {
      const any: NodePattern[] = []
      while (!this.skip(']')) any.push(...this.alternatives())
      return any
    }
    if (this.peek().startsWith('"')) return [this.leaf(JSON.parse(this.next()), false)]
    this.expect('(')
    // A group is there to hold a test beside a node.
    return this.peek() === '(' ? this.group() : [this.node()]
  }

  private node(): NodePattern {
    const { symbol } = this.leaf(this.next(), true)
    const steps: Step[] = []
    while (!this.skip(')')) {
      if (!this.skipTest()) steps.push(this.step())
    }
    return { symbol, steps, captures: [] }
  }

  private group(): readonly NodePattern[] {
    const { any } = this.step()
    while (!this.skip(')')) if (!this.skipTest()) fail('a group of several nodes')
    return any
  }

  private leaf(type: string, named: boolean): NodePattern {
    const steps = [] as const
    if (type === '_') return { symbol: null, steps, captures: [] }
    const symbol = this.language.idForNodeType(type, named) ?? fail(`no node ${type}`)
    return { symbol, steps, captures: [] }
  }

  private field(): number {
    const name = this.next().slice(0, -1)
    return this.language.fieldIdForName(name) ?? fail(`no field ${name}`)
  }

  private skipTest(): boolean {
    const word = this.tokens[this.at + 1] ?? ''
    if (this.peek() !== '(' || !word.startsWith('#')) return false
    if (word !== '#match?' && word !== '#not-match?') fail(word)
    this.at += 2
    const capture = this.next().slice(1)
    const pattern = new RegExp(JSON.parse(this.next()))
    this.tests.push({ capture, pattern, expected: word === '#match?' })
    this.expect(')')
    return true
  }

  private peek(): string {
    return this.tokens[this.at] ?? ''
  }

  private next(): string {
    return this.tokens[this.at++] ?? fail('its end')
  }

  private skip(token: string): boolean {
    if (this.peek() !== token) return false
    this.at++
    return true
  }

  private expect(token: string): void {
    if (!this.skip(token)) fail(`${this.peek()}, not ${token}`)
  }
}

function holdsCapture({ captures, steps }: NodePattern): boolean {
  return captures.length > 0 || steps.some((step) => step.captures)
}

function fail(what: string): never {
  throw new Error(`a query for definitions holds what is not understood: ${what}`)
}
