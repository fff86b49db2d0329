import { expect } from 'vitest'
import { createServer, referenceKey, type ServerOptions } from './core.js'

/** A JSON object of an answer. */
export type Json = Record<string, unknown>
interface Sent {
  method?: string
  body?: unknown
  key?: string | null
  headers?: Record<string, string>
}

/** The default base URLs of both surfaces. */
export const A = 'https://svc.test'
export const B = `${A}/public/api/v1`
/** The least that can be uploaded, and annotated. */
export const upload = { name: 't', turns: [{ role: 'user', content: 'Where is order 7?' }] }
export const annotation = { annotator: 'structural', transcript: [{ role: 'user', content: 'Hi' }] }

/** For tests: a server under a clock that stands, and ways to ask it with the reference key. */
export function setUp(options: ServerOptions = {}) {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const server = createServer({ clock, ...options })
  async function send(url: string, { method, body, key = referenceKey, headers = {} }: Sent = {}) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await server.fetch(url, {
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    })
    const answered = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (answered ? JSON.parse(answered) : null) as Json,
    }
  }
  const status = async (url: string, sent?: Sent) => (await send(url, sent)).status
  const newProject = () => server.world.createProject({ name: 'p' }).record.id
  return { clock, server, send, status, newProject }
}

/** For tests: an answer of the workspace surface that is a no. */
export const refusedB = (code: number, type: string) => ({
  status: code,
  body: { error: { message: expect.any(String), type, code } },
})
