import type { ClientOptions } from '@svc/client'
import { nodeTransport } from '@svc/client/node'

/** A way to the network that a client is given, and how it is put away again. */
export interface Transport {
  name: string
  /** Its connections are the client's to close; Node's fetch opens and keeps them as it likes, also after an abort. */
  keepsItsOwn: boolean
  open(): { options: ClientOptions; close(): Promise<void> }
}

/** Every fault is put to each of these. */
export const transports: Transport[] = [
  { name: 'the global fetch', keepsItsOwn: false, open: () => ({ options: {}, close: async () => {} }) },
  nodeTransportAs('nodeTransport()', undefined),
  nodeTransportAs('nodeTransport({ connections: 40 })', 40),
]

function nodeTransportAs(name: string, connections: number | undefined): Transport {
  return {
    name,
    keepsItsOwn: true,
    open: () => {
      const transport = nodeTransport({ environment: {}, connections })
      return { options: { transport }, close: () => transport.close() }
    },
  }
}
