import { explain, type Manifest, type ManifestItem } from '../domain/receipt.ts'

/**
 * Every line of a pack recomputed from its stored manifest, as text: tier, score, and which list
 * gave which rank. What the reader had already follows, and what was left out, the best first.
 */
export function renderExplanation(manifest: Manifest): string {
  const { inputs } = manifest
  const { lines, over, isRecomputed, agrees } = explain(manifest)
  const named = nameOf(manifest)
  const shown = lines.filter(({ tier }) => tier !== null)
  const referred = lines.filter(({ item, tier }) => tier === null && item.sent !== undefined)
  const hidden = lines.filter(({ item, tier }) => tier === null && item.sent === undefined)
  const row = ({ item, score, tier }: (typeof lines)[number]) =>
    `${item.id} ${tier ?? '-'} ${score} ${named(item)}: ${reasonsOf(item)}`
  return [
    `${inputs.task}: budget ${inputs.budget}, log position ${inputs.position}, index ${inputs.indexVersion}, code ${inputs.overlay}`,
    ...(inputs.focus.length > 0 ? [`focus: ${inputs.focus.join(', ')}`] : []),
    ...(manifest.degraded.length > 0 ? [`degraded: ${manifest.degraded.join(', ')}`] : []),
    ...(over > 0 ? [`over the budget by ${over} tokens: required conventions`] : []),
    'shown: id, tier, score, what it is, rank in each list',
    ...shown.map(row),
    ...(referred.length > 0 ? ['sent before to this reader:', ...referred.map(row)] : []),
    ...(hidden.length > 0 ? ['left out, for want of room:', ...hidden.map(row)] : []),
    ...Object.keys(manifest.unweighed)
      .sort()
      .map((kind) => `not weighed: ${manifest.unweighed[kind]} ${kind}`),
    !isRecomputed
      ? 'as stored: another version of av made this pack, by other rules'
      : agrees
        ? 'recomputed from the manifest: score and tier of every line agree'
        : `recomputed from the manifest: ${lines.filter((line) => !line.agrees).length} lines differ`,
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** Section, and for code where it is. */
function nameOf(manifest: Manifest): (item: ManifestItem) => string {
  const paths = new Map(manifest.items.flatMap(({ id, path }) => (path ? [[id, path]] : [])))
  return ({ section, path, parent, symbol, line }) => {
    const file = path ?? (parent === undefined ? undefined : paths.get(parent))
    if (file === undefined) return section
    return symbol === undefined ? file : `${file}:${line} ${symbol}`
  }
}

function reasonsOf({ ranks, factor, required, sent }: ManifestItem): string {
  const lists = Object.entries(ranks).map(([list, rank]) => `${list} #${rank}`)
  return [
    ...lists,
    ...(factor === 1_000 ? [] : [`x ${factor / 1_000}`]),
    ...(required ? ['required'] : []),
    ...(sent === undefined ? [] : [`had at ${sent}`]),
  ].join(', ')
}
