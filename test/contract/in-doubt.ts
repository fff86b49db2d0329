import type { ClientOptions, Fetch, TranscriptUpload } from '@svc/client'
import type { Permission } from '@svc/reference-server'
import { expect } from 'vitest'
import { createSession } from '../session.js'

export const talk: TranscriptUpload = { name: 'A talk', turns: [{ role: 'user', content: 'hi' }], externalId: 'e-1' }

/** What becomes of a POST: when it is stored, if at all, and what the sender hears of it. */
export interface Fate {
  commits: 'before' | 'never' | { afterMs: number }
  answer: 'reset' | 'stall' | 'limited' | 500 | 503 | 504 | 'ok'
  retryAfter?: string
}

/** A session whose POSTs meet their fates in turn; every other request, and what comes after the last fate, goes well. */
export function inDoubt(
  fates: Fate[],
  { twin, permissions, ...options }: ClientOptions & { twin?: TranscriptUpload; permissions?: Permission[] } = {},
) {
  const session = createSession(permissions && { seed: { keys: [{ key: 'limited', permissions }] } })
  const { id } = session.server.world.createProject({ name: 'P' }).record
  let posts = 0
  const fetch: Fetch = async (request) => {
    if (request.method !== 'POST') return session.server.fetch(request)
    const fate = fates[posts++] ?? { commits: 'before', answer: 'ok' }
    const copy = request.clone()
    if (twin)
      session.server.world.createTranscript(session.server.world.project(id) ?? expect.unreachable(), twin as never)
    if (fate.answer === 'ok') return session.server.fetch(request)
    if (fate.commits === 'before') await session.server.fetch(copy)
    else if (fate.commits !== 'never')
      session.clock.after(fate.commits.afterMs, () => void session.server.fetch(new Request(copy, { signal: null })))
    if (fate.answer === 'stall') return new Promise(() => {})
    if (fate.answer === 'limited') return new Response('{}', { status: 429, headers: { 'retry-after': '50' } })
    if (fate.answer !== 'reset')
      return new Response('{}', {
        status: fate.answer,
        headers: fate.retryAfter ? { 'retry-after': fate.retryAfter } : {},
      })
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
  }
  const svc = session.client({ fetch, ...(permissions && { apiKey: 'limited' }), ...options })
  const stored = () => session.server.world.transcripts(id).map(({ record }) => record.id)
  const upload = (more: Partial<TranscriptUpload> = {}) =>
    session.clock.until(svc.transcripts.upload(id, { ...talk, ...more }).catch((error: unknown) => error)) as Promise<{
      id: string
    }>
  return { ...session, svc, id, stored, upload, posts: () => posts }
}
