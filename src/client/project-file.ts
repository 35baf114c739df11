import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NO_TEAM_FILE, TEAM_FILE, type TeamFile } from '../domain/team-file.ts'
import { notAFile, readTeamFile, refuseLarge } from '../workspace/team-file.ts'

/**
 * `.av.toml` as it lies in a checkout: for setting a repository up, when there is no store yet to
 * read trunk's version from. Faults with `bad_input`, reason `bad_project_file`.
 */
export async function readProjectFile(root: string): Promise<TeamFile> {
  const path = join(root, TEAM_FILE)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return NO_TEAM_FILE
  if (!stat.isFile()) throw notAFile()
  refuseLarge(stat.size)
  return readTeamFile(readFileSync(path))
}
