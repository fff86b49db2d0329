/** What sends requests, in one piece: loaded together, it is loaded sooner. */
export { createClient } from '@svc/client'
export { nodeTransport } from '@svc/client/node'
