import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const BLOCK = 512

/**
 * A folder's files and folders, empty ones too, as a tar (ustar) that says nothing of the machine: sorted names, no
 * owner, no times. Paths are relative to the folder and at most 100 bytes.
 */
export async function tarOf(folder: string): Promise<Uint8Array> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => ({
    path: join(entry.parentPath, entry.name).slice(folder.length + 1),
    isFolder: entry.isDirectory(),
  }))
  paths.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  const blocks: Uint8Array[] = []
  for (const { path, isFolder } of paths) {
    if (isFolder) {
      blocks.push(header(`${path}/`, 0, '5'))
    } else {
      const bytes = await readFile(join(folder, path))
      blocks.push(
        header(path, bytes.length, '0'),
        bytes,
        new Uint8Array(-bytes.length & (BLOCK - 1)),
      )
    }
  }
  return Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)])
}

function header(path: string, size: number, type: '0' | '5'): Uint8Array {
  if (Buffer.byteLength(path) > 100) throw new Error(`too long for a tar header: ${path}`)
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(path, 0)
  block.write(octal(type === '5' ? 0o700 : 0o600, 7), 100)
  block.write(octal(0, 7), 108) // owner
  block.write(octal(0, 7), 116) // group
  block.write(octal(size, 11), 124)
  block.write(octal(0, 11), 136) // time
  block.write(' '.repeat(8), 148) // the checksum counts itself as spaces
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)} `, 148)
  return block
}
