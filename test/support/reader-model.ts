import type { PackInput } from '../../src/domain/pack.ts'
import { codeItems } from '../../src/domain/pack-code.ts'
import { historyItems } from '../../src/domain/pack-history.ts'
import type { PackItem } from '../../src/domain/pack-item.ts'
import { liveItems } from '../../src/domain/pack-live.ts'
import { mapItems } from '../../src/domain/pack-map.ts'
import { conventionItems } from '../../src/domain/pack-rules.ts'
import { taskItems } from '../../src/domain/pack-task.ts'
import type { Manifest } from '../../src/domain/receipt.ts'
import { TIERS, type Tier } from '../../src/domain/section-fill.ts'

/** What items of an input say, in words rather than hashes: id → tier → text. */
export class Said {
  private readonly items: ReadonlyMap<string, PackItem>

  constructor({ task, candidates, changed, records, conventions, live }: PackInput) {
    const items = [
      ...taskItems(task),
      ...mapItems(candidates.folders),
      ...historyItems(candidates.records, records, task.id),
      ...codeItems(candidates.files, candidates.symbols, new Set(changed.map(({ path }) => path))),
      ...conventionItems(conventions),
      ...liveItems(live, candidates.taskFiles),
    ]
    this.items = new Map(items.map((item) => [item.id, item]))
  }

  /** Undefined: there is no such tier. A file says its path, and that the task changed it; wherever it stands. */
  at(id: string, tier: Tier): string | undefined {
    const item = this.items.get(id)
    const text = item?.texts.find((each) => each.tier === tier)?.text
    if (text === undefined || item?.kind !== 'file') return text
    return `${item.place?.path} ${text.endsWith('(changed by this task)\n')}`
  }
}

/** A reader that remembers every pack it was given, and nothing else. */
export class ReaderModel {
  private readonly memory = new Map<string, { readonly tier: Tier; readonly text: string }>()

  read(manifest: Manifest, said: Said): void {
    for (const { id, tier, kind } of manifest.items) {
      if (tier === null || kind === 'group') continue
      const richer = this.has(id, said)
      if (richer !== null && rank(richer) > rank(tier)) continue
      this.memory.set(id, { tier, text: said.at(id, tier) ?? '' })
    }
  }

  /** The tier at which it was told what the item says now; null: it was told something else, or nothing. */
  has(id: string, said: Said): Tier | null {
    const told = this.memory.get(id)
    return told !== undefined && said.at(id, told.tier) === told.text ? told.tier : null
  }

  forget(): void {
    this.memory.clear()
  }
}

export const rank = (tier: Tier): number => TIERS.indexOf(tier)
