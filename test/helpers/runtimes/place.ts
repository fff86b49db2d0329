import { EventEmitter, once } from 'node:events'
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createServer, referenceKey } from '@svc/reference-server/core'
import type { Urls } from './job.js'

/** Reference servers on loopback, and one origin that reaches all of them and misbehaves on request. */
export interface Place {
  /** As a program that may send to any origin finds them. */
  urls: Urls
  /** The origin for browsers, which serves the page and passes calls on. */
  origin: string
  /** How often a redirect was followed. */
  followed(): number
  /** The body that the browser posts. */
  reported: Promise<string>
  close(): Promise<void>
}

/** Opens a place; `script` and `page` are what a browser is served. */
export async function openPlace(served: { script: string; page: string } = { script: '', page: '' }): Promise<Place> {
  const server = await createServer().listen()
  const limited = await createServer({ limits: { requests: 1, windowMs: 2_000 } }).listen()
  let followed = 0
  const [arrived, arrive] = settled<string | undefined>()
  const [gone, leave] = settled<boolean>()
  const [reported, report] = settled<string>()

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const [, first = '', ...rest] = (request.url ?? '').split('/')
    const json = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    const passOn = (base: string) => forward(request, response, `${base}/${rest.join('/')}`)
    switch (first) {
      case '':
        return response.setHeader('content-type', 'text/html; charset=utf-8').end(served.page)
      case 'job.js':
        return response.setHeader('content-type', 'text/javascript; charset=utf-8').end(served.script)
      case 'urls':
        return json(urlsOf(`${origin}/server`, `${origin}/limited`))
      case 'report':
        report(await text(request))
        return response.end()
      case 'server':
        return passOn(server.baseUrl)
      case 'limited':
        return passOn(limited.baseUrl)
      case 'moved':
        return response.writeHead(302, { location: '/landed' }).end()
      case 'landed':
        followed++
        return json({ annotators: [] })
      case 'stalled':
        if (rest[0] === 'briefly') return
        response.on('close', () => leave(true))
        return arrive(request.headers['user-agent'])
      case 'arrived':
        return json((await arrived) ?? null)
      case 'gone':
        return json(await gone)
      default:
        return response.writeHead(404).end()
    }
  }
  const edge = createHttpServer((request, response) => void serve(request, response))
  const origin = await started(edge)
  const nobody = createHttpServer()
  const closedUrl = await started(nobody)
  nobody.close()

  const urlsOf = (baseUrl: string, limitedUrl: string): Urls => ({
    key: referenceKey,
    baseUrl,
    publicBaseUrl: server.publicBaseUrl.replace(server.baseUrl, baseUrl),
    limitedUrl,
    movedUrl: `${origin}/moved`,
    stalledUrl: `${origin}/stalled`,
    arrivedUrl: `${origin}/arrived`,
    goneUrl: `${origin}/gone`,
    closedUrl,
  })
  return {
    urls: urlsOf(server.baseUrl, limited.baseUrl),
    origin,
    followed: () => followed,
    reported,
    async close() {
      edge.closeAllConnections()
      edge.close()
      await Promise.all([server.close(), limited.close()])
    },
  }
}

/** A promise and what settles it. */
function settled<T>(): [Promise<T>, (value: T) => void] {
  const emitter = new EventEmitter()
  return [once(emitter, 'settled').then(([value]) => value), (value) => emitter.emit('settled', value)]
}

const started = (server: ReturnType<typeof createHttpServer>) =>
  new Promise<string>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  )

function forward(request: IncomingMessage, response: ServerResponse, url: string): void {
  const onward = httpRequest(url, { method: request.method, headers: request.headers }, (answer) => {
    answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}
