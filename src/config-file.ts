import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from './domain/fault.ts'

export type Table = Readonly<Record<string, unknown>>

const BYTES_MAX = 64 * 1024

/**
 * What a TOML file of ours holds; empty where there is none. The library is loaded only for a file.
 * @throws Fault `bad_input` naming the file, and the line where it is broken
 */
export async function readTable(file: string): Promise<Table> {
  const text = readText(file)
  return text === null ? {} : parseToml(text, file)
}

/**
 * Sets one key, whole or not at all; what else stands in the file stays, comments too.
 * @param unique names the temporary file: two writers at once must not share it
 */
export async function writeKey(
  file: string,
  key: string,
  value: string | number,
  unique: string,
): Promise<void> {
  const before = readText(file) ?? ''
  const text = await replaceKey(before, await parseToml(before, file), key, value)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${unique}`
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, file)
}

/** The new text: the key's own line replaced where that does it, else the whole written anew. */
async function replaceKey(
  text: string,
  table: Table,
  key: string,
  value: string | number,
): Promise<string> {
  const { parse, stringify } = await import('smol-toml')
  const wanted = { ...table, [key]: value }
  const row = stringify({ [key]: value })
  const own = new RegExp(`^[ \\t]*${key}[ \\t]*=.*(?:\\n|$)`, 'm')
  const edited = own.test(text) ? text.replace(own, () => row) : `${row}${text}`
  try {
    if (Bun.deepEquals(parse(edited), wanted)) return edited
  } catch {
    // The value ran over several lines, and only the first was replaced.
  }
  return stringify(wanted)
}

function readText(file: string): string | null {
  try {
    if (statSync(file).size <= BYTES_MAX) return readFileSync(file, 'utf8')
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Fault('bad_input', `${file} cannot be read (${code}).`, 'Make it readable for you.')
  }
  throw new Fault('bad_input', `${file} is longer than ${BYTES_MAX} bytes.`, 'Make it shorter.')
}

async function parseToml(text: string, file: string): Promise<Table> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return parse(text)
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    const [reason] = thrown.message.split('\n')
    throw new Fault(
      'bad_input',
      `${file}, line ${thrown.line}: ${reason}`,
      'Correct the file; it is TOML, like: lease_secs = 600',
      { detail: { reason: 'bad_toml', file, line: thrown.line } },
    )
  }
}
