import type { Readable } from 'node:stream'
import { safeCause } from '../errors/index.js'
import type { BodyReader, TransportResponse } from '../transport.js'

/** Without `deflate`, which servers send in two forms. */
export const acceptEncoding = 'gzip, br'

export function responseOf(
  status: number,
  statusText: string,
  headers: Record<string, string | string[] | undefined>,
  body: Readable,
  signal: AbortSignal,
): TransportResponse {
  const plain = decoded(headers['content-encoding'], body)
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  )
  return { status, statusText, headers: pairs, body: { getReader: () => readerOf(plain, signal) } }
}

/** Decodes a list of codings from its end, if all are known. As with Node's fetch, an empty body is complete. */
function decoded(codings: string | string[] | undefined, body: Readable): Readable {
  const names = String(codings ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length === 0) return body
  // Loaded on demand. Not with import(), which Jest refuses in CommonJS.
  const { constants, createBrotliDecompress, createGunzip } = process.getBuiltinModule('node:zlib')
  const { pipeline } = process.getBuiltinModule('node:stream')
  const gunzip = () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  const brotli = () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
  const decoders = new Map(Object.entries({ gzip: gunzip, 'x-gzip': gunzip, br: brotli }))
  if (!names.every((name) => decoders.has(name))) return body
  return names.reduceRight<Readable>((stream, name) => {
    const decoder = decoders.get(name)
    return decoder ? pipeline(stream, decoder(), () => {}) : stream
  }, body)
}

/** Without the stream's async iterator, which makes a small call a fifth slower. */
function readerOf(stream: Readable, signal: AbortSignal): BodyReader {
  // The next read reports an error that occurs between two reads.
  stream.on('error', () => {})
  return {
    read: () =>
      new Promise((resolve, reject) => {
        const settle = () => {
          const value: Buffer | null = stream.read()
          if (value) resolve({ done: false, value })
          else if (stream.readableEnded) resolve({ done: true })
          else if (stream.destroyed) reject(shownError(stream.errored ?? closedEarly(), signal))
          else return false
          return true
        }
        if (settle()) return
        const onEvent = () => {
          if (settle()) for (const event of events) stream.off(event, onEvent)
        }
        for (const event of events) stream.on(event, onEvent)
      }),
    cancel: async () => {
      stream.destroy()
    },
  }
}

const events = ['readable', 'end', 'error', 'close'] as const

export function webResponseOf({ status, statusText, headers, body }: TransportResponse): Response {
  const init = { status, statusText, headers: [...headers] }
  const reader = body?.getReader()
  if (!reader) return new Response(null, init)
  const isEmpty = status === 204 || status === 205 || status === 304
  // Frees the connection.
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

/** Marks the error of a connection that was not established, with its TLS handshake: nothing was sent over it. */
export const unconnected = <T extends Error>(error: T): T => Object.assign(error, { phase: 'connecting' })

/** Names the error of a server that answers plain http with an alert of TLS, whose first byte is 0x15. */
export function namingTls(error: Error & { rawPacket?: Uint8Array; data?: unknown }): Error {
  const [first] = error.rawPacket ?? Buffer.from(typeof error.data === 'string' ? error.data : '')
  return first === 0x15 ? Object.assign(error, { code: 'ERR_SSL_HTTP_REQUEST' }) : error
}

/** An error as the caller sees it: the reason of its own abort, else without key and text. */
export const shownError = (error: unknown, signal: AbortSignal): unknown => (signal.aborted ? error : safeCause(error))

export const closedEarly = (): Error =>
  Object.assign(new Error('The connection closed before the answer was whole.'), { code: 'ECONNRESET' })
