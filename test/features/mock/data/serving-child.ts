import { createServer } from '@svc/reference-server/core'
import { openStore, StoreError } from '@svc/reference-server/data'
import type { Said } from './serving.js'

// Serves the world of a folder until it is killed, or says why it cannot.
const [folder = '', projectId = ''] = process.argv.slice(2)
const say = (said: Said) => process.stdout.write(`${JSON.stringify(said)}\n`)
try {
  const store = await openStore(folder)
  const server = createServer({ store, seed: { projects: [{ id: projectId, name: 'Kept' }] } })
  const { publicBaseUrl } = await server.listen()
  say({ publicBaseUrl })
} catch (error) {
  if (!(error instanceof StoreError)) throw error
  const { reason, message, hint = '' } = error
  say({ refused: { reason, message, hint } })
  process.exitCode = 3
}
