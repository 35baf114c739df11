import type { BenchCase, Shown } from '../bench/contender.ts'

/** What a pack's text names, as the benchmark reads it. */
export function shownBy(
  text: string,
  { view }: BenchCase,
  countTokens: (text: string) => number,
): Shown {
  const files = new Set<string>()
  const elsewhere: string[] = []
  const symbols = new Set<string>()
  let [section, file, folder] = ['', '', '']
  for (const line of text.split('\n')) {
    const at = /^L(\d+)(?:-\d+)? /.exec(line)
    if (line.startsWith('## ')) section = line.slice(3)
    else if (section !== 'Code') {
      if (section !== 'Task') elsewhere.push(...(line.match(/[\w./@+-]+/g) ?? []))
    } else if (line.startsWith('- ') && line.endsWith('/ also:')) folder = line.slice(2, -6)
    else if (/^[-+] /.test(line)) {
      file = (line.startsWith('+') ? folder : '') + line.slice(2)
      files.add(file)
    } else if (at !== null) symbols.add(`${file}\0${at[1]}`)
  }
  for (const word of elsewhere) if (view.byPath.has(word)) files.add(word)
  return { files: [...files], symbols, tokens: countTokens(text) }
}
