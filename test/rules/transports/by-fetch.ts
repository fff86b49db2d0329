import type { Incoming, Outgoing } from './outgoing.js'

/** Sends over something like `fetch`. */
export async function sendByFetch(fetch: (request: Request) => Promise<Response>, sent: Outgoing): Promise<Incoming> {
  const { method, url, headers, body } = sent
  return incoming(await fetch(new Request(url, { method, headers, redirect: 'manual', ...(body && { body }) })))
}

/** Sends by a URL and values, bytes that are text as a text. */
export async function sendByValues(fetch: typeof globalThis.fetch, sent: Outgoing): Promise<Incoming> {
  const { method, url, headers, body } = sent
  return incoming(await fetch(url, { method, headers, ...(body && { body: textIn(body) ?? body }) }))
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
