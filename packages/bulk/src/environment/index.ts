export type { BulkEnvironment, Disk, DiskFile, Host, Owner } from './environment.js'
export { makeFolder, nodeDisk, nodeEnvironment, nodeHost, syncFolder } from './node.js'
