import type { Language, Node } from 'web-tree-sitter'
import type { NodePattern, Pattern, Step, TextTest } from './pattern-source.ts'

/** Where a pattern fits: the nodes by the names it captures them under. */
export type Match = {
  readonly pattern: number
  readonly captures: ReadonlyMap<string, Node>
}

/**
 * Finds patterns in a tree, as tree-sitter's own queries would. Those are prepared by a walk through all states of a
 * grammar, which takes a fresh thread 130 ms for TypeScript's; most processes here parse a file or two.
 */
export class PatternSearch {
  private readonly byRoot = new Map<number, Pattern[]>()
  private readonly types: string[]

  constructor(patterns: readonly Pattern[], language: Language) {
    for (const pattern of patterns) {
      const { symbol } = pattern.root
      const known = this.byRoot.get(symbol)
      if (known === undefined) this.byRoot.set(symbol, [pattern])
      else known.push(pattern)
    }
    this.types = [...this.byRoot.keys()].map((symbol) => language.nodeTypeForId(symbol) ?? '')
  }

  /** All matches below `root` and at it; ends early once `isOver`, which is asked now and then. */
  matches(root: Node, text: string, isOver: () => boolean): Match[] {
    const out: Match[] = []
    let looked = 0
    for (const node of root.descendantsOfType(this.types)) {
      if (++looked % CANDIDATES_A_LOOK === 0 && isOver()) break
      const sight = new Sight(node)
      for (const { index, root: wanted, tests } of this.byRoot.get(sight.symbol) ?? []) {
        for (const found of fitsOf(sight, wanted)) {
          const captures = new Map(found)
          if (passes(tests, captures, text)) out.push({ pattern: index, captures })
        }
      }
    }
    return out
  }
}

const CANDIDATES_A_LOOK = 32
const ERROR_SYMBOL = 65_535

function passes(
  tests: readonly TextTest[],
  captures: ReadonlyMap<string, Node>,
  text: string,
): boolean {
  return tests.every(({ capture, pattern, expected }) => {
    const node = captures.get(capture)
    return node && pattern.test(text.slice(node.startIndex, node.endIndex)) === expected
  })
}

/** A node and what was seen of it: each look is a call into the grammar's memory. */
class Sight {
  readonly symbol: number
  private readonly fields: number[] = []
  private readonly below: (readonly Sight[])[] = []

  constructor(readonly node: Node) {
    this.symbol = node.typeId
  }

  /** Its children in a field, or all of them for 0. */
  children(field: number): readonly Sight[] {
    const known = this.fields.indexOf(field)
    if (known >= 0) return this.below[known]!
    const found: Sight[] = []
    const nodes = field === 0 ? this.node.children : this.node.childrenForFieldId(field)
    for (const node of nodes) found.push(new Sight(node))
    this.fields.push(field)
    this.below.push(found)
    return found
  }
}

/** The nodes that one way to fit captures. */
type Captures = readonly (readonly [name: string, node: Node])[]

const FITS: readonly Captures[] = [[]]
const NO_FIT: readonly Captures[] = []

/** Every way in which a node fits a pattern. */
function fitsOf(sight: Sight, { symbol, steps, captures }: NodePattern): readonly Captures[] {
  if (symbol !== null ? sight.symbol !== symbol : !isNamed(sight)) return NO_FIT
  const below = steps.length === 0 ? FITS : fitsBelow(sight, steps, 0, 0)
  if (captures.length === 0 || below.length === 0) return below
  const own = captures.map((name) => [name, sight.node] as const)
  return below.map((each) => [...own, ...each])
}

function isNamed({ symbol, node }: Sight): boolean {
  return symbol !== ERROR_SYMBOL && node.isNamed
}

/** The ways in which children that begin at `from` or later fit the steps from `at` on, in order. */
function fitsBelow(
  sight: Sight,
  steps: readonly Step[],
  at: number,
  from: number,
): readonly Captures[] {
  const { field, any, captures, optional } = steps[at]!
  const isLast = at + 1 === steps.length
  const out: Captures[] = []
  for (const child of sight.children(field)) {
    if (child.node.startIndex < from) continue
    for (const pattern of any) {
      const here = fitsOf(child, pattern)
      if (here.length === 0) continue
      const rest = isLast ? FITS : fitsBelow(sight, steps, at + 1, child.node.endIndex)
      // Of children that leave no trace the first leaves the most room to the others.
      if (!captures) return rest
      for (const own of here) for (const others of rest) out.push([...own, ...others])
    }
  }
  if (out.length > 0 || !optional) return out
  return isLast ? FITS : fitsBelow(sight, steps, at + 1, from)
}
