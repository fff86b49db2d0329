/**
 * The disk and the processes of Node.js as the durable upload uses them, and claims of files that one process writes. It loads
 * nothing of the upload.
 *
 * @module @svc/bulk/node
 */

export { type Claim, claim, hasEnded, ownerMark } from './claims.js'
export { nodeDisk, nodeEnvironment, nodeHost, removeQuietly, writeAll } from './environment/index.js'
