/**
 * The paths in which a verdict may survive an overlap with trunk: those that a glob of the team
 * (trunk's `.av.toml`) and one of the operator (this machine's configuration) both name, so that a
 * repository's file reaches no further than the operator allows.
 *
 * Stricter than other globs, since what it lets through is not reviewed again: a component that
 * is `**` is any number of folders (at the end: anything below), `*` and `?` never cross `/`, a
 * component that begins with `.` matches only where the dot is written out, case counts, and every
 * other character is itself. A glob over 200 characters, and any after the hundredth, matches nothing.
 */
export function compileCarryGlobs(
  team: readonly string[],
  operator: readonly string[],
): (path: string) => boolean {
  const ours = team.flatMap(compiled).slice(0, GLOBS_MAX)
  const allowed = operator.flatMap(compiled).slice(0, GLOBS_MAX)
  return (path) => {
    const parts = path.split('/').map((part) => [...part])
    const within = (globs: readonly Glob[]) => globs.some((glob) => matches(glob, parts))
    return within(ours) && within(allowed)
  }
}

const GLOBS_MAX = 100
const GLOB_CHARS_MAX = 200

/** A component by its characters (code points), or any number of components. */
type Part = readonly string[] | 'any'
type Glob = readonly Part[]

function compiled(glob: string): Glob[] {
  if (glob === '' || glob.length > GLOB_CHARS_MAX) return []
  const parts = glob.split('/').map((part): Part => (part === '**' ? 'any' : [...part]))
  // `docs/**` is what lies below docs, not docs itself.
  return [parts.at(-1) === 'any' ? [...parts, ['*']] : parts]
}

/**
 * Row by row over the components of the glob, noting which beginnings of the path it has used up:
 * the time is bounded by the product of the two lengths, whatever they hold.
 */
function matches(glob: Glob, path: readonly (readonly string[])[]): boolean {
  let reached = [true, ...path.map(() => false)]
  for (const part of glob) {
    const next = [part === 'any' && reached[0] === true]
    for (const [at, name] of path.entries()) {
      next.push(
        part === 'any'
          ? reached[at + 1] === true || (next[at] === true && name[0] !== '.')
          : reached[at] === true && matchesName(part, name),
      )
    }
    reached = next
  }
  return reached.at(-1) === true
}

/** The same within one component. */
function matchesName(part: readonly string[], name: readonly string[]): boolean {
  if (name[0] === '.' && part[0] !== '.') return false
  let reached = [true, ...name.map(() => false)]
  for (const char of part) {
    const next = [char === '*' && reached[0] === true]
    for (const [at, found] of name.entries()) {
      next.push(
        char === '*'
          ? reached[at + 1] === true || next[at] === true
          : reached[at] === true && (char === '?' || char === found),
      )
    }
    reached = next
  }
  return reached.at(-1) === true
}
