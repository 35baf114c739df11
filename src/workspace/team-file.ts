import type { BlobId } from '../domain/code.ts'
import type { CommitId } from '../domain/repo.ts'
import {
  badTeamFile,
  NO_TEAM_FILE,
  TEAM_FILE,
  type TeamFile,
  teamFileOfTable,
} from '../domain/team-file.ts'
import { readBlobs } from './blobs.ts'
import { type Clone, storeGit } from './clone.ts'
import { git, splitNul } from './git.ts'
import type { Host } from './host.ts'

/**
 * What a team decided, as trunk's commit in the store has it: nobody else's version counts, so that
 * a task cannot loosen the rules it is merged by. Without a commit or a file, nothing is decided.
 * Faults with `bad_input`, reason `bad_project_file`, as `readTeamFile` does, and for a link.
 */
export async function teamFileOf(
  host: Host,
  clone: Clone,
  trunk: CommitId | null,
): Promise<TeamFile> {
  if (trunk === null) return NO_TEAM_FILE
  const store = { gitDir: storeGit(clone) }
  const args = ['ls-tree', '-z', '-l', '--full-tree', trunk, '--', TEAM_FILE]
  const [entry] = splitNul((await git(host, store, args)).stdout)
  if (entry === undefined) return NO_TEAM_FILE
  const [mode = '', , blob = '', size = ''] = entry.toString('latin1').split(/[ \t]+/)
  if (!/^100[0-7]{3}$/.test(mode)) throw notAFile()
  refuseLarge(Number(size))
  for await (const { bytes } of readBlobs(host, store, [blob as BlobId], TEAM_FILE_BYTES_MAX)) {
    if (bytes !== null) return await readTeamFile(bytes)
  }
  throw badTeamFile('git does not have its content')
}

const TEAM_FILE_BYTES_MAX = 64 * 1024

/** What the text or bytes of the file say. Faults with `bad_input`, reason `bad_project_file`. */
export async function readTeamFile(content: string | Uint8Array): Promise<TeamFile> {
  const bytes = Buffer.from(content)
  refuseLarge(bytes.length)
  return teamFileOfTable(await parsed(decoded(bytes)))
}

/** Said before a file is read that may be of any size. */
export function refuseLarge(size: number): void {
  if (size <= TEAM_FILE_BYTES_MAX) return
  throw badTeamFile(`it has ${size} bytes, the limit is ${TEAM_FILE_BYTES_MAX}`)
}

export function notAFile() {
  return badTeamFile('it is a link or a folder, not a file')
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badTeamFile('it is not UTF-8')
  }
}

/** The library is loaded only where there is a file. */
async function parsed(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch (thrown) {
    throw badTeamFile(thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : '')
  }
}
