/**
 * A transport for Node.js.
 *
 * @module @svc/client/node
 */

export { proxyFor } from './proxy.js'
export { type NodeTransport, type NodeTransportOptions, nodeTransport } from './transport.js'
