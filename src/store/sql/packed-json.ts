/** JSON as zstd-compressed UTF-8: some eight times smaller, and faster written than Postgres's own compression. */
export function pack(value: unknown): Buffer {
  return packText(JSON.stringify(value))
}

export function packText(json: string): Buffer {
  return Bun.zstdCompressSync(json, { level: 3 })
}

/** What `pack` was given. */
export function unpack(doc: Uint8Array): unknown {
  return JSON.parse(unpackText(doc))
}

/** The text that was packed, or that was kept before such texts were packed. */
export function unpackText(doc: Uint8Array): string {
  const isPacked = MAGIC.every((byte, at) => doc[at] === byte)
  return Buffer.from(isPacked ? Bun.zstdDecompressSync(doc) : doc).toString()
}

/** Each frame of zstd begins with these bytes (RFC 8878); no JSON does. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
