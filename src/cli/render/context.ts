import type { Output } from '../../api/routes.ts'
import type { PackView, ReceiptView } from '../../api/views.ts'
import { visible, visibleLine } from '../visible.ts'
import { ago, id, largerLimit, moreLine } from './lines.ts'
import type { Page, Rendered } from './page.ts'

export const contextRenderers = {
  /** Exactly the text: what an agent reads is what was counted. The explanation goes beside it. */
  pack: ({ text, explanation }: PackView): Rendered => ({
    out: text,
    ...(explanation !== null && { beside: ended(visible(explanation)) }),
  }),
  expand: ({ items }: Output<'expand'>, page: Page): Rendered => ({
    out: items.map(({ text }) => ended(page.isTty ? visible(text) : text)).join('\n'),
  }),
  receipt: (receipt: ReceiptView, page: Page): Rendered => ({
    out: `${receiptLine(receipt, page)}${ended(
      visible(receipt.explanation ?? JSON.stringify(receipt.manifest, null, 2)),
    )}`,
  }),
  'receipt.list': (list: Output<'receipt.list'>, page: Page): Rendered => ({
    out: `${list.items.map((item) => receiptLine(item, page)).join('')}${moreLine(list, page, largerLimit(list))}`,
    ...(list.items.length === 0 && { talk: 'No receipts. `av pack` makes one.\n' }),
  }),
} as const

function receiptLine(receipt: Output<'receipt.list'>['items'][number], page: Page): string {
  return `${id(receipt.id, page)} ${visibleLine(receipt.task)}, ${ago(receipt.at, page)}\n`
}

/** With exactly the newline it needs. */
const ended = (text: string): string => (text.endsWith('\n') || text === '' ? text : `${text}\n`)
