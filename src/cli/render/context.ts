import type { Output } from '../../api/routes.ts'
import type { PackView, ReceiptView, SessionView } from '../../api/views.ts'
import { visible, visibleLine } from '../visible.ts'
import { ago, counted, id, largerLimit, moreLine } from './lines.ts'
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
  'session.list': (list: Output<'session.list'>, page: Page): Rendered => ({
    out: `${list.items.map((item) => sessionLine(item, page)).join('')}${moreLine(list, page, largerLimit(list))}`,
    ...(list.items.length === 0 && {
      talk: 'No sessions. A pack that was delivered to one (AV_SESSION, or --session) makes one.\n',
    }),
  }),
  'session.show': (session: Output<'session.show'>, page: Page): Rendered => {
    const list = { items: session.sent, more: session.more }
    const sent = session.sent.map(
      ({ id: item, tier, actor, receipt, at }) =>
        `  ${id(item, page)} ${visibleLine(tier)}, ${visibleLine(actor)}, ${visibleLine(receipt)}, ${ago(at, page)}\n`,
    )
    return {
      out: `${sessionLine(session, page)}${sent.join('')}${moreLine(list, page, largerLimit(list))}`,
    }
  },
  'session.reset': ({ session, forgotten }: Output<'session.reset'>, page: Page): Rendered => ({
    out: `${id(session, page)} is sent everything again, ${counted(forgotten, 'item')} forgotten\n`,
  }),
} as const

function sessionLine({ session, actors, items, resets, at }: SessionView, page: Page): string {
  const who = actors.map((actor) => `${visibleLine(actor)}, `).join('')
  const lost = resets === 0 ? '' : `, reset ${counted(resets, 'time')}`
  return `${id(session, page)} ${who}has ${counted(items, 'item')}${lost}, ${ago(at, page)}\n`
}

function receiptLine(receipt: Output<'receipt.list'>['items'][number], page: Page): string {
  return `${id(receipt.id, page)} ${visibleLine(receipt.task)}, ${ago(receipt.at, page)}\n`
}

/** With exactly the newline it needs. */
const ended = (text: string): string => (text.endsWith('\n') || text === '' ? text : `${text}\n`)
