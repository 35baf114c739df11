import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../domain/fault.ts'
import { nearest } from '../domain/nearest.ts'

/** What a team shares in `.av.toml` at the repository's root. */
export type ProjectFile = {
  /** Name of the trunk branch; null where the file does not say. */
  readonly trunk: string | null
  readonly warnings: readonly string[]
}

const FILE = '.av.toml'
const BYTES_MAX = 64 * 1024
const KEYS = ['trunk'] as const

/**
 * Reads the project's file. It is repository content: it may name things, and nothing it says runs.
 * @throws Fault `bad_input` when it is no TOML, or says something else than a name
 */
export async function readProjectFile(root: string): Promise<ProjectFile> {
  const path = join(root, FILE)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) return { trunk: null, warnings: [] }
  if (stat.size > BYTES_MAX)
    throw unreadable(`it has ${stat.size} bytes, the limit is ${BYTES_MAX}`)
  const table = await parsed(readFileSync(path, 'utf8'))
  const { trunk = null } = table
  if (trunk !== null && typeof trunk !== 'string') throw unreadable('trunk is not a name')
  const strange = Object.keys(table).filter((key) => !(KEYS as readonly string[]).includes(key))
  return {
    trunk,
    warnings: strange.map(
      (key) =>
        `${FILE} has an unknown key ${JSON.stringify(key)}; the nearest one is ${nearest(key, KEYS)}.`,
    ),
  }
}

/** The library is loaded only where there is a file. */
async function parsed(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch (thrown) {
    throw unreadable(thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : '')
  }
}

function unreadable(why: string): Fault {
  return new Fault('bad_input', `${FILE} cannot be read: ${why}.`, 'Mend it, or move it away.', {
    detail: { reason: 'bad_project_file' },
  })
}
