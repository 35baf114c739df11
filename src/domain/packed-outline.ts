import type { EmbeddedSymbol } from './embedding-text.ts'
import { FIELDS_BEFORE_TEXT } from './packed-file.ts'

/**
 * Reads from a file's packed symbols (`packSymbols`) what is embedded of them, and nothing else: most
 * of a pack's new texts are of one symbol of ten. Read in their order, each is looked for once.
 */
export class OutlineReader {
  private packed = ''
  /** The symbol that begins at `start`. */
  private ordinal = 0
  private start = 0

  /** @param ordinal which of the symbols in `packed`, from 0; it must be there */
  read(packed: string, ordinal: number): EmbeddedSymbol {
    if (packed !== this.packed || ordinal < this.ordinal) {
      this.packed = packed
      this.ordinal = 0
      this.start = 0
    }
    for (; this.ordinal < ordinal; this.ordinal++) {
      this.start = packed.indexOf('\u0001', this.start) + 1
    }
    let signature = this.start
    for (let field = 0; field < FIELDS_BEFORE_TEXT; field++) {
      signature = packed.indexOf('\u0000', signature) + 1
    }
    const doc = packed.indexOf('\u0000', signature) + 1
    const end = packed.indexOf('\u0001', doc)
    return {
      signature: packed.slice(signature, doc - 1),
      doc: packed.slice(doc, end < 0 ? packed.length : end),
    }
  }
}
