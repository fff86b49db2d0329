import { createClient } from '@svc/client'
import { type NodeTransport, nodeTransport } from '@svc/client/node'
import { same } from './same.mjs'

export async function through() {
  const transport = nodeTransport({ connectTimeoutMs: 1_000, environment: {} })
  same<typeof transport, NodeTransport>(true)
  same<ReturnType<NodeTransport['close']>, Promise<void>>(true)
  const svc = createClient({ baseUrl: 'https://svc.test', transport, timeoutMs: 600_000 })
  const { response, data } = await svc.health().withResponse()
  same<typeof response, Response>(true)
  same<typeof data.status, string>(true)
  await transport[Symbol.asyncDispose]()

  const answer = await transport.fetch(new Request('https://svc.test/health'))
  same<typeof answer, Response>(true)
  // @ts-expect-error no such option
  nodeTransport({ proxy: 'http://proxy.test' })
  // @ts-expect-error a transport sends
  createClient({ transport: {} })
}
