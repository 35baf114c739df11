import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Actor, type Machine, MEI, type Ran } from '../support/machine.ts'
import { edit } from '../workspace/sandbox.ts'

/** What a command said and how it ended; of a refusal `err` has the words. */
export type Said = Ran & {
  /** Both outputs, with what differs from run to run replaced by its name. */
  readonly text: string
}

/** Somebody at a prompt: types `av` commands as one types them, and reads what they print. */
export class Terminal {
  /** @param cwd where they stand */
  constructor(
    private readonly machine: Machine,
    private readonly actor: Actor,
    public cwd: string,
  ) {}

  /** Runs `av` with the words of a line; `"…"` keeps words together. */
  async types(line: string, cwd = this.cwd): Promise<Said> {
    const ran = await this.machine.run(wordsOf(line), { cwd, as: this.actor })
    return { ...ran, text: masked(`${ran.out}${ran.err}`) }
  }

  /** The same of a command that must succeed: what it printed. */
  async does(line: string, cwd = this.cwd): Promise<string> {
    const { code, text } = await this.types(line, cwd)
    if (code !== 0) throw new Error(`av ${line}: exit ${code}\n${text}`)
    return text
  }

  /** The same of a command that must be refused: its exit code, and what it said. */
  async fails(line: string, cwd = this.cwd): Promise<readonly [code: number, text: string]> {
    const { code, text } = await this.types(line, cwd)
    if (code === 0) throw new Error(`av ${line}: was not refused\n${text}`)
    return [code, text]
  }

  /** Goes to the workspace of a task, as `cd "$(av task path TASK)"` does. */
  async goesTo(task: string): Promise<string> {
    this.cwd = (await this.machine.text(['task', 'path', task], this.here)).trim()
    return this.cwd
  }

  private get here() {
    return { cwd: this.cwd, as: this.actor }
  }
}

/** A person at their own clone. */
export const person = (machine: Machine, root: string): Terminal => new Terminal(machine, MEI, root)

export function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

/** Edits a file as somebody does who knows what stands in it. */
export function replace(folder: string, path: string, from: string, to: string): void {
  const text = read(folder, path)
  if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`)
  edit(folder, { [path]: text.replace(from, to) })
}

function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/s, '$1'))
}

function masked(text: string): string {
  return text
    .replace(/\b[0-9a-f]{40}\b|\b[0-9a-f]{12}\b/g, 'COMMIT')
    .replace(/\br:[0-9a-f]{8,}/g, 'r:ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'THEN')
    .replace(/just now|in a moment|\d+ (?:second|minute)s? ago/g, 'NOW')
}
