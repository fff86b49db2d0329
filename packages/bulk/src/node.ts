/**
 * What the durable upload uses of the machine under Node, without the upload: its disk, its processes, and claims of files
 * that one process writes.
 *
 * @module @svc/bulk/node
 */

export { type Claim, claim, hasEnded, ownerMark } from './claims.js'
export { nodeDisk, nodeEnvironment, nodeHost, removeQuietly, writeAll } from './environment/index.js'
