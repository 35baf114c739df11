import o200k from 'tiktoken/encoders/o200k_base.json' with { type: 'json' }
import { init, Tiktoken } from 'tiktoken/lite/init'
import wasmPath from 'tiktoken/lite/tiktoken_bg.wasm' with { type: 'file' }

/**
 * Counts tokens as tiktoken's `o200k_base` does with `encode_ordinary`: `<|endoftext|>` is text.
 * Loading takes some 0.4 s and 60 MB, once. Counting a kilobyte takes 0.3 ms the first time, and
 * nearly nothing when its words, or the whole text, came before.
 *
 * Texts must be short or have breaks: a run of 100,000 letters without one takes seconds.
 */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  // The package types its wasm as a module; imported as a file it is a path.
  const path: unknown = wasmPath
  if (typeof path !== 'string') throw new TypeError('tiktoken_bg.wasm was not imported as a file')
  const module = await WebAssembly.compile(await Bun.file(path).arrayBuffer())
  await init((imports) => WebAssembly.instantiate(module, imports))
  const encoder = new Tiktoken(o200k.bpe_ranks, o200k.special_tokens, o200k.pat_str)
  const encode = (text: string) => encoder.encode_ordinary(text).length
  const pieces = new Memo(PIECES_MAX, encode)
  const count = (text: string) => countPieces(text, pieces, encode)
  const texts = new Memo(TEXTS_MAX, count)
  return (text) => (text.length > TEXT_CHARS_MAX ? countLines(text, texts, count) : texts.get(text))
}

const TEXTS_MAX = 20_000
const TEXT_CHARS_MAX = 600
const PIECES_MAX = 50_000
const PIECE_CHARS_MAX = 40

/**
 * The encoder cuts text into pieces first and then encodes each by itself, so the counts of pieces
 * add up. No piece goes on from a line end into what is neither white space nor a slash: the lines of
 * a long text are counted one by one, and most were counted before. What was not is not kept, as a
 * part of a text keeps all of it in memory.
 */
function countLines(text: string, texts: Memo, count: (text: string) => number): number {
  let tokens = 0
  let start = 0
  for (let end = text.indexOf('\n') + 1; end > 0; end = text.indexOf('\n', end) + 1) {
    if (end < text.length && (!isVisibleAscii(text.charCodeAt(end)) || text[end] === '/')) continue
    const line = text.slice(start, end)
    tokens += texts.known(line) ?? count(line)
    start = end
  }
  return start === text.length ? tokens : tokens + count(text.slice(start))
}

function isVisibleAscii(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f
}

/**
 * Here only ASCII is cut into pieces, where the pattern says the same in both regex engines. Of a
 * text with anything else, each word with it goes to the encoder whole: no piece goes on from a
 * letter or digit into a space.
 */
function countPieces(text: string, memo: Memo, encode: (text: string) => number): number {
  const words = ASCII.test(text) ? [text] : text.split(WORD_BORDER)
  let tokens = 0
  for (const word of words) {
    const pieces = ASCII.test(word) ? (word.match(ASCII_PIECES) ?? []) : [word]
    for (const piece of pieces) {
      tokens += piece.length > PIECE_CHARS_MAX ? encode(piece) : memo.get(piece)
    }
  }
  return tokens
}

const ASCII = /^[\0-\x7f]*$/
const WORD_BORDER = /(?<=[A-Za-z0-9])(?= )/

/** `pat_str` of o200k_base with its character classes cut down to ASCII. */
const ENDING = "(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
const ASCII_PIECES = new RegExp(
  [
    `[^\\r\\nA-Za-z0-9]?[A-Z]*[a-z]+${ENDING}`,
    `[^\\r\\nA-Za-z0-9]?[A-Z]+[a-z]*${ENDING}`,
    '[0-9]{1,3}',
    ' ?[^\\sA-Za-z0-9]+[\\r\\n/]*',
    '\\s*[\\r\\n]+',
    '\\s+(?!\\S)',
    '\\s+',
  ].join('|'),
  'g',
)

/** Two generations: what a full young one did not ask for again is forgotten. */
class Memo {
  private young = new Map<string, number>()
  private old = new Map<string, number>()

  constructor(
    private readonly max: number,
    private readonly make: (key: string) => number,
  ) {}

  get(key: string): number {
    const known = this.young.get(key)
    if (known !== undefined) return known
    const value = this.old.get(key) ?? this.make(key)
    if (this.young.size >= this.max) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(key, value)
    return value
  }

  known(key: string): number | undefined {
    return this.young.get(key) ?? this.old.get(key)
  }
}
