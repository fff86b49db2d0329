import { createClient } from '@svc/client'

/** Reads with 8 callers at once for so many milliseconds, and never gives up. */
const [baseUrl = '', apiKey = '', ms] = process.argv.slice(2)
const svc = createClient({ apiKey, baseUrl, publicBaseUrl: baseUrl })

setTimeout(() => process.exit(), Number(ms))
const caller = async () => {
  for (;;) await svc.projects.get('hp-1')
}
await Promise.all(Array.from({ length: 8 }, caller))
