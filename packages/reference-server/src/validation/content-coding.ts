import { Refusal } from '../refusal.js'
import { tooLarge } from './bodies.js'

/** The content codings that every runtime can decode. */
const formats: Readonly<Record<string, CompressionFormat>> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate' }

/**
 * The content of a body by its Content-Encoding. A coding is refused with `status`, unless compressed bodies are accepted:
 * then gzip and deflate are decoded. Throws a 413 as soon as the content is over `limit` bytes.
 */
export async function decodeContent(
  body: Uint8Array,
  contentEncoding: string | null,
  { isAccepted, limit, status }: { isAccepted: boolean; limit: number; status: 400 | 422 },
): Promise<Uint8Array> {
  const names = (contentEncoding ?? '').split(',').map((name) => name.trim().toLowerCase())
  const codings = names.filter((name) => name !== '' && name !== 'identity')
  if (codings.length > 0 && !isAccepted)
    throw new Refusal(status, 'The body is compressed; send it without Content-Encoding.')
  let content = body
  // The last coding was applied last.
  for (const coding of codings.reverse()) {
    const format = formats[coding]
    if (!format) throw new Refusal(status, 'Content-Encoding: expected gzip or deflate.')
    content = await decompress(content, format, limit, status)
  }
  return content
}

async function decompress(
  body: Uint8Array,
  format: CompressionFormat,
  limit: number,
  status: 400 | 422,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    const stream = new Blob([new Uint8Array(body)]).stream().pipeThrough(new DecompressionStream(format))
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      length += value.byteLength
      if (length > limit) throw tooLarge(limit)
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(status, `The body is not valid ${format}.`)
  }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
}
