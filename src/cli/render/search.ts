import type { FoundItem, SearchView } from '../../api/search-view.ts'
import { prose, visibleLine } from '../visible.ts'
import { id, largerLimit, moreLine } from './lines.ts'
import type { Page, Rendered } from './page.ts'
import { anchorLine } from './why.ts'

export const searchRenderers = {
  search: (found: SearchView, page: Page): Rendered => ({
    out: `${found.items.map((item) => foundText(item, page)).join('')}${moreLine(found, page, largerLimit(found))}`,
    ...(found.items.length === 0 && { talk: 'Nothing was found.\n' }),
    ...(found.degraded.length > 0 && {
      warnings: [
        'The index of the code here is not complete: what was found may not be all. Search again in a moment.',
      ],
    }),
  }),
} as const

function foundText(item: FoundItem, page: Page): string {
  // What became of the code stands beside the anchor it is about.
  const ofAnchors = item.anchors.map(({ mark }) => mark)
  const marks = item.marks.filter((mark) => !ofAnchors.includes(mark))
  const shown = marks.map((mark) => ` (${visibleLine(mark)})`).join('')
  return [
    `${id(item.id, page)} ${headOf(item)}${shown}\n`,
    ...(item.summary === '' ? [] : [`  ${prose(item.summary)}\n`]),
    ...item.anchors.map(anchorLine),
  ].join('')
}

function headOf({ kind, type, path, line, symbol, task }: FoundItem): string {
  switch (kind) {
    case 'record':
      return [type, ...(task === null ? [] : [task])].map(visibleLine).join(', ')
    case 'code': {
      const place = line === null ? `${path}` : `${path}:${line} ${symbol}`
      return `${visibleLine(place)}, ${visibleLine(type)}`
    }
    case 'task':
      return `task, ${visibleLine(type)}`
  }
}
