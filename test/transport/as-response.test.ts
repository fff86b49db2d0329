import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, InputError, ServiceError } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { afterEach, describe, expect, it } from 'vitest'

const project = { id: 'p', name: 'n', transcript_count: 0, latest_transcript_at: null, created_at: '', updated_at: '' }
const text = JSON.stringify({ data: project })

let server: Server | undefined
afterEach(() => server?.closeAllConnections())

/** A client of a service on a socket, which answers as told and keeps what it was asked. */
async function served(answer: (response: ServerResponse, n: number) => void, transport?: 'node') {
  const asked: string[] = []
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    answer(response, asked.length)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const svc = createClient({
    ...{ baseUrl: url, publicBaseUrl: url, apiKey: 'k', retry: { baseMs: 1 } },
    ...(transport && { transport: nodeTransport() }),
  })
  return { svc, asked }
}

const first = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r1' })
  response.write(text.slice(0, 5))
}

describe.each([undefined, 'node'] as const)('asResponse() over the transport %s', (transport) => {
  it('gives the headers before the body has ended, and the body as it comes', async () => {
    let held: ServerResponse | undefined
    const { svc } = await served((response) => {
      first(response)
      held = response
    }, transport)
    const response = await svc.projects.get('p').asResponse()
    expect([response.status, response.headers.get('x-request-id'), response.bodyUsed]).toEqual([200, 'r1', false])
    held?.end(text.slice(5))
    expect(await response.text()).toBe(text)
  })

  it('retries and throws like any call', async () => {
    const { svc, asked } = await served((response, n) => {
      response.statusCode = n === 1 ? 503 : n === 2 ? 200 : 404
      response.end(n === 2 ? text : '{}')
    }, transport)
    const response = await svc.projects.get('p').asResponse()
    expect([await response.text(), asked.length]).toEqual([text, 2])
    await expect(svc.projects.get('p').asResponse()).rejects.toMatchObject({ name: ServiceError.name, status: 404 })
  })

  it('ends a body with an error if the caller aborts', async () => {
    const { svc } = await served(first, transport)
    const controller = new AbortController()
    const response = await svc.projects.get('p', { signal: controller.signal }).asResponse()
    const reading = response.text()
    controller.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })

  it('ends the connection if the caller cancels the body', async () => {
    let closed: Promise<void> | undefined
    const { svc } = await served((response) => {
      first(response)
      closed = new Promise((resolve) => response.on('close', resolve))
    }, transport)
    const response = await svc.projects.get('p').asResponse()
    await response.body?.cancel()
    await closed
  })

  it('ends a body that breaks off with an error', async () => {
    const { svc } = await served((response) => {
      response.writeHead(200, { 'content-length': String(text.length) })
      response.write(text.slice(0, 5), () => response.destroy())
    }, transport)
    const response = await svc.projects.get('p').asResponse()
    await expect(response.text()).rejects.toThrow()
  })
})

describe('asResponse()', () => {
  it('serves requests that no method covers, of any content', async () => {
    const { svc } = await served((response) => response.end('a,b\n1,2\n'))
    expect(await (await svc.request('workspace', 'GET', '/export.csv').asResponse()).text()).toBe('a,b\n1,2\n')
  })

  it('is refused for a write before anything is sent, because its answer decides what was stored', async () => {
    const { svc, asked } = await served((response) => response.end())
    for (const call of [svc.projects.create({ name: 'n' }), svc.request('workspace', 'POST', '/projects')]) {
      await expect(call.asResponse()).rejects.toMatchObject({ name: InputError.name, reason: 'invalid_input' })
    }
    expect(asked).toEqual([])
  })

  it('is refused once the request was sent', async () => {
    const { svc } = await served((response) => response.end(text))
    const call = svc.projects.get('p')
    expect(await call).toMatchObject({ id: 'p' })
    await expect(call.asResponse()).rejects.toThrow('call it at once')
    expect((await call.withResponse()).response.status).toBe(200)
  })
})
