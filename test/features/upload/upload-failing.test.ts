import { nodeDisk, nodeHost } from '@svc/bulk/node'
import { describe, expect, it } from 'vitest'
import { question as conversation } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession, type RequestHandler } from '../../helpers/session.js'

const chat = { messages: [{ role: 'user', content: 'hi' }] }

/** Answers no upload before so many are under way, so that it is certain how many are. */
function together(width: number, fetch: RequestHandler): RequestHandler {
  let arrived = 0
  let all = () => {}
  const isFull = new Promise<void>((resolve) => {
    all = resolve
  })
  return async (request) => {
    if (request.method === 'POST') {
      if (++arrived === width) all()
      await isFull
    }
    return fetch(request)
  }
}

describe('a failing svc upload', () => {
  it('exits 5 for a project that does not exist', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(
      ['upload', 'conversation.json', '--project', 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'],
      {
        files: { 'conversation.json': conversation },
      },
    )
    expect(code).toBe(5)
    expect(err).toContain('404 not_found')
  })

  it('exits 4 without a key and with a wrong one', async () => {
    const { svc } = createShell()
    const files = { 'conversation.json': conversation }
    expect((await svc(['upload', 'conversation.json'], { files, env: { SVC_API_KEY: '' } })).code).toBe(4)
    const wrong = await svc(['upload', 'conversation.json'], { files, env: { SVC_API_KEY: 'wrong' } })
    expect(wrong.code).toBe(4)
    expect(wrong.err).toContain('hint: check the key: `svc auth status`')
  })

  it('stops after a failure that all transcripts share, and counts the unsent ones', async () => {
    const session = createSession()
    const { svc, server } = createShell({ ...session, fetch: together(2, session.fetch) })
    const files = { 'conversations.json': Array.from({ length: 9 }, () => chat) }
    const argv = ['upload', 'conversations.json', '--json', '-j', '2']
    const { code, lines } = await svc(argv, { files, env: { SVC_API_KEY: 'wrong' } })
    expect(code).toBe(4)
    expect(lines().at(-1)).toMatchObject({ uploaded: 0, failed: 2, not_sent: 7 })
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(2)
  })

  it('reports the ledger of a single transcript that cannot be written any more as one document', async () => {
    const { svc, server } = createShell()
    const broken = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }))
    const environment = {
      disk: {
        ...nodeDisk,
        open: (...given: Parameters<typeof nodeDisk.open>) => ({ ...nodeDisk.open(...given), sync: broken }),
      },
      host: nodeHost,
      randomId: () => crypto.randomUUID(),
      turn: async () => {},
    }
    const files = { 'conversation.json': conversation }
    const { code, json } = await svc(['upload', 'conversation.json', '--json'], { files, io: { environment } })
    expect([code, json()]).toMatchObject([1, { error: { code: 'EIO', exit: 1 } }])
    expect(server.requests).toHaveLength(0)
  })

  it('exits 10 if the result is unknown and cannot be searched for', async () => {
    const session = createSession()
    const lost = async (request: Request) => {
      if (request.method === 'POST') await session.fetch(request)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
    }
    const { svc, server, clock } = createShell({ ...session, fetch: lost })
    const { code, err } = await clock.until(
      svc(['upload', 'conversation.json'], { files: { 'conversation.json': conversation } }),
    )
    expect(code).toBe(10)
    expect(err).toContain('and it may be stored')
    expect(server.requests).toHaveLength(1)
  })

  it('explains why it waits before it sends an unstored transcript again', async () => {
    const session = createSession()
    let posts = 0
    const once = async (request: Request) => {
      if (request.method === 'POST' && posts++ === 0) return new Response('{}', { status: 503 })
      return session.fetch(request)
    }
    const { svc, clock, server, project } = createShell({ ...session, fetch: once })
    const { code, err } = await clock.until(
      svc(['upload', 'conversation.json'], { files: { 'conversation.json': conversation } }),
    )
    expect(code).toBe(0)
    expect(err).toContain('svc: the result of the write is unknown; searching again in 15 s\n')
    expect(server.world.transcripts(project)).toHaveLength(1)
  })

  it('exits 0 with the stored transcript when its answer was lost and it is found', async () => {
    const session = createSession()
    const lost = async (request: Request) => {
      const response = await session.fetch(request)
      return request.method === 'POST' ? new Response(null, { status: 504 }) : response
    }
    const { svc, clock } = createShell({ ...session, fetch: lost })
    const { code, json } = await clock.until(
      svc(['upload', 'conversation.json', '--json'], { files: { 'conversation.json': conversation } }),
    )
    expect([code, json()]).toMatchObject([
      0,
      { result: 'uploaded', transcript: { name: 'Order 7', processing_status: 'queued' } },
    ])
  })

  it('reports a reason that concerns the whole run once, with its own code', async () => {
    const { svc } = createShell()
    const files = { 'conversations.json': [chat, chat, chat] }
    const unknown = ['upload', 'conversations.json', '--project', 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10']
    expect((await svc(unknown, { files })).code).toBe(5)
    const unset = await svc(['upload', 'conversations.json'], { files, env: { SVC_PUBLIC_BASE_URL: '' } })
    expect(unset.code).toBe(3)
    expect(unset.err.match(/hint:/g)).toHaveLength(1)
  })

  it('stops at an unknown result instead of adding more', async () => {
    const session = createSession()
    const broken = async () => new Response('{}', { status: 503 })
    const { svc, clock } = createShell({ ...session, fetch: together(2, broken) })
    const files = { 'conversations.json': Array.from({ length: 9 }, () => chat) }
    const { code, lines, err } = await clock.until(
      svc(['upload', 'conversations.json', '--json', '-j', '2'], { files }),
    )
    expect(code).toBe(10)
    expect(lines().map(({ result }) => result)).toEqual([...Array(4).fill('unknown'), undefined])
    expect(lines().at(-1)).toMatchObject({ uploaded: 0, failed: 0, unknown: 4, not_sent: 5 })
    expect(err.match(/hint:/g)).toHaveLength(1)
  })

  it('gives open requests five seconds after a stop, and then reports them as possibly stored', async () => {
    for (const total of [1, 2]) {
      const session = createSession()
      const stop = new AbortController()
      const hangs = ({ method }: Request) => {
        if (method === 'GET') return Promise.reject(new Error('offline'))
        stop.abort('SIGINT')
        return new Promise<Response>(() => {})
      }
      const { svc, clock } = createShell({ ...session, fetch: hangs })
      const files = { 'conversations.json': Array.from({ length: total }, () => chat) }
      const startedAt = clock.now()
      const stopping = svc(['upload', 'conversations.json', '-j', '1'], { files, signal: stop.signal })
      const { code, err } = await clock.until(stopping)
      expect([code, clock.now() - startedAt]).toEqual([130, 5_000])
      expect(err).toMatch(
        total === 1
          ? /may be stored/
          : /1 possibly stored.*1 not sent\nto continue: svc upload conversations.json -j 1;/,
      )
    }
  })

  it('waits for the answer that comes in time after it is stopped', async () => {
    const session = createSession()
    const stop = new AbortController()
    const slow = async (request: Request) => {
      if (request.method === 'GET') return session.fetch(request)
      stop.abort('SIGTERM')
      await new Promise<void>((resolve) => session.clock.after(4_000, resolve))
      return session.fetch(request)
    }
    const { svc, clock, server, project } = createShell({ ...session, fetch: slow })
    const files = { 'conversations.json': [chat, chat, chat] }
    const { code, lines } = await clock.until(
      svc(['upload', 'conversations.json', '-j', '1', '--json'], { files, signal: stop.signal }),
    )
    expect(code).toBe(143)
    expect(lines().at(-1)).toMatchObject({ uploaded: 1, unknown: 0, not_sent: 2 })
    expect(server.world.transcripts(project)).toHaveLength(1)
  })

  it('cancels the waiting uploads at once when it is stopped', async () => {
    const session = createSession({ limits: { requests: 2, windowMs: 60_000 } })
    const stop = new AbortController()
    const limited = async (request: Request) => {
      const response = await session.fetch(request)
      if (response.status === 429) setImmediate(() => stop.abort('SIGINT'))
      return response
    }
    const { svc, clock } = createShell({ ...session, fetch: limited })
    const files = { 'conversations.json': [chat, chat, chat] }
    const startedAt = clock.now()
    const { code, lines } = await svc(['upload', 'conversations.json', '--json'], { files, signal: stop.signal })
    expect([code, clock.now() - startedAt]).toEqual([130, 0])
    expect(lines().at(-1)).toMatchObject({ uploaded: 1, unknown: 0, not_sent: 2 })
  })

  it('exits 130 when it is stopped before anything is sent, also with a JSON document', async () => {
    const { svc, server } = createShell()
    const stopped = { files: { 'conversation.json': conversation }, signal: AbortSignal.abort('SIGINT') }
    const { code, json } = await svc(['upload', 'conversation.json', '--json'], stopped)
    expect([code, json()]).toMatchObject([130, { error: { kind: 'interrupted', exit: 130 } }])
    expect(server.requests).toHaveLength(0)
  })
})
