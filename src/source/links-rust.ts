import type { FoundLink } from './found-link.ts'

/**
 * `use` (one link a leaf of its tree), `pub use` as export, `mod name;` as import of `self::name`.
 * An indented `use super::*` is nearly always that of a test module in the same file, and left out.
 */
export function* rustLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(USE)) {
    const [, indent, pub, tree] = match
    const kind = pub === undefined ? 'import' : 'export'
    for (const [path, name] of leaves(tree!)) {
      if (indent !== '' && path === 'super' && name === '*') continue
      yield { at: match.index, link: name === '' ? [kind, path] : [kind, path, name] }
    }
  }
  for (const match of text.matchAll(MOD)) {
    yield { at: match.index, link: ['import', `self::${match[1]}`] }
  }
}

const USE = /^([ \t]*)(pub(?:\([^)\n]{0,100}\))?\s+)?use\s+([^;]{1,8000});/gm
const MOD = /^[ \t]*(?:pub(?:\([^)\n]{0,100}\))?[ \t]+)?mod[ \t]+(?:r#)?(\w{1,100})[ \t]*;/gm
const LEAVES_MAX = 500

/** `a::{b, c::{self, d as e}, f::*}` → [a, b], [a::c, ''], [a::c, d], [a::f, *] */
function leaves(tree: string): [path: string, name: string][] {
  const out: [string, string][] = []
  const prefixes: string[] = ['']
  let here = ''
  const end = () => {
    const word = here.replace(/\s+as\s+\w+\s*$/, '').replace(/\s+|r#/g, '')
    here = ''
    if (word === '') return
    const path = join(prefixes.at(-1)!, word)
    const cut = path.lastIndexOf('::')
    if (path.endsWith('::self')) out.push([path.slice(0, cut), ''])
    else out.push(cut < 0 ? [path, ''] : [path.slice(0, cut), path.slice(cut + 2)])
  }
  for (const unit of tree.replace(/\/\/[^\n]*/g, '')) {
    if (out.length >= LEAVES_MAX || prefixes.length > 20) return out
    if (unit === '{') {
      prefixes.push(join(prefixes.at(-1)!, here.replace(/\s+/g, '').replace(/::$/, '')))
      here = ''
    } else if (unit === '}') {
      end()
      if (prefixes.length > 1) prefixes.pop()
    } else if (unit === ',') end()
    else here += unit
  }
  end()
  return out
}

function join(prefix: string, rest: string): string {
  const plain = rest.replace(/^::/, '')
  return prefix === '' || plain === '' ? prefix + plain : `${prefix}::${plain}`
}
