import { writeSync } from 'node:fs'
import { createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'

/** Prints for how many milliseconds the process lived after its last await, in the way that it was told to end. */
export type Ending = 'success' | 'refusal' | 'ECONNREFUSED' | 'time-out' | 'abort'

const [how, transport, baseUrl = ''] = process.argv.slice(2)
const url = how === 'ECONNREFUSED' ? 'http://127.0.0.1:9' : baseUrl
const options = { apiKey: 'k', baseUrl: url, publicBaseUrl: url, retry: { attempts: 2 } }
const stop = new AbortController()

/** One read, however it ends. */
async function read(): Promise<void> {
  if (transport === 'fetch') {
    const signal = how === 'time-out' ? AbortSignal.timeout(200) : stop.signal
    await (await fetch(`${url}/projects/${id}`, { signal })).text()
    return
  }
  const svc = createClient(transport === 'node' ? { ...options, transport: nodeTransport() } : options)
  await svc.projects.get(id, { signal: stop.signal, ...(how === 'time-out' && { timeoutMs: 200 }) })
}

const id = how === 'refusal' ? 'missing' : how === 'time-out' || how === 'abort' ? 'stalled' : 'hp-1'
if (how === 'abort') setTimeout(() => stop.abort(), 200)
await read().catch(() => {})
const doneAt = performance.now()
process.on('exit', () => writeSync(1, String(performance.now() - doneAt)))
