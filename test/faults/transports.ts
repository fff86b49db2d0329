import type { ClientOptions } from '@svc/client'
import { nodeTransport } from '@svc/client/node'

/** A way to the network that a client is given, and how it is put away again. */
export interface Transport {
  name: string
  /** Its connections are the client's to close; Node's fetch opens and keeps them as it likes, also after an abort. */
  keepsItsOwn: boolean
  /** `onHead` is called when the head of an answer is there, where no channel of Node's tells it. */
  open(onHead?: () => void): { options: ClientOptions; close(): Promise<void> }
}

/** Every fault is put to each of these. */
export const transports: Transport[] = [
  { name: 'the global fetch', keepsItsOwn: false, open: () => ({ options: {}, close: async () => {} }) },
  {
    name: 'nodeTransport()',
    keepsItsOwn: true,
    open: (onHead = () => {}) => {
      const transport = nodeTransport({ environment: {} })
      const fetch: typeof transport.fetch = async (request) => {
        const answer = await transport.fetch(request)
        onHead()
        return answer
      }
      return { options: { transport: { ...transport, fetch } }, close: () => transport.close() }
    },
  },
]
