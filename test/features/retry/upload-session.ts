import type { ClientOptions, TranscriptUpload } from '@svc/client'
import type { Permission } from '@svc/reference-server'
import { expect } from 'vitest'
import { createSession, type RequestHandler } from '../../helpers/session.js'

export const conversation: TranscriptUpload = {
  name: 'A conversation',
  turns: [{ role: 'user', content: 'hi' }],
  externalId: 'e-1',
}

/** How the service handles one POST: when it stores the record, if at all, and how it answers. */
export interface PostBehavior {
  stores: 'before' | 'never' | { afterMs: number }
  /** `broken`: a 503 whose body breaks off. */
  answer: 'reset' | 'stall' | 'limited' | 'broken' | 500 | 503 | 504 | 'ok'
  retryAfter?: string
}

export interface UploadSessionOptions extends Omit<ClientOptions, 'fetch'> {
  /** An upload of another program, stored with each POST. */
  concurrent?: TranscriptUpload
  permissions?: Permission[]
  /** Answers a GET in place of the service, unless it gives undefined. */
  answerQuery?: (elapsedMs: number, request: Request) => Response | Promise<Response> | undefined
}

export const resetError = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })

/** A session whose POSTs follow `behaviors` in turn; later POSTs and all other requests succeed. */
export function createUploadSession(
  behaviors: PostBehavior[],
  { concurrent, permissions, answerQuery, ...options }: UploadSessionOptions = {},
) {
  const session = createSession(permissions && { seed: { keys: [{ key: 'limited', permissions }] } })
  const { server, clock } = session
  const { id } = server.world.createProject({ name: 'P' }).record
  const startedAt = clock.now()
  const elapsedMs = () => clock.now() - startedAt
  let posts = 0
  const fetch: RequestHandler = async (request) => {
    if (request.method !== 'POST') return answerQuery?.(elapsedMs(), request) ?? server.fetch(request)
    const { stores, answer, retryAfter } = behaviors[posts++] ?? { stores: 'before', answer: 'ok' }
    const copy = request.clone()
    if (concurrent) server.world.createTranscript(server.world.project(id) ?? expect.unreachable(), concurrent as never)
    if (answer === 'ok') return server.fetch(request)
    if (stores === 'before') await server.fetch(copy)
    else if (stores !== 'never')
      clock.after(stores.afterMs, () => void server.fetch(new Request(copy, { signal: null })))
    if (answer === 'stall') return new Promise(() => {})
    if (answer === 'limited') return new Response('{}', { status: 429, headers: { 'retry-after': '50' } })
    if (answer === 'broken') return new Response(brokenBody(), { status: 503 })
    if (answer === 'reset') throw resetError()
    return new Response('{}', { status: answer, headers: retryAfter ? { 'retry-after': retryAfter } : {} })
  }
  const svc = session.client({ fetch, ...(permissions && { apiKey: 'limited' }), ...options })
  const stored = () => server.world.transcripts(id).map(({ record }) => record.id)
  const upload = (more: Partial<TranscriptUpload> = {}) =>
    clock.until(svc.transcripts.upload(id, { ...conversation, ...more }).catch((error: unknown) => error)) as Promise<{
      id: string
    }>
  return { ...session, svc, id, stored, upload, posts: () => posts, elapsedMs }
}

/** A body that breaks off after its first byte. */
const brokenBody = () =>
  new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    pull: (controller) => controller.error(resetError()),
  })
