import { type FoundLink, listedNames } from './found-link.ts'

/** `import a.b` and `from a.b import c`, those in functions too. */
export function* pythonLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(PYTHON_FROM)) {
    const [, target, given] = match
    const list = given!.replace(/[()\\]/g, ' ').replace(/#[^\n]*/g, '')
    const names = /^\s*\*/.test(list) ? ['*'] : listedNames(list)
    if (names.length > 0) yield { at: match.index, link: ['import', target!, ...names] }
  }
  for (const match of text.matchAll(PYTHON_IMPORT)) {
    for (const target of listedNames(match[1]!)) {
      yield { at: match.index, link: ['import', target, '*'] }
    }
  }
}

const PYTHON_FROM =
  /^[ \t]*from[ \t]+(\.{0,10}[\w.]{0,300})[ \t]+import[ \t]+(\([^)]{0,8000}\)|(?:[^\n\\#(]|\\\r?\n){1,2000})/gm
const PYTHON_IMPORT = /^[ \t]*import[ \t]+(\w[\w., \t]{0,1000})/gm

/** Of Go's imports only the path matters: a name is used with the package's before it. */
export function* goLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(GO_IMPORT)) {
    for (const path of (match[1] ?? match[2]!).matchAll(/"([^"\n]{1,300})"/g)) {
      yield { at: match.index + path.index, link: ['import', path[1]!, '*'] }
    }
  }
}

const GO_IMPORT =
  /^import[ \t]*(?:\(([^)]{0,20000})\)|((?:[\p{L}\p{N}_.]{1,100}[ \t]+)?"[^"\n]{1,300}"))/gmu

/** `require_relative` gets the `./` it means. */
export function* rubyLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(RUBY_REQUIRE)) {
    const [, relative, , given] = match
    const target = relative === undefined || given!.startsWith('.') ? given! : `./${given}`
    yield { at: match.index, link: ['import', target, '*'] }
  }
  for (const match of text.matchAll(RUBY_AUTOLOAD)) {
    yield { at: match.index, link: ['import', match[3]!, match[1]!] }
  }
}

const RUBY_REQUIRE = /^[ \t]*require(_relative)?[ \t(]+(['"])([^'"\n#]{1,300})\2/gm
const RUBY_AUTOLOAD = /^[ \t]*autoload[ \t(]+:(\w{1,100})[ \t]*,[ \t]*(['"])([^'"\n#]{1,300})\2/gm

/** `use A\B\{C, D}` at the margin (indented it takes in a trait), `namespace`, `require 'file'`. */
export function* phpLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(PHP_NAMESPACE)) {
    yield { at: match.index, link: ['package', match[1]!] }
  }
  for (const match of text.matchAll(PHP_USE)) {
    const [, path, list] = match
    const whole = path!.replace(/^\\|\\$/g, '')
    if (list !== undefined) {
      const names = listedNames(list.replace(/\b(?:function|const)\s/g, ''))
      yield { at: match.index, link: ['import', whole, ...names] }
      continue
    }
    const cut = whole.lastIndexOf('\\')
    if (cut > 0) {
      yield { at: match.index, link: ['import', whole.slice(0, cut), whole.slice(cut + 1)] }
    }
  }
  for (const match of text.matchAll(PHP_REQUIRE)) {
    yield { at: match.index, link: ['import', `./${match[2]!.replace(/^(?:\.?\/)+/, '')}`, '*'] }
  }
}

const PHP_NAMESPACE = /^(?:<\?php[ \t]+)?[ \t]*namespace[ \t]+([\w\\]{1,300})[ \t]*[;{\r\n]/gm
const PHP_USE =
  /^use[ \t]+(?:function[ \t]+|const[ \t]+)?(\\?[\w\\]{1,300})(?:\{([^{}]{1,4000})\})?/gm
const PHP_REQUIRE =
  /\b(?:require|include)(?:_once)?[ \t(]+(?:__DIR__[ \t]*\.[ \t]*)?(['"])([^'"\n$]{1,300})\1/g

/** `source lib/x.sh` and `. x.sh`, by the name behind a variable too: `. "$DIR/x.sh"`. */
export function* shellLinks(text: string): Generator<FoundLink> {
  for (const match of text.matchAll(SHELL_SOURCE)) {
    const given = match[1]!.replace(/^\$\{?\w*\}?\/|^\$\(.*\)\//, '')
    yield { at: match.index, link: ['import', `./${given.replace(/^(?:\.\/)+/, '')}`, '*'] }
  }
}

const SHELL_SOURCE = /^[ \t]*(?:source|\.)[ \t]+["']?([^\s"';|&]{1,300})/gm
