import { createHash } from 'node:crypto'
import type { Sent } from '../../src/api/routes.ts'
import type { BlobId } from '../../src/domain/code.ts'
import { indexFile } from '../../src/source/file-index.ts'
import type { Office } from './office.ts'

export type File = { readonly path: string; readonly text: string }

export const VERSION = 'v1'
export const TREE = `${'a'.repeat(40)}/${VERSION}`

/** Lists `files` as the tree, and sends what is found in `sent`, in that order. */
export async function send(
  office: Office,
  files: readonly File[],
  sent: readonly File[],
): Promise<void> {
  const { repo } = office
  const entries = files.map((file): [string, string] => [file.path, keyOf(file)])
  await office.call('index.tree', { repo, tree: TREE, offset: 0, entries, last: true })
  await office.call('index.files', { repo, version: VERSION, files: await indexes(sent) })
}

async function indexes(files: readonly File[]): Promise<Sent<'index.files'>['files']> {
  const results = await Promise.all(
    files.map((file) =>
      indexFile({ path: file.path, bytes: Buffer.from(file.text), blob: keyOf(file) as BlobId }),
    ),
  )
  return results.flatMap((result) => (result.kind === 'indexed' ? [result.index] : []))
}

export function keyOf({ path, text }: File): string {
  const hash = createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
  return `${hash}.${path.endsWith('.md') ? 'markdown' : 'typescript'}`
}
