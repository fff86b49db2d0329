import { writeSync } from 'node:fs'
import { type ClientEvent, createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { type EndingName, endingOf, enough } from './endings.js'

/** The input of the process, as JSON in its first argument. */
export interface Task {
  ending: EndingName
  transport: 'the global fetch' | 'nodeTransport()'
  baseUrl: string
  publicBaseUrl: string
  apiKey: string
  projectId: string
}

// Takes one way for a call to end, says what then still keeps the process alive, and does nothing about it.
const { ending, transport, projectId, ...options }: Task = JSON.parse(process.argv[2] ?? '')
const { run, stopsAfter } = endingOf(ending)
// Node opens its output when its fetch is loaded; that is none of the client's doing.
void process.stdout
const atFirst = process.getActiveResourcesInfo()
const stop = new AbortController()
const events: ClientEvent[] = []
process.once('SIGUSR2', () => stop.abort(enough))
const svc = createClient({
  ...options,
  environment: {},
  ...(transport === 'nodeTransport()' && { transport: nodeTransport({ environment: {} }) }),
  onEvent: (event) => {
    events.push(event)
    if (stopsAfter?.(events)) setImmediate(() => stop.abort(enough))
  },
})
const outcome = await run({ svc, projectId, stop }).then(
  () => 'resolved',
  (error: unknown) => (error === enough ? 'stopped' : (error as Error).name),
)
// A resource that was just closed stays in the list until the event loop has turned.
for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
const resources = process.getActiveResourcesInfo().filter((name) => !atFirst.includes(name))
writeSync(1, JSON.stringify({ outcome, resources }))
