import { Agent, request as httpRequest } from 'node:http'
import { createClient, type SvcClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import ky from 'ky'
import OpenAI from 'openai'
import createOpenApiFetch from 'openapi-fetch'
import Stripe from 'stripe'
import * as undici from 'undici'

/** One way to call the service. */
export interface Peer {
  /** Reads one record. */
  get(): Promise<unknown>
  /** Sends a body as JSON. */
  upload(body: Upload): Promise<unknown>
}

export interface Upload {
  name: string
  turns: { role: 'user'; content: string }[]
}

const headers = { authorization: 'Bearer k' }
const json = { ...headers, 'content-type': 'application/json' }
const path = '/projects/hp-1'
const uploads = `${path}/transcripts`

/** The client and its peers, each made from a base URL. */
export const peers = {
  'bare openapi-fetch': openApiFetchPeer,
  '@svc/client': (baseUrl) => svcPeer(createClient({ apiKey: 'k', baseUrl, publicBaseUrl: baseUrl })),
  'raw fetch': (baseUrl) => fetchPeer(baseUrl, (url, init) => fetch(url, init)),
  '@svc/client over nodeTransport()': (baseUrl) =>
    svcPeer(createClient({ apiKey: 'k', baseUrl, publicBaseUrl: baseUrl, transport: nodeTransport() })),
  '@svc/client over nodeTransport({ connections: 8 })': (baseUrl) => {
    const transport = nodeTransport({ connections: 8 })
    return svcPeer(createClient({ apiKey: 'k', baseUrl, publicBaseUrl: baseUrl, transport }))
  },
  'bare node:http': httpPeer,
  'undici request': undiciPeer,
  'undici fetch': (baseUrl) => fetchPeer(baseUrl, (url, init) => undici.fetch(url, init)),
  stripe: stripePeer,
  openai: openAiPeer,
  ky: kyPeer,
} satisfies Record<string, (baseUrl: string) => Peer>

export type PeerName = keyof typeof peers

const svcPeer = (svc: SvcClient): Peer => ({
  get: () => svc.projects.get('hp-1'),
  upload: (body) => svc.transcripts.upload('hp-1', body),
})

function openApiFetchPeer(baseUrl: string): Peer {
  const bare = createOpenApiFetch<Record<string, never>>({ baseUrl, headers }) as unknown as {
    GET(path: string): Promise<unknown>
    POST(path: string, init: { body: Upload }): Promise<unknown>
  }
  return { get: () => bare.GET(path), upload: (body) => bare.POST(uploads, { body }) }
}

type JsonFetch = (
  url: string,
  init: { method?: string; headers: Record<string, string>; body?: string },
) => Promise<{ json(): Promise<unknown> }>

const fetchPeer = (baseUrl: string, send: JsonFetch): Peer => ({
  get: async () => (await send(baseUrl + path, { headers })).json(),
  upload: async (body) =>
    (await send(baseUrl + uploads, { method: 'POST', headers: json, body: JSON.stringify(body) })).json(),
})

function httpPeer(baseUrl: string): Peer {
  const { hostname: host, port } = new URL(baseUrl)
  const agent = new Agent({ keepAlive: true })
  const send = (options: { method: string; path: string; headers: Record<string, string> }, body?: string) =>
    new Promise<unknown>((resolve, reject) => {
      const sent = httpRequest({ host, port, agent, ...options }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve(JSON.parse(text)))
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return {
    get: () => send({ method: 'GET', path, headers }),
    upload: (body) => send({ method: 'POST', path: uploads, headers: json }, JSON.stringify(body)),
  }
}

function undiciPeer(baseUrl: string): Peer {
  return {
    get: async () => (await undici.request(baseUrl + path, { headers })).body.json(),
    upload: async (body) => {
      const sent = { method: 'POST', headers: json, body: JSON.stringify(body) } as const
      return (await undici.request(baseUrl + uploads, sent)).body.json()
    },
  }
}

function stripePeer(baseUrl: string): Peer {
  const { hostname: host, port } = new URL(baseUrl)
  const stripe = new Stripe('sk_test_k', { host, port, protocol: 'http', telemetry: false })
  return {
    get: () => stripe.rawRequest('GET', `/v2${path}`),
    // Only paths of its second version are sent as JSON.
    upload: (body) => stripe.rawRequest('POST', `/v2${uploads}`, { ...body }),
  }
}

function openAiPeer(baseURL: string): Peer {
  const openai = new OpenAI({ apiKey: 'k', baseURL })
  return { get: () => openai.get(path), upload: (body) => openai.post(uploads, { body }) }
}

function kyPeer(baseUrl: string): Peer {
  const own = ky.create({ prefix: baseUrl, headers })
  return { get: () => own.get(path).json(), upload: (body) => own.post(uploads, { json: body }).json() }
}
