import type { Readable } from 'node:stream'
import type { RawHeaders } from './answer-reader.js'
import type { BodyReader, LightResponse } from './fetch.js'
import { closedEarly } from './node-connection.js'

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
  return unpacked(String(coding).toLowerCase(), body).then((whole) => new NodeResponse(status, text, headers, whole))
}

async function unpacked(coding: string, body: BodyReader): Promise<BodyReader> {
  const { createGunzip, createInflate, createBrotliDecompress } = await import('node:zlib')
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
  const decoder = new Map(Object.entries(decoders)).get(coding)
  if (!decoder) return body
  const { pipeline, Readable } = await import('node:stream')
  return readerOf(pipeline(Readable.from(partsOf(body)), decoder(), () => {}))
}

async function* partsOf(body: BodyReader): AsyncGenerator<Uint8Array, void, undefined> {
  let isWhole = false
  try {
    for (let { done, value } = await body.read(); !done && value; { done, value } = await body.read()) yield value
    isWhole = true
  } finally {
    if (!isWhole) await body.cancel()
  }
}

/** An answer that is read as a `Response` is, at less cost. */
export class NodeResponse implements LightResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: NodeHeaders
  readonly #body: BodyReader

  constructor(status: number, statusText: string, headers: RawHeaders, body: BodyReader) {
    this.status = status
    this.statusText = statusText
    this.headers = new NodeHeaders(headers)
    this.#body = body
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get body(): { getReader(): BodyReader } {
    return { getReader: () => this.#body }
  }

  async text(): Promise<string> {
    const parts: Uint8Array[] = []
    for await (const part of partsOf(this.#body)) parts.push(part)
    return Buffer.concat(parts).toString()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  /** The real thing, for middleware and for who reads it as a stream. */
  toResponse(): Response {
    const { status, statusText } = this
    const init = { status, statusText, headers: this.headers.entries() }
    const bodiless = status === 204 || status === 205 || status === 304
    if (bodiless) void this.#body.read().catch(() => {})
    return new Response(bodiless ? null : streamOf(this.#body), init)
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

const streamOf = (body: BodyReader): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await body.read()
      if (done || !value) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => body.cancel(),
  })

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
