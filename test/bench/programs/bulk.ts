import { createClient } from '@svc/client'
import ky from 'ky'
import OpenAI from 'openai'

/** Reads with 8 callers at once for as long as it may, and never gives up; prints nothing but `null`. */
const [who, baseUrl = '', key = '', ms] = process.argv.slice(2)

function reader(): () => Promise<unknown> {
  if (who === 'openai') {
    const openai = new OpenAI({ apiKey: key, baseURL: baseUrl, maxRetries: 1_000 })
    return () => openai.get('/projects/hp-1')
  }
  if (who === 'ky') {
    const own = ky.create({
      prefix: baseUrl,
      headers: { authorization: `Bearer ${key}` },
      retry: 1_000,
      timeout: false,
    })
    return () => own.get('projects/hp-1').json()
  }
  const svc = createClient({ apiKey: key, baseUrl, publicBaseUrl: baseUrl })
  return () => svc.projects.get('hp-1')
}

setTimeout(() => {
  console.log('null')
  process.exit()
}, Number(ms))
const read = reader()
const caller = async () => {
  for (;;) await read()
}
await Promise.all(Array.from({ length: 8 }, caller))
