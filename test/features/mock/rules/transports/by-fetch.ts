import type { Incoming, Outgoing } from './transport.js'

/** Sends over something like `fetch`. */
export async function sendByFetch(fetch: (request: Request) => Promise<Response>, sent: Outgoing): Promise<Incoming> {
  const { method, url, headers, body, signal } = sent
  const init = { method, headers, redirect: 'manual', ...(body && { body, duplex: 'half' }), ...(signal && { signal }) }
  return incoming(await fetch(new Request(url, init as RequestInit)))
}

/** Sends by a URL and values, bytes that are text as a text. */
export async function sendByValues(fetch: typeof globalThis.fetch, sent: Outgoing): Promise<Incoming> {
  const { method, url, headers, body, signal } = sent
  const given = body instanceof Uint8Array ? (textIn(body) ?? body) : body
  const stream = given instanceof ReadableStream && { duplex: 'half' }
  const init = { method, headers, ...(given && { body: given }), ...stream, ...(signal && { signal }) }
  return incoming(await fetch(url, init as RequestInit))
}

async function incoming(response: Response): Promise<Incoming> {
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
