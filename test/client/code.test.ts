import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Code } from '../../src/client/code.ts'
import type { BlobId } from '../../src/domain/code.ts'
import { adopt, edit, gitRepo, sandbox } from '../workspace/sandbox.ts'

setDefaultTimeout(60_000)
const box = sandbox()
afterAll(() => box.remove())

test('what is read from disk is what was hashed, or nothing', async () => {
  const root = gitRepo(box, { 'a.ts': 'export const a = 1\n' })
  const { clone, trunk } = await adopt(box, root)
  edit(root, { 'same.ts': 'export const same = 1\n', 'moved.ts': 'export const before = 1\n' })
  edit(root, { 'linked.ts': 'export const linked = 1\n' })
  const code = Code.ofCheckout(box.host, clone, root, trunk)
  const { view, changed } = await code.view()
  expect(changed).toEqual(['linked.ts', 'moved.ts', 'same.ts'])

  writeFileSync(join(root, 'moved.ts'), 'export const after = 1\n')
  rmSync(join(root, 'linked.ts'))
  symlinkSync(join(root, 'same.ts'), join(root, 'linked.ts'))
  const files = view.overlay.map(({ path, blob }) => ({ path, blob: blob as BlobId }))
  const read: Record<string, string | null> = {}
  for await (const { path, bytes } of code.contents(files, new Set(changed))) {
    read[path] = bytes === null ? null : Buffer.from(bytes).toString()
  }
  expect(read).toEqual({
    'linked.ts': null,
    'moved.ts': null,
    'same.ts': 'export const same = 1\n',
  })
})
