import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { canonicalJson } from '../../src/domain/canonical.ts'
import { buildPack } from '../../src/domain/pack.ts'
import { codeId } from '../../src/domain/pack-code.ts'
import { explain, type Manifest, placeOf, receiptId } from '../../src/domain/receipt.ts'
import { candidates, files, packInput, symbols } from '../support/pack-input.ts'
import { type PackSizes, packSizes, randomPack } from '../support/random-pack.ts'
import { countTokens } from '../support/token-count.ts'

setDefaultTimeout(60_000)

function always(runs: number, holds: (manifest: Manifest, sizes: PackSizes) => void): void {
  const property = fc.property(packSizes, (sizes) => {
    holds(buildPack(randomPack(sizes), countTokens).manifest, sizes)
  })
  fc.assert(property, { seed: 51, numRuns: runs })
}

const stored = (manifest: Manifest): Manifest => JSON.parse(JSON.stringify(manifest))

describe('a manifest', () => {
  test('recomputes score and tier of every line, from what was stored alone', () => {
    always(100, (manifest) => {
      const { lines, agrees } = explain(stored(manifest))
      expect(agrees).toBe(true)
      expect(lines.map(({ score, tier }) => ({ score, tier }))).toEqual(
        manifest.items.map(({ score, tier }) => ({ score, tier })),
      )
    })
  })

  test('of other rules is told as it was stored', () => {
    always(20, (manifest) => {
      const older = { ...stored(manifest), version: 1 }
      const [first, ...rest] = older.items
      const items = [{ ...first!, score: first!.score + 1 }, ...rest]
      const { lines, isRecomputed } = explain({ ...older, items })
      expect(isRecomputed).toBe(false)
      expect(lines[0]!.score).toBe(first!.score + 1)
    })
  })

  test('does not agree when a line was changed', () => {
    always(60, (manifest, { seed }) => {
      const at = seed % manifest.items.length
      const changed = (change: (item: Manifest['items'][number]) => object): boolean => {
        const items = manifest.items.map((item, i) =>
          i === at ? { ...item, ...change(item) } : item,
        )
        return explain({ ...stored(manifest), items }).agrees
      }
      expect(changed(({ score }) => ({ score: score + 1 }))).toBe(false)
      expect(changed(({ tier }) => ({ tier: tier === null ? 'handle' : null }))).toBe(false)
      if (manifest.items[at]!.score > 0) {
        expect(changed(({ factor }) => ({ factor: Math.floor(factor / 2) }))).toBe(false)
      }
    })
  })

  test('does not agree when its weights, its budget or its costs were', () => {
    const paths = Array.from({ length: 90 }, (_, at) => `src/part${at}/file${at}.ts`)
    const { manifest } = buildPack(
      packInput({ budget: 400, candidates: candidates({ files: files(paths) }) }),
      countTokens,
    )
    expect(explain(manifest).agrees).toBe(true)
    const { inputs, weights, items } = manifest
    const goal = { task: weights.goal.task! + 1 }
    expect(explain({ ...manifest, weights: { ...weights, goal } }).agrees).toBe(false)
    expect(explain({ ...manifest, inputs: { ...inputs, budget: 300 } }).agrees).toBe(false)
    const dearer = items.map((item) => ({ ...item, costs: { handle: 90 } }))
    expect(explain({ ...manifest, items: dearer }).agrees).toBe(false)
  })

  test('holds no text of what it lists, but for where code is', () => {
    const secret = 'Tokens live 15 minutes'
    const found = candidates({
      files: files(['src/a.ts']),
      symbols: symbols([{ path: 'src/a.ts', name: 'f', signature: secret, doc: secret }]),
    })
    const { manifest, text } = buildPack(packInput({ candidates: found }), countTokens)
    expect(text).toContain(secret)
    expect(JSON.stringify(manifest)).not.toContain(secret)
  })
})

