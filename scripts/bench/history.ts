/** Reads a local git history for the benchmark. Never writes, never runs what it finds. */
export class History {
  private constructor(private readonly gitDir: string) {}

  /** `dir`: a working copy, a bare repository or a mirror. Null when it is none of these. */
  static async open(dir: string): Promise<History | null> {
    for (const gitDir of [`${dir}/.git`, dir]) {
      const history = new History(gitDir)
      const head = await history.tryGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
      if (head !== null) return history
    }
    return null
  }

  /** The newest `max` commits that are no merges, newest first, with the files each changed. */
  async commits(max: number): Promise<readonly Commit[]> {
    const format = '--format=%x01%H%x02%P%x02%ct%x02%s%x02%B%x03'
    const text = await this.git([
      'log',
      '--no-merges',
      `-n${max}`,
      format,
      '--name-status',
      '--no-renames',
      '-z',
    ])
    return text.split('\u0001').slice(1).map(readCommit)
  }

  /** Regular files of a commit's tree. */
  async tree(commit: string): Promise<readonly { readonly path: string; readonly blob: string }[]> {
    const text = await this.git(['ls-tree', '-r', '-z', commit])
    const files: { path: string; blob: string }[] = []
    for (const row of text.split('\0')) {
      const [head, path] = row.split('\t')
      const [mode, , blob] = (head ?? '').split(' ')
      if (path !== undefined && mode?.startsWith('100')) files.push({ path, blob: blob! })
    }
    return files
  }

  /** The old line ranges of each hunk, by path; inclusive, 1-based. */
  async oldRanges(
    parent: string,
    commit: string,
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LineRange[]>> {
    const ranges = new Map<string, LineRange[]>()
    for (const path of paths) {
      const diff = await this.git(['diff', '-U0', '--no-ext-diff', parent, commit, '--', path])
      ranges.set(
        path,
        readHunks(diff).map(({ before }) => before),
      )
    }
    return ranges
  }

  /** What each of the newest `max` commits did to its files, by commit id. */
  async changes(max: number): Promise<ReadonlyMap<string, readonly FileChange[]>> {
    const text = await this.git([
      ...['log', '--no-merges', `-n${max}`, '--format=commit %H'],
      ...['-p', '-U0', '--no-renames', '--no-ext-diff', '--no-textconv', '--full-index'],
    ])
    return new Map(
      text
        .split(/^commit (?=[0-9a-f]{40}$)/m)
        .slice(1)
        .map(readChanges),
    )
  }

  /** Contents in the order asked for; null for what the clone does not hold. */
  async *blobs(ids: readonly string[]): AsyncGenerator<Uint8Array | null> {
    const process = Bun.spawn(['git', `--git-dir=${this.gitDir}`, 'cat-file', '--batch'], {
      stdin: new Blob([ids.map((id) => `${id}\n`).join('')]),
      stdout: 'pipe',
      stderr: 'ignore',
      env: QUIET_GIT,
    })
    const input = new Bytes(process.stdout)
    for (const _ of ids) {
      const header = (await input.line()).split(' ')
      if (header[1] === 'missing') {
        yield null
        continue
      }
      const content = await input.take(Number(header[2]))
      await input.take(1)
      yield content
    }
    await process.exited
  }

  private async git(args: readonly string[]): Promise<string> {
    const text = await this.tryGit(args)
    if (text === null) throw new Error(`git ${args[0]} failed in ${this.gitDir}`)
    return text
  }

  private async tryGit(args: readonly string[]): Promise<string | null> {
    const process = Bun.spawn(
      ['git', `--git-dir=${this.gitDir}`, '-c', 'core.quotepath=off', ...args],
      { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore', env: QUIET_GIT },
    )
    const text = await new Response(process.stdout).text()
    return (await process.exited) === 0 ? text : null
  }
}

export type Commit = {
  readonly id: string
  readonly parents: readonly string[]
  readonly time: number
  readonly subject: string
  readonly message: string
  readonly files: readonly { readonly status: string; readonly path: string }[]
}

/** Lines are 1-based and inclusive. `before`, `after`: blobs; null where there is no file. */
export type FileChange = {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  readonly hunks: readonly { readonly before: LineRange; readonly after: LineRange }[]
}
export type LineRange = readonly [from: number, to: number]

const QUIET_GIT = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C.UTF-8',
}

function readCommit(text: string): Commit {
  const [head, tail] = text.split('\u0003')
  const [id, parents, time, subject, message] = head!.split('\u0002')
  const fields = (tail ?? '').split('\0').filter((field) => field.trim() !== '')
  const files: { status: string; path: string }[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    files.push({ status: fields[i]!.trim().slice(0, 1), path: fields[i + 1]! })
  }
  return {
    id: id!,
    parents: parents === '' ? [] : parents!.split(' '),
    time: Number(time),
    subject: subject!,
    message: message ?? '',
    files,
  }
}

/** A file whose path git has to quote is left out. */
function readChanges(text: string): readonly [string, readonly FileChange[]] {
  const [head, ...files] = text.split(/^diff --git /m)
  const changes = files.flatMap((file): FileChange[] => {
    const path = /^a\/(.*) b\/\1$/m.exec(file)?.[1]
    const blobs = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/m.exec(file)
    if (path === undefined || blobs === null) return []
    const blobOf = (id: string) => (/^0+$/.test(id) ? null : id)
    return [{ path, before: blobOf(blobs[1]!), after: blobOf(blobs[2]!), hunks: readHunks(file) }]
  })
  return [head!.trim(), changes]
}

function readHunks(diff: string): FileChange['hunks'] {
  const rangeOf = (from: string, count: string | undefined): LineRange => [
    Number(from),
    Number(from) + Math.max(1, Number(count ?? 1)) - 1,
  ]
  const hunks = diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)
  return [...hunks].map(([, from, count, to, newCount]) => ({
    before: rangeOf(from!, count),
    after: rangeOf(to!, newCount),
  }))
}

/** A byte stream read line by line or by count. */
class Bytes {
  private readonly chunks: AsyncIterator<Uint8Array>
  private held: Uint8Array = new Uint8Array(0)

  constructor(stream: ReadableStream<Uint8Array>) {
    this.chunks = stream[Symbol.asyncIterator]()
  }

  async line(): Promise<string> {
    let end = this.held.indexOf(10)
    while (end < 0 && (await this.more())) end = this.held.indexOf(10)
    const line = new TextDecoder().decode(this.held.subarray(0, Math.max(0, end)))
    this.held = this.held.subarray(end + 1)
    return line
  }

  async take(count: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    let missing = count
    while (missing > 0) {
      if (this.held.length === 0 && !(await this.more())) throw new Error('git ended early')
      const part = this.held.subarray(0, missing)
      parts.push(part)
      missing -= part.length
      this.held = this.held.subarray(part.length)
    }
    return Buffer.concat(parts)
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.chunks.next()
    if (done === true) return false
    this.held = this.held.length === 0 ? value : Buffer.concat([this.held, value])
    return true
  }
}
