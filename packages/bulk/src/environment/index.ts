export type { BulkEnvironment, Disk, DiskFile, Host, MachineTime, Owner } from './environment.js'
export { removeQuietly, writeAll } from './environment.js'
export { nodeDisk, nodeEnvironment, nodeHost } from './node.js'
