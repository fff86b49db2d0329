/**
 * A transport for Node.js.
 *
 * @module @svc/client/node
 */

export { idReused, instantOf, onceStamp } from '../reconciliation/index.js'
export { proxyFor } from './proxy.js'
export { type NodeTransport, type NodeTransportOptions, nodeTransport } from './transport.js'
