import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CallOptions, createClient, InputError, ServiceError, type SvcClient } from '@svc/client'
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

/** The response of a read of a project, with its body unread. */
const raw = (svc: SvcClient, options: CallOptions = {}) =>
  svc.request('workspace', 'GET', '/projects/p', {}, { ...options, asResponse: true })

const first = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r1' })
  response.write(text.slice(0, 5))
}

describe.each([undefined, 'node'] as const)('asResponse over the transport %s', (transport) => {
  it('gives the headers before the body has ended, and the body as it comes', async () => {
    let held: ServerResponse | undefined
    const { svc } = await served((response) => {
      first(response)
      held = response
    }, transport)
    const response = await raw(svc)
    expect([response.status, response.headers.get('x-request-id'), response.bodyUsed]).toEqual([200, 'r1', false])
    held?.end(text.slice(5))
    expect(await response.text()).toBe(text)
  })

  it('retries and throws like any call', async () => {
    const { svc, asked } = await served((response, n) => {
      response.statusCode = n === 1 ? 503 : n === 2 ? 200 : 404
      response.end(n === 2 ? text : '{}')
    }, transport)
    const response = await raw(svc)
    expect([await response.text(), asked.length]).toEqual([text, 2])
    await expect(raw(svc)).rejects.toMatchObject({ name: ServiceError.name, status: 404 })
  })

  it('ends a body with an error if the caller aborts', async () => {
    const { svc } = await served(first, transport)
    const controller = new AbortController()
    const response = await raw(svc, { signal: controller.signal })
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
    const response = await raw(svc)
    await response.body?.cancel()
    await closed
  })

  it('ends a body that breaks off with an error', async () => {
    const { svc } = await served((response) => {
      response.writeHead(200, { 'content-length': String(text.length) })
      response.write(text.slice(0, 5), () => response.destroy())
    }, transport)
    const response = await raw(svc)
    await expect(response.text()).rejects.toThrow()
  })
})

describe('asResponse', () => {
  it('asResponse is also the response of withResponse()', async () => {
    const { svc } = await served((response) => response.end('a,b\n1,2\n'))
    const { data, response } = await raw(svc).withResponse()
    expect(data).toBe(response)
    expect(await data.text()).toBe('a,b\n1,2\n')
  })

  it('asResponse is refused for a write before anything is sent, because its answer decides what was stored', async () => {
    const { svc, asked } = await served((response) => response.end())
    const call = svc.request('workspace', 'POST', '/projects', {}, { asResponse: true })
    await expect(call).rejects.toMatchObject({ name: InputError.name, reason: 'invalid_input' })
    expect(asked).toEqual([])
  })
})
