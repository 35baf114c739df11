const NAMES = [
  ...['ecmascript', 'python', 'go', 'rust', 'jvm'],
  ...['c', 'c-sharp', 'ruby', 'php', 'bash'],
] as const

/** Languages that use each other's names. */
export type Family = (typeof NAMES)[number]

/** Null: no code that others could refer to. */
export function familyOf(language: string): Family | null {
  return FAMILIES.get(language) ?? null
}

/** The family as a small number; 0: none. */
export function familyNumber(language: string): number {
  return NUMBERS.get(language) ?? 0
}

const FAMILIES: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['typescript', 'ecmascript'],
  ['tsx', 'ecmascript'],
  ['javascript', 'ecmascript'],
  ['python', 'python'],
  ['go', 'go'],
  ['rust', 'rust'],
  ['java', 'jvm'],
  ['kotlin', 'jvm'],
  ['scala', 'jvm'],
  ['c', 'c'],
  ['cpp', 'c'],
  ['c-sharp', 'c-sharp'],
  ['ruby', 'ruby'],
  ['php', 'php'],
  ['bash', 'bash'],
])

const NUMBERS: ReadonlyMap<string, number> = new Map(
  [...FAMILIES].map(([language, family]) => [language, NAMES.indexOf(family) + 1]),
)
