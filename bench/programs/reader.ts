import { createClient } from '@svc/client'

/** Reads with 8 concurrent callers for a number of milliseconds. */
const [baseUrl = '', apiKey = '', ms] = process.argv.slice(2)
const svc = createClient({ apiKey, baseUrl, publicBaseUrl: baseUrl })

setTimeout(() => process.exit(), Number(ms))
const caller = async () => {
  for (;;) await svc.projects.get('hp-1')
}
await Promise.all(Array.from({ length: 8 }, caller))
