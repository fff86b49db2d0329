import type { Incoming, Outgoing } from './outgoing.js'

/** Sends over something like `fetch`. */
export async function sendByFetch(fetch: (request: Request) => Promise<Response>, sent: Outgoing): Promise<Incoming> {
  const { method, url, headers, body } = sent
  const request = new Request(url, { method, headers, redirect: 'manual', ...(body && { body }) })
  const response = await fetch(request)
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
}
