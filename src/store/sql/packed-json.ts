/** JSON as zstd-compressed UTF-8, so that neither the database nor its log has to take all of it. */
export function pack(value: unknown): Buffer {
  return packText(JSON.stringify(value))
}

export function packText(json: string): Buffer {
  return Bun.zstdCompressSync(json, { level: 3 })
}

/** What was packed, or kept as it was before such texts were packed. */
export function unpack(doc: Uint8Array): unknown {
  const isPacked = MAGIC.every((byte, at) => doc[at] === byte)
  return JSON.parse(Buffer.from(isPacked ? Bun.zstdDecompressSync(doc) : doc).toString())
}

/** Each frame of zstd begins with these bytes (RFC 8878); no JSON does. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
