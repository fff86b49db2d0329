import type { Readable } from 'node:stream'
import type { BodyReader, LightResponse } from './fetch.js'

type RawHeaders = Record<string, string | string[] | undefined>

/** What the requests ask for, as Node's fetch does. */
export const acceptEncoding = 'gzip, deflate, br'

/** An answer, its body decoded: servers and what stands before them may compress it. At once, where they did not. */
export function decoded(
  status: number,
  text: string,
  headers: RawHeaders,
  body: BodyReader,
): NodeResponse | Promise<NodeResponse> {
  const coding = headers['content-encoding']
  if (coding === undefined || coding === 'identity') return new NodeResponse(status, text, headers, body)
  return Promise.all([import('node:zlib'), import('node:stream')]).then(([zlib, { pipeline, Readable }]) => {
    const { createGunzip, createInflate, createBrotliDecompress } = zlib
    const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
    const decoder = new Map(Object.entries(decoders)).get(String(coding).toLowerCase())
    const plain = decoder ? readerOf(pipeline(Readable.from(chunksOf(body)), decoder(), () => {})) : body
    return new NodeResponse(status, text, headers, plain)
  })
}

/** An answer that is no `Response`, read as one is, at less cost. */
export class NodeResponse implements LightResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: NodeHeaders
  readonly #reader: BodyReader

  constructor(status: number, statusText: string, headers: RawHeaders, reader: BodyReader) {
    this.status = status
    this.statusText = statusText
    this.headers = new NodeHeaders(headers)
    this.#reader = reader
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get body(): { getReader(): BodyReader } {
    return { getReader: () => this.#reader }
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = []
    for await (const chunk of chunksOf(this.#reader)) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  /** The real thing, for middleware and for who reads it as a stream. */
  toResponse(): Response {
    const { status, statusText } = this
    const reader = this.#reader
    const init = { status, statusText, headers: this.headers.entries() }
    const bodiless = status === 204 || status === 205 || status === 304
    // Read to its end, so that the connection is free again.
    if (bodiless) void this.text().catch(() => {})
    return new Response(bodiless ? null : streamOf(reader), init)
  }
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

async function* chunksOf(reader: BodyReader): AsyncGenerator<Uint8Array> {
  let isWhole = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isWhole = done || !value
      if (done || !value) return
      yield value
    }
  } finally {
    if (!isWhole) await reader.cancel()
  }
}

/** Headers as Node gives them: names in lower case. */
class NodeHeaders {
  readonly #raw: RawHeaders

  constructor(raw: RawHeaders) {
    this.#raw = raw
  }

  get(name: string): string | null {
    const value = this.#raw[name.toLowerCase()]
    return (Array.isArray(value) ? value.join(', ') : value) ?? null
  }

  entries(): [string, string][] {
    return Object.entries(this.#raw).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    )
  }
}

/** Reads a stream chunk by chunk, without the machinery of an async iterator; listens only while there is nothing. */
export function readerOf(stream: Readable): BodyReader {
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

/** The error of a connection that did not stand yet: one code for whatever goes wrong in the handshake of TLS. */
export function unconnected(error: Error & { code?: string }): Error {
  // Node calls a failed handshake a failed write where a request waits for it already.
  return /^(EPROTO$|ERR_SSL_)/.test(error.code ?? '') ? Object.assign(error, { code: 'ERR_TLS_HANDSHAKE' }) : error
}

export const closedEarly = (): Error =>
  Object.assign(new Error('The connection closed before the answer was whole.'), { code: 'ECONNRESET' })
