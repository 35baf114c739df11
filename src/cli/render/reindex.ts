import type { ReindexView } from '../../api/reindex-view.ts'
import type { IndexDifference } from '../../domain/index-check.ts'
import { visibleLine } from '../visible.ts'
import { byteCount, counted, facts } from './lines.ts'
import type { Rendered } from './page.ts'

export const reindexRenderers = {
  reindex: (view: ReindexView): Rendered => ({
    out: `${view.checked ? checkedLine(view) : rebuiltLine(view)}${rows(view)}`,
    ...(view.differences.length > 0 && {
      talk: '`av reindex` builds all of it anew.\n',
    }),
  }),
} as const

function rebuiltLine({ files, bytes, dropped }: ReindexView): string {
  return `rebuilt from ${counted(files, 'file')} (${byteCount(bytes)}), ${counted(dropped, 'old entry', 'old entries')} deleted first\n`
}

function checkedLine({ files, bytes, differences }: ReindexView): string {
  const result = differences.length === 0 ? 'all as it should be' : 'not all as it should be'
  return `${counted(files, 'file')} compared (${byteCount(bytes)}), ${result}\n`
}

function rows(view: ReindexView): string {
  const { symbols, records, unparsable, leftOut, asText, pending, unseen, differences } = view
  return facts([
    ['in memory', `${counted(symbols, 'symbol')}, ${counted(records, 'record')}`],
    ['as text', `${unparsable} that a grammar failed on`],
    ...asText.map((path) => ['', visibleLine(path)] as const),
    ['left out', `${leftOut} that are binary, generated or minified`],
    ...(pending === 0 ? [] : [['not yet', `${pending} that are read when first needed`] as const]),
    ...(unseen === 0 ? [] : [['not seen', `${unseen} of code that is not at hand`] as const]),
    ...differences.flatMap(differenceRows),
  ])
}

function differenceRows(difference: IndexDifference): (readonly [string, string])[] {
  const { part, missing, different, leftOver, examples } = difference
  return [
    [part, `${missing} missing, ${different} different, ${leftOver} left over`],
    ...examples.map((example) => ['', visibleLine(example)] as const),
  ]
}
