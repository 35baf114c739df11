/** A parse worker that ends, hangs, throws or lacks a grammar where a file's path says so; else it parses. */
import { existsSync, writeFileSync } from 'node:fs'
import { parseFile, type SourceFile } from '../../src/source/parse-file.ts'

declare const self: Worker

let turn: Promise<void> = Promise.resolve()

self.onmessage = (event: MessageEvent<SourceFile>) => {
  turn = turn.then(() => answer(event.data))
}

async function answer(file: SourceFile): Promise<void> {
  if (file.path.startsWith('ends/')) process.exit(1)
  if (file.path.startsWith('hangs/')) for (;;);
  if (file.path.startsWith('throws/')) {
    self.postMessage({ ok: false, message: 'Aborted()', isFilesFault: true })
    return
  }
  if (file.path.startsWith('grammarless/')) {
    self.postMessage({ ok: false, message: 'no such file', isFilesFault: false })
    return
  }
  if (file.path.startsWith('ends-once/')) {
    // The content names a file that remembers the first time.
    const flag = new TextDecoder().decode(file.bytes).split('\n')[0]!.slice('# '.length)
    if (!existsSync(flag)) {
      writeFileSync(flag, '')
      process.exit(1)
    }
  }
  self.postMessage({ ok: true, result: await parseFile(file) })
}

self.postMessage(null)
