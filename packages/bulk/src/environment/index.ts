export type { BulkEnvironment, Disk, DiskFile, Host, Owner } from './environment.js'
export { nodeDisk, nodeEnvironment, nodeHost } from './node.js'
