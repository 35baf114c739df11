import { parseArgs } from 'node:util'
import type { Parameter } from './parameters.ts'

/** A word by its place on the line, or a flag with the value that stands with it. */
export type Token =
  | { readonly kind: 'word'; readonly text: string; readonly index: number }
  | {
      readonly kind: 'flag'
      /** As typed: `--budget`, `-b`. Not necessarily one of the parameters. */
      readonly form: string
      /** Exactly as typed, `0123` and `-5` too; null: none. */
      readonly value: string | null
      /** Written as `--flag=value` or `-fvalue`. */
      readonly isInline: boolean
    }

/**
 * Tells flags, their values and other words apart, as far as the parameters are known: an unknown
 * flag takes no value unless it is written with `=`. Every text stays as typed. `--` ends the flags.
 */
export function tokenize(
  words: readonly string[],
  parameters: readonly Parameter[],
): readonly Token[] {
  const { tokens } = parseArgs({
    args: [...words],
    // Judged by the caller, who knows what is nearest.
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(parameters.filter(({ forms }) => forms.length > 0).map(option)),
  })
  return tokens.flatMap((token): Token[] => {
    if (token.kind === 'option-terminator') return []
    if (token.kind === 'positional')
      return [{ kind: 'word', text: token.value, index: token.index }]
    const value = token.value ?? null
    return [{ kind: 'flag', form: token.rawName, value, isInline: token.inlineValue === true }]
  })
}

function option({ field, forms, value }: Parameter) {
  const long = forms.find((form) => form.startsWith('--'))?.slice(2)
  const short = forms.find((form) => /^-[^-]/.test(form))?.slice(1)
  const type: 'string' | 'boolean' = value === null ? 'boolean' : 'string'
  // Without a long form it goes by a name that nobody can type: no argument holds NUL.
  return [long ?? `\0${field}`, { type, ...(short !== undefined && { short }) }] as const
}
