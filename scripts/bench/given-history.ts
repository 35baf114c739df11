import { resolve } from 'node:path'
import { History } from './history.ts'

/** The history that `--repo` names; ends the process, with the reason, where there is none. */
export async function givenHistory(bench: string, repo: string | undefined): Promise<History> {
  const history = repo === undefined ? null : await History.open(resolve(repo))
  if (history !== null) return history
  const why = repo === undefined ? 'no --repo DIR given' : `${repo} is no git repository`
  process.stderr.write(`${bench}: skipped: ${why}\n`)
  process.exit(repo === undefined ? 2 : 0)
}
