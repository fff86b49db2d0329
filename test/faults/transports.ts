import type { ClientOptions } from '@svc/client'
import { nodeTransport } from '@svc/client/node'

/** A way to the network that a client is given, and how it is put away again. */
export interface Transport {
  name: string
  open(): { options: ClientOptions; close(): Promise<void> }
}

/** Every fault is put to each of these. */
export const transports: Transport[] = [
  { name: 'the global fetch', open: () => ({ options: {}, close: async () => {} }) },
  {
    name: 'nodeTransport()',
    open: () => {
      const transport = nodeTransport({ environment: {} })
      return { options: { transport }, close: () => transport.close() }
    },
  },
]
