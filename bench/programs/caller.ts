import { createInterface } from 'node:readline'
import { createClient, type Transport } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import createOpenApiFetch from 'openapi-fetch'

/** One way to call the service. For each line on stdin, `calls callers get|upload`, it prints the milliseconds of a call. */
const [name = '', baseUrl = ''] = process.argv.slice(2)

export type Variant = 'bare openapi-fetch' | 'client' | 'raw fetch' | 'nodeTransport' | 'connections'

interface Calls {
  get(): Promise<unknown>
  upload(): Promise<unknown>
}

const path = '/projects/hp-1'
const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
const turns = Array.from({ length: 5 }, () => ({ role: 'user' as const, content: 'x'.repeat(1_000_000) }))
const large = { name: 'large', turns }

function throughClient(transport?: Transport): Calls {
  const svc = createClient({ apiKey: 'k', baseUrl, publicBaseUrl: baseUrl, ...(transport && { transport }) })
  return { get: () => svc.projects.get('hp-1'), upload: () => svc.transcripts.upload('hp-1', large) }
}

const variants: Record<Variant, () => Calls> = {
  'bare openapi-fetch': () => {
    const bare = createOpenApiFetch<Record<string, never>>({ baseUrl, headers }) as unknown as {
      GET(path: string): Promise<unknown>
      POST(path: string, init: { body: object }): Promise<unknown>
    }
    return { get: () => bare.GET(path), upload: () => bare.POST(`${path}/transcripts`, { body: large }) }
  },
  client: () => throughClient(),
  'raw fetch': () => ({
    get: async () => (await fetch(baseUrl + path, { headers })).json(),
    upload: async () => {
      const request = { method: 'POST', headers, body: JSON.stringify(large) }
      return (await fetch(`${baseUrl}${path}/transcripts`, request)).json()
    },
  }),
  nodeTransport: () => throughClient(nodeTransport()),
  connections: () => throughClient(nodeTransport({ connections: 8 })),
}

const calls = variants[name as Variant]()

async function timed(count: number, callers: number, what: keyof Calls): Promise<number> {
  const startedAt = performance.now()
  const caller = async () => {
    for (let i = 0; i < count / callers; i++) await calls[what]()
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return (performance.now() - startedAt) / count
}

for await (const line of createInterface({ input: process.stdin })) {
  const [count, callers, what] = line.split(' ')
  // Warm up after the pause.
  await timed(Math.ceil(Number(count) / 10), 1, what as keyof Calls)
  console.log(await timed(Number(count), Number(callers), what as keyof Calls))
}
process.exit()
