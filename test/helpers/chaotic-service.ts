import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, referenceKey } from '@svc/reference-server/core'

/** A reaction of the service to an upload. The test knows whether the upload was stored; the client cannot always know. */
type Outcome = 'answers' | 'drops' | 'loses its answer' | 'fails' | 'stores and fails' | 'refuses by rate' | 'refuses'

const outcomes: [part: number, outcome: Outcome][] = [
  [0.72, 'answers'],
  [0.07, 'loses its answer'],
  [0.06, 'stores and fails'],
  [0.05, 'drops'],
  [0.05, 'fails'],
  [0.03, 'refuses by rate'],
  [0.02, 'refuses'],
]

/** A number from 0 to 1, always the same after the same seed. */
export function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A service over HTTP that commits, drops, delays and refuses uploads by chance; its reads are honest. */
export async function chaoticService(seed: number, slowestMs: number) {
  const random = dice(seed)
  const baseUrl = 'http://127.0.0.1'
  const server = createServer({ baseUrl })
  const project = server.world.createProject({ name: 'Chaos' }).record.id

  const drawn = (): Outcome => {
    let left = random()
    for (const [part, outcome] of outcomes) {
      left -= part
      if (left < 0) return outcome
    }
    return 'answers'
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request)
    const store = async () => {
      const answer = await server.fetch(
        new Request(baseUrl + request.url, {
          method: request.method ?? 'GET',
          headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
          ...(body.length > 0 && { body: new Uint8Array(body) }),
        }),
      )
      return { status: answer.status, text: await answer.text(), date: answer.headers.get('date') }
    }
    const say = (status: number, text: string, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
    if (request.method !== 'POST') {
      const { status, text } = await store()
      say(status, text)
      return
    }
    // The service goes on even if the client has closed the connection.
    await new Promise((resolve) => setTimeout(resolve, random() * slowestMs))
    const failure = JSON.stringify({ error: { message: 'chaos', type: 'api_error', code: 500 } })
    switch (drawn()) {
      case 'answers': {
        const { status, text } = await store()
        say(status, text)
        return
      }
      case 'loses its answer':
        await store()
        request.socket.destroy()
        return
      case 'stores and fails':
        await store()
        say(random() < 0.5 ? 500 : 502, failure)
        return
      case 'drops':
        request.socket.destroy()
        return
      case 'fails':
        say(503, failure)
        return
      case 'refuses by rate':
        say(429, failure, { 'retry-after': '0' })
        return
      case 'refuses':
        say(400, JSON.stringify({ error: { message: 'not today', type: 'invalid_request_error', code: 400 } }))
    }
  }

  const http = createHttpServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return {
    variables: {
      SVC_API_KEY: referenceKey,
      SVC_BASE_URL: url,
      SVC_PUBLIC_BASE_URL: `${url}/public/api/v1`,
      SVC_PROJECT: project,
    },
    /** How often each name is stored. */
    stored: () => counted(server.world.transcripts(project).map(({ record }) => record.name)),
    close() {
      http.closeAllConnections()
      http.close()
    },
  }
}

export function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
