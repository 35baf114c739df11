import { createHash } from 'node:crypto'
import type { CallName, Output, Sent } from '../../src/api/routes.ts'
import type { Link } from '../../src/domain/code.ts'
import { nameTerm } from '../../src/domain/packed-file.ts'
import { terms } from '../../src/domain/terms.ts'

export type Call = <N extends CallName>(name: N, input: Sent<N>) => Promise<Output<N>>

type Query = (text: string, values: readonly unknown[]) => Promise<unknown>

const ROWS =
  'jsonb_to_recordset($2::jsonb) as row(position bigint, task text, kind text, summary text, path text)'
const RECORDS = `insert into record
  (repo, id, position, task, kind, summary, body, author, redacted, purged, at)
  select $1, 'r:' || lpad(to_hex(position), 8, '0'), position, task, kind, summary, '', 'bench', 0, false, now() from ${ROWS}`
const ANCHORS = `insert into record_anchor (repo, record, ordinal, path)
  select $1, 'r:' || lpad(to_hex(position), 8, '0'), 0, path from ${ROWS}`
/** Behind what setting up takes. */
const FIRST_POSITION = 1_000
const TASKS = 200

/** So many of the first files are edited, in turn. */
const EDITABLE = 100

type MadeFile = Sent<'index.files'>['files'][number]

/**
 * Seeded words by Zipf's law, put together as files with symbols and as records with anchors. What
 * links add to the files takes its chances from a second seed: all else is the same without.
 */
export class MadeUp {
  private readonly words: string[]
  private state = 7
  private linkState = 8
  private paths: readonly string[] = []
  /** Names that each file defines, and the first files as they are now. */
  private readonly defined: (readonly string[])[] = []
  private readonly editable: MadeFile[] = []

  /** @param linked whether files import from each other and use what they import */
  constructor(
    private readonly files: number,
    private readonly records: number,
    private readonly linked = false,
  ) {
    const syllables = ['ka', 'lo', 'mi', 'ner', 'pos', 'ra', 'su', 'tel', 'vi', 'zon', 'dex', 'fa']
    const word = (n: number): string =>
      n < syllables.length
        ? (syllables[n] ?? '')
        : word(Math.floor(n / 12)) + (syllables[n % 12] ?? '')
    this.words = Array.from({ length: 30_000 }, (_, n) => word(n + 12))
  }

  readonly repo = {
    ...{ name: 'bench', dryRun: false, known: null, folder: 'bench', rootCommits: [], remotes: {} },
    ...{ trunkName: 'main', trunkCommit: null, clone: 'bench' },
  }

  goal(): string {
    return Array.from({ length: 8 }, () => this.word()).join(' ')
  }

  async fill(call: Call, query: Query, repo: string, tree: string): Promise<void> {
    const paths = Array.from({ length: this.files }, (_, n) => this.path(n))
    this.paths = paths
    const blobs = paths.map((path) => createHash('sha1').update(path).digest('hex'))
    const entries = paths.map((path, n): [string, string] => [path, blobs[n] ?? ''])
    await call('index.tree', { repo, tree, offset: 0, entries, last: true })
    for (let from = 0; from < this.files; from += 500) {
      const files = blobs.slice(from, from + 500).map((blob) => this.file(blob))
      await call('index.files', { repo, version: 'bench', files })
    }
    for (let n = 0; n < TASKS; n++) {
      await call('task.start', { goal: this.goal(), id: `task-${n}`, repo, base: null })
    }
    for (let from = 0; from < this.records; from += 5_000) {
      const rows = Array.from({ length: Math.min(5_000, this.records - from) }, (_, n) => ({
        position: from + n + FIRST_POSITION,
        task: `task-${this.number(TASKS)}`,
        kind: n % 5 === 0 ? 'attempt' : 'decision',
        summary: this.goal(),
        path: paths[this.number(this.files)] ?? '',
      }))
      // Straight into the tables: a hundred thousand calls would take longer than what is measured.
      await query(RECORDS, [repo, JSON.stringify(rows)])
      await query(ANCHORS, [repo, JSON.stringify(rows)])
    }
    const end = this.records + FIRST_POSITION
    await query('update repo set position = $2 where id = $1', [repo, end])
    await query('analyze', [])
  }

