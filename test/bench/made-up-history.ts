import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A small git repository whose commits are a minute apart. */
export class MadeUpHistory {
  readonly folder = mkdtempSync(join(tmpdir(), 'av-history-'))
  private seconds = Date.UTC(2026, 0, 1) / 1_000

  constructor() {
    this.git(['init', '--quiet', '--initial-branch=main'])
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  /** All that was written since the last one. */
  commit(message: string): void {
    this.seconds += 60
    this.git(['add', '.'])
    this.git(['commit', '--quiet', '-m', message])
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private git(args: readonly string[]): void {
    const date = `${this.seconds} +0000`
    const { exitCode, stderr } = Bun.spawnSync(['git', '-C', this.folder, ...args], {
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: this.folder, GIT_CONFIG_NOSYSTEM: '1' },
        ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b.test', GIT_AUTHOR_DATE: date },
        ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b.test', GIT_COMMITTER_DATE: date },
      },
    })
    if (exitCode !== 0) throw new Error(stderr.toString())
  }
}

/** Two functions, the first of which counts from a number. */
export function moduleOf(subject: string, from: number): string {
  return [
    `/** Counts each ${subject}. */`,
    `export function count_${subject}(items: readonly string[]): number {`,
    `  return items.length + ${from}`,
    '}',
    '',
    `export function name_${subject}(): string {`,
    `  return '${subject}'`,
    '}',
    '',
  ].join('\n')
}
