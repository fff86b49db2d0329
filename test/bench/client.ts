import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@svc/client'
import createOpenApiFetch from 'openapi-fetch'
import { report, sideBySide, timed } from './measure.js'

const project = { data: { id: 'hp-1', name: 'P' }, processing_time_ms: 1 }

/** A GET and a 5 MB upload through the client, beside openapi-fetch and raw fetch, over loopback. */
export async function benchClient(): Promise<void> {
  const answer = JSON.stringify(project)
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(request.method === 'POST' ? 201 : 200, {
        'content-type': 'application/json',
        'content-length': answer.length,
      })
      response.end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const headers = { authorization: 'Bearer k' }
  const svc = createClient({ apiKey: 'k', baseUrl, publicBaseUrl: baseUrl })
  const bare = createOpenApiFetch<Record<string, never>>({ baseUrl, headers }) as unknown as {
    GET(path: string): Promise<unknown>
  }

  const get = {
    'bare openapi-fetch': timed(300, () => bare.GET('/projects/hp-1')),
    'raw fetch': timed(300, async () => (await fetch(`${baseUrl}/projects/hp-1`, { headers })).json()),
    '@svc/client': timed(300, () => svc.projects.get('hp-1')),
  }
  report('GET', 'ms a call', await sideBySide(get, 15))

  const turns = Array.from({ length: 5 }, () => ({ role: 'user' as const, content: 'x'.repeat(1_000_000) }))
  const upload = { name: 'large', turns }
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
  const send = {
    'raw fetch': timed(3, async () =>
      (await fetch(`${baseUrl}/upload`, { ...init, body: JSON.stringify(upload) })).json(),
    ),
    '@svc/client': timed(3, () => svc.transcripts.upload('hp-1', upload)),
  }
  report('5 MB upload', 'ms a call', await sideBySide(send, 15))
  server.closeAllConnections()
  server.close()
}