  /**
   * Edits the next ten of some files as somebody at work does: other words in each, in every third
   * another name for a symbol, in every third other imports.
   */
  edit(round: number): readonly { readonly path: string; readonly file: MadeFile }[] {
    return Array.from({ length: 10 }, (_, at) => {
      const n = (round * 10 + at) % EDITABLE
      const path = this.paths[n] ?? ''
      const old = this.editable[n]
      if (old === undefined) throw new Error(`file ${n} cannot be edited`)
      const blob = createHash('sha1').update(`${path} ${round}`).digest('hex')
      const words = [...new Set([...old.words.slice(5), ...this.someWords(5)])]
      const symbols = old.symbols.map((symbol, at) => ({
        ...symbol,
        name: n % 3 === 1 && at === 0 ? `${symbol.name}Then` : symbol.name,
        words: symbol.words.map((word, place) => (place % 2 === 0 ? word % words.length : word)),
      }))
      const counts = words.map((_, at) => 1 + (at % 5))
      const file = { ...old, blob, words, counts, symbols }
      this.editable[n] = n % 3 === 2 ? this.withLinks(file, n) : file
      return { path, file: this.editable[n] }
    })
  }

  /**
   * The same, but that of the ten two are files that are new, which the third and the sixth import,
   * and two are files that go, each known to a few (`file` null).
   */
  move(round: number): readonly { readonly path: string; readonly file: MadeFile | null }[] {
    const edits = this.edit(round).slice(0, 6)
    const came = [0, 1].map((at) => {
      const path = `src/${this.word()}/${this.word()}-${round}-${at}.ts`
      const blob = createHash('sha1').update(path).digest('hex')
      return { path, file: this.withLinks(this.plainFile(blob), this.files) }
    })
    const importing = edits.map(({ path, file }, at) => {
      const target = at % 3 === 2 ? came[(at - 2) / 3] : undefined
      if (target === undefined) return { path, file }
      const names = target.file.symbols.slice(0, 2).map(({ name }) => name)
      const link: Link = ['import', `../../${target.path.slice(4, -3)}`, ...names]
      return { path, file: { ...file, links: [...(file.links ?? []), link] } }
    })
    const gone = [0, 1].map((at) => {
      const path = this.paths[(this.files >> 1) + round * 2 + at] ?? ''
      return { path, file: null }
    })
    return [...importing, ...came, ...gone]
  }

  /** 150 words, ten symbols of 30. */
  private file(blob: string): MadeFile {
    const file = this.plainFile(blob)
    const number = this.defined.length
    const made = this.linked ? this.withLinks(file, number) : file
    this.defined.push(made.symbols.map(({ name }) => name))
    if (number < EDITABLE) this.editable.push(made)
    return made
  }

  /** Five imports of two names each, from files made before; some of these are wanted by many. */
  private withLinks(file: MadeFile, number: number): MadeFile {
    const links: Link[] = []
    const words = [...file.words]
    for (let n = 0; n < 5 && number > 0; n++) {
      const target = Math.floor(number * this.linkRandom() ** 3)
      const path = this.paths[target]?.replace(/^src\//, '../../').replace(/\.ts$/, '') ?? ''
      const of = this.defined[target] ?? []
      const names = [0, 1].map(() => of[Math.floor(this.linkRandom() * of.length)] ?? 'x')
      links.push(['import', path, ...names])
      for (const name of names) words.push(nameTerm(name) ?? 'x')
    }
    const held = [...new Set(words)]
    return { ...file, links, words: held, counts: held.map((_, n) => 1 + (n % 5)) }
  }

  private someWords(count: number): string[] {
    return Array.from({ length: count }, () => terms(this.word())[0] ?? 'x')
  }

  private plainFile(blob: string) {
    const words = [...new Set(this.someWords(190))]
    const symbols = Array.from({ length: 10 }, (_, n) => {
      const line = n * 20 + 1
      const symbol = {
        name: `${this.word()}${n}`,
        kind: 'function' as const,
        line,
        endLine: line + 18,
      }
      const picked = Array.from({ length: 30 }, () => this.number(words.length))
      const counts = [...new Set(picked)].flatMap((at) => [at, 1 + (at % 3)])
      return {
        ...symbol,
        signature: `function ${symbol.name}(${this.word()}: string)`,
        doc: '',
        hash: 'a'.repeat(32),
        words: counts,
      }
    })
    return {
      ...{ blob, language: 'typescript', status: 'parsed' as const, bytes: 6_000, lines: 200 },
      ...{ hash: 'b'.repeat(32), words, counts: words.map((_, n) => 1 + (n % 5)), symbols },
    }
  }

  private path(n: number): string {
    return `src/${this.word()}/${this.word()}/${this.word()}-${n}.ts`
  }

  private word(): string {
    const at = Math.floor(Math.exp(this.random() * Math.log(this.words.length))) - 1
    return this.words[at] ?? 'x'
  }

  private number(below: number): number {
    return Math.floor(this.random() * below)
  }

  private random(): number {
    this.state = next(this.state)
    return this.state / 2 ** 32
  }

  private linkRandom(): number {
    this.linkState = next(this.linkState)
    return this.linkState / 2 ** 32
  }
}

function next(state: number): number {
  return (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
}
