import { isObject } from '../api/wire.ts'
import { Fault } from '../domain/fault.ts'

/**
 * The JSON object in a request's body.
 * @throws Fault `too_large` above `bytesMax`, told before the rest is read; `bad_input` for any
 * other content type, for text that is not UTF-8, and for anything that is not one object
 */
export async function bodyOf(
  request: Request,
  bytesMax: number,
): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers.get('content-type') ?? ''
  // Browsers send this type to another site only after asking, and are never told yes.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw badBody('content_type', `is ${type === '' ? 'of no type' : type.slice(0, 100)}`)
  }
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > bytesMax) throw tooLarge(bytesMax)
  const value = parse(await readBounded(request, bytesMax))
  if (!isObject(value)) throw badBody('not_an_object', 'is no JSON object')
  return value
}

async function readBounded(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

function parse(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badBody('not_utf8', 'is not UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw badBody('not_json', 'is no JSON')
  }
}

const badBody = (reason: string, what: string): Fault =>
  new Fault(
    'bad_input',
    `The body ${what}.`,
    'Send the fields of the route as one JSON object in UTF-8, with content-type application/json.',
    { detail: { reason } },
  )

export const tooLarge = (bytesMax: number): Fault =>
  new Fault(
    'too_large',
    `The request is larger than ${bytesMax} bytes.`,
    'Send less at once: fewer files, a shorter body.',
    { detail: { reason: 'body', bytesMax } },
  )
