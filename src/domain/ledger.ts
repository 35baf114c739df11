import { hash as digest } from 'node:crypto'
import type { PackItem, TierHashes } from './pack-item.ts'
import type { Manifest } from './receipt.ts'
import { TIERS_BY_BYTES, type Tier, tierRank } from './section-fill.ts'

/**
 * Which of `items` the reader has already, and how richly: what it was sent last of an item still
 * reads the same at the tier it was sent at. One that changed since is not among them.
 */
export function knownTiers(items: readonly PackItem[], ledger: Ledger): ReadonlyMap<string, Tier> {
  const known = new Map<string, Tier>()
  if (ledger.size === 0) return known
  for (const item of items) {
    const sent = ledger.get(item.id)
    if (sent !== undefined && contentHash(item, sent.tier) === sent.hash) {
      known.set(item.id, sent.tier)
    }
  }
  return known
}

/** What one reader was sent, by the item's id. A reader is a session's actor; a subagent is another one. */
export type Ledger = ReadonlyMap<string, Sent>
/** The richest tier at which the newest content went out, and the hash of what that said. */
export type Sent = { readonly tier: Tier; readonly hash: string }

/** What a pack that shows the item delivers. */
export function tierHashes(item: PackItem): TierHashes {
  const hashes: Partial<Record<Tier, string>> = {}
  for (const tier of TIERS_BY_BYTES) {
    const hash = contentHash(item, tier)
    if (hash !== null) hashes[tier] = hash
  }
  return hashes
}

const HASH_DIGITS = 16

/**
 * Of what an item says at a tier, wherever it stands in the pack: a file that is listed under its
 * folder says what its whole path would. Null where it has no such tier.
 */
function contentHash(item: PackItem, tier: Tier): string | null {
  const text = item.texts.find((each) => each.tier === tier)?.text
  if (text === undefined) return null
  const { section, kind, parent, place } = item
  const whole = kind === 'file' && parent !== null ? `- ${parent.slice(3)}${text.slice(2)}` : text
  const said = [section, place?.path ?? '', place?.symbol ?? '', whole].join('\0')
  return digest('sha256', said, 'hex').slice(0, HASH_DIGITS)
}

/** What a pack shows, for the ledger: nothing for one that was made for no session. */
export function deliveredBy({ items }: Pick<Manifest, 'items'>): readonly Delivered[] {
  return items.flatMap(({ id, tier, hashes }) =>
    tier === null || hashes === undefined ? [] : [{ id, tier, hashes }],
  )
}

export type Delivered = { readonly id: string; readonly tier: Tier; readonly hashes: TierHashes }

/**
 * What the ledger says of an item after a delivery. The newest content counts; of the same content
 * the richest tier, so that it does not matter in which order two packs are acknowledged.
 */
export function sentAfter(before: Sent | null, { tier, hashes }: Delivered): Sent {
  const isRicher = before !== null && tierRank(before.tier) > tierRank(tier)
  if (isRicher && hashes[before.tier] === before.hash) return before
  return { tier, hash: hashes[tier] ?? '' }
}
