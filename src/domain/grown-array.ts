/** `array` itself where it holds `length` already, otherwise a copy half as large again, zeros behind. */
export function grownWords(
  array: Uint32Array<ArrayBuffer>,
  length: number,
): Uint32Array<ArrayBuffer> {
  if (length <= array.length) return array
  const larger = new Uint32Array(Math.max(length, Math.ceil(array.length * 1.5)))
  larger.set(array)
  return larger
}

/** As `grownWords`. */
export function grownBytes(
  array: Uint8Array<ArrayBuffer>,
  length: number,
): Uint8Array<ArrayBuffer> {
  if (length <= array.length) return array
  const larger = new Uint8Array(Math.max(length, Math.ceil(array.length * 1.5)))
  larger.set(array)
  return larger
}
