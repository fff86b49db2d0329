import { cpus } from 'node:os'
import { benchCli } from './cli.js'
import { benchClient } from './client.js'
import { benchServer } from './server.js'
import { benchSize } from './size.js'

console.log(`node ${process.version}, ${cpus().length} cores; every ratio is measured side by side in this run`)
await benchSize()
await benchClient()
await benchServer()
await benchCli()