describe('the id of a receipt', () => {
  test('depends on content alone: not on the order of keys, the hour, or a round trip', () => {
    always(30, (manifest) => {
      const id = receiptId(canonicalJson(manifest))
      expect(id).toMatch(/^rcp:[0-9a-f]{8}$/)
      expect(receiptId(canonicalJson(stored(manifest)))).toBe(id)
      expect(receiptId(canonicalJson(turned(manifest)))).toBe(id)
    })
  })

  test('is the one given, for a manifest that is given', () => {
    const { receipt, manifest, manifestText } = buildPack(packInput(), countTokens)
    expect(manifestText).toBe(canonicalJson(manifest))
    expect(receipt).toBe(receiptId(manifestText))
    // Its items have their keys in that order already: most of it needs no sorting.
    expect(manifestText).toContain(JSON.stringify(manifest.items))
    expect(buildPack(packInput(), countTokens, 8, NO_WEIGHTS).receipt).toBe('rcp:7434e73a')
  })

  test('is another for any other content', () => {
    const { manifest } = buildPack(packInput(), countTokens)
    const { inputs } = manifest
    const others = [
      manifest,
      { ...manifest, reserved: manifest.reserved + 1 },
      { ...manifest, degraded: ['index'] },
      { ...manifest, inputs: { ...inputs, position: inputs.position + 1 } },
      { ...manifest, inputs: { ...inputs, overlay: 'other' } },
      { ...manifest, inputs: { ...inputs, focus: ['x'] } },
    ]
    expect(new Set(others.map((each) => receiptId(canonicalJson(each)))).size).toBe(others.length)
  })

  test('may be longer, and then begins with the short one', () => {
    const { manifest, receipt } = buildPack(packInput(), countTokens)
    const long = buildPack(packInput(), countTokens, 12).receipt
    expect(long).toHaveLength('rcp:'.length + 12)
    expect(receiptId(canonicalJson(manifest), 12)).toStartWith(receipt)
  })
})

describe('the place of a code item', () => {
  test('is found for each one that is shown or left out, and for nothing else', () => {
    fc.assert(
      fc.property(packSizes, (sizes) => {
        const input = randomPack(sizes)
        const { manifest } = buildPack(input, countTokens)
        const byId = new Map([
          ...input.candidates.files.map((file) => [codeId(file.path, '', 0), file] as const),
        ])
        const found = new Map(
          input.candidates.symbols.map(
            (s) => [codeId(s.path, s.symbol.name, s.symbol.nth), s] as const,
          ),
        )
        for (const { id, kind } of manifest.items) {
          const place = placeOf(manifest, id)
          const file = byId.get(id)
          const symbol = found.get(id)
          if (kind === 'file' && file !== undefined) {
            const { path, blob } = file
            expect(place).toEqual({ path, blob, symbol: null, line: 0 })
          } else if (kind === 'symbol' && symbol !== undefined) {
            const { blob } = byId.get(codeId(symbol.path, '', 0))!
            const { name, line } = symbol.symbol
            expect(place).toEqual({ path: symbol.path, blob, symbol: name, line })
          } else if (kind !== 'file' && kind !== 'symbol') expect(place).toBeNull()
        }
        expect(placeOf(manifest, 's:nowhere')).toBeNull()
      }),
      { seed: 52, numRuns: 40 },
    )
  })
})

test('canonical JSON depends on content alone, and is JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(canonicalJson(turned(value))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { seed: 53, numRuns: 500 },
  )
  expect(canonicalJson({ b: [1, { z: null, y: 'é' }], a: undefined, '\uffff': 1, '😀': 2 })).toBe(
    '{"b":[1,{"y":"é","z":null}],"\uffff":1,"😀":2}',
  )
})

const NO_WEIGHTS: Manifest['weights'] = {
  ...{ file: {}, symbol: {}, record: {}, folder: {}, rule: {}, work: {}, goal: {}, group: {} },
}

/** The same content with the keys of every object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, field]) => [key, turned(field)]),
  )
}
