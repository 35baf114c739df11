import type { Node } from 'web-tree-sitter'

/** What a declarator of C or C++ declares: `*(*name[2])(int)` has its name deep inside. */
export type Declared = {
  readonly name: Node
  /** Whether calling it is all one can do with it; a pointer to a function is a variable. */
  readonly isFunction: boolean
}

export function declaredBy(declarator: Node): Declared | null {
  let node: Node = declarator
  let isFunction = false
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    if (NAMES.has(node.type))
      return { name: node, isFunction: isFunction || node.type === 'operator_cast' }
    const inner = node.childForFieldName('declarator') ?? node.lastNamedChild
    if (inner === null) return null
    if (node.type === 'function_declarator') isFunction = inner.type !== 'parenthesized_declarator'
    node = inner
  }
  return null
}

/**
 * The function that a macro makes of its arguments, as `TEST(Suite, name) {…}`: `Suite.name`. Null
 * where the macro's name is all there is.
 */
export function nameByMacro(text: string, behindName: number): string | null {
  ARGUMENTS.lastIndex = behindName
  const found = ARGUMENTS.exec(text)
  return found && `${found[1]}.${found[2]}`
}

/** A function definition without a type, so named, is no constructor. */
export const MACRO_NAME = /^[A-Z][A-Z0-9_]{3,}$/

/** `int count GUARDED_BY(mutex);` reads as a function's declaration. */
export const ANNOTATION_MACRO = /^[A-Z0-9]+_[A-Z0-9_]+$/

const ARGUMENTS = /\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)/y
const DEPTH_MAX = 12
const NAMES: ReadonlySet<string> = new Set([
  'identifier',
  'field_identifier',
  'type_identifier',
  'qualified_identifier',
  'destructor_name',
  'operator_name',
  'operator_cast',
])
