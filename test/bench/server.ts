import { Agent, createServer as createHttpServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { sideBySide, timed } from './measure.js'
import { compare, heading } from './page.js'

/** One GET of the reference server beside a bare node:http server that answers the same bytes. */
export async function benchServer(): Promise<void> {
  const server = createServer()
  const { id } = server.world.createProject({ name: 'P' }).record
  const listening = await server.listen()
  const path = `/public/api/v1/projects/${id}`
  const headers = { authorization: `Bearer ${referenceKey}` }
  const body = await (await fetch(listening.baseUrl + path, { headers })).text()
  const bare = createHttpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  const agent = new Agent({ keepAlive: true })
  const get = (port: number) => () =>
    new Promise<void>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, headers, agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
        .end()
    })
  const variants = {
    'bare node:http': timed(1_000, get((bare.address() as AddressInfo).port)),
    'reference server': timed(1_000, get(listening.port)),
  }
  heading('One request to the reference server', 'by the wall, the client included; 11 rounds of 1 000')
  compare(await sideBySide(variants, 11), { unit: 'µs', scale: 1_000, over: ['bare node:http'] })
  agent.destroy()
  bare.close()
  await listening.close()
}
