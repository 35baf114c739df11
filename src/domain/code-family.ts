/** Languages that use each other's names. */
export type Family =
  | 'ecmascript'
  | 'python'
  | 'go'
  | 'rust'
  | 'jvm'
  | 'c'
  | 'c-sharp'
  | 'ruby'
  | 'php'
  | 'bash'

/** Null: no code that others could refer to. */
export function familyOf(language: string): Family | null {
  return FAMILIES.get(language) ?? null
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
