import { createClient } from '@svc/client'

/**
 * Bytes in use after so many calls, garbage collected, through a Fetch in memory; printed as JSON. With `signal` every
 * call has the same long-lived signal, with `missing` each ends in a 404.
 */
const [kind] = process.argv.slice(2)
const marks = [10_000, 50_000, 100_000]
const record = JSON.stringify({ data: { id: 'hp-1', name: 'P' }, processing_time_ms: 1 })
const missing = JSON.stringify({ error: { message: 'No such project.', type: 'not_found_error', code: 404 } })
const answer =
  kind === 'missing'
    ? () => new Response(missing, { status: 404, headers: { 'content-type': 'application/json' } })
    : () => new Response(record, { status: 200, headers: { 'content-type': 'application/json' } })

const baseUrl = 'http://127.0.0.1'
const svc = createClient({ apiKey: 'k', baseUrl, publicBaseUrl: baseUrl, fetch: async () => answer() })
const options = kind === 'signal' ? { signal: new AbortController().signal } : {}

async function inUse(): Promise<number> {
  // What finalizers let go is collected by the next round.
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage().heapUsed
}

const used: number[] = []
for (let calls = 1; calls <= 100_000; calls++) {
  await svc.projects.get('hp-1', options).catch((error) => {
    if (kind !== 'missing') throw error
  })
  // Promises alone never let the event loop turn, and with it what is collected only there.
  if (calls % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  if (marks.includes(calls)) used.push(await inUse())
}
console.log(JSON.stringify(used))
