import type { Readable } from 'node:stream'
import type { BodyReader, TransportResponse } from '../transport.js'

/** The codings that the requests ask for, as Node's fetch does. */
export const acceptEncoding = 'gzip, deflate, br'

/** An answer of `node:http` or of undici, its body decoded. */
export async function responseOf(
  status: number,
  statusText: string,
  headers: Record<string, string | string[] | undefined>,
  body: Readable,
): Promise<TransportResponse> {
  const plain = await decoded(headers['content-encoding'], body)
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  return { status, statusText, headers: pairs, body: { getReader: () => readerOf(plain) } }
}

async function decoded(coding: string | string[] | undefined, body: Readable): Promise<Readable> {
  if (coding === undefined || coding === 'identity') return body
  const [{ createBrotliDecompress, createGunzip, createInflate }, { pipeline }] = await Promise.all([
    import('node:zlib'),
    import('node:stream'),
  ])
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
  const decoder = new Map(Object.entries(decoders)).get(String(coding).toLowerCase())
  return decoder ? pipeline(body, decoder(), () => {}) : body
}

/** Reads a stream chunk by chunk; an async iterator costs more than the rest of a small call. */
function readerOf(stream: Readable): BodyReader {
  // Errors between two reads are told to the next one.
  stream.on('error', () => {})
  return {
    read: () =>
      new Promise((resolve, reject) => {
        const settled = () => {
          const value: Buffer | null = stream.read()
          if (value) resolve({ done: false, value })
          else if (stream.readableEnded) resolve({ done: true })
          else if (stream.destroyed) reject(stream.errored ?? closedEarly())
          else return false
          return true
        }
        if (settled()) return
        const look = () => {
          if (settled()) for (const event of events) stream.off(event, look)
        }
        for (const event of events) stream.on(event, look)
      }),
    cancel: async () => {
      stream.destroy()
    },
  }
}

const events = ['readable', 'end', 'error', 'close'] as const

/** A `Response` of an answer that is unread. */
export function webResponseOf({ status, statusText, headers, body }: TransportResponse): Response {
  const init = { status, statusText, headers: [...headers] }
  const reader = body?.getReader()
  if (!reader) return new Response(null, init)
  const isEmpty = status === 204 || status === 205 || status === 304
  // Read to its end, so that the connection is free again.
  if (isEmpty) reader.read().catch(() => {})
  return new Response(isEmpty ? null : streamOf(reader), init)
}

const streamOf = (reader: BodyReader): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done || !value) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => reader.cancel(),
  })

/** The error of a connection that did not stand yet: one code for whatever goes wrong in the handshake of TLS. */
export function unconnected<T extends Error & { code?: string }>(error: T): T {
  // Node calls a failed handshake a failed write where a request waits for it already.
  return /^(EPROTO$|ERR_SSL_)/.test(error.code ?? '') ? Object.assign(error, { code: 'ERR_TLS_HANDSHAKE' }) : error
}

export const closedEarly = (): Error =>
  Object.assign(new Error('The connection closed before the answer was whole.'), { code: 'ECONNRESET' })
