import { listen } from './http-server.js'

/** The counts of each window of each key. */
export type Windows = Record<string, { accepted: number; refused: number }[]>

/**
 * A fixed window for each key: 200 requests in 10 s, each served in 20 ms; others are refused with the seconds until the next
 * window. The first window of a key begins with its first request. `/windows` returns the counts.
 */
const windowMs = 10_000
const quota = 200
const record = JSON.stringify({ data: { id: 'hp-1', name: 'P' }, processing_time_ms: 20 })
const refusal = JSON.stringify({ error: { message: 'Too many requests.', type: 'rate_limit_error', code: 429 } })

const startedAt = new Map<string, number>()
const windowsOf: Windows = {}

listen((request, send) => {
  request.resume()
  if (request.url === '/windows') return send(200, JSON.stringify(windowsOf))
  const key = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const now = performance.now()
  const start = startedAt.get(key) ?? now
  startedAt.set(key, start)
  windowsOf[key] ??= []
  const windows = windowsOf[key]
  const index = Math.floor((now - start) / windowMs)
  while (windows.length <= index) windows.push({ accepted: 0, refused: 0 })
  const window = windows[index] as Windows[string][number]
  if (window.accepted < quota) {
    window.accepted++
    setTimeout(() => send(200, record), 20)
  } else {
    window.refused++
    const left = start + (index + 1) * windowMs - now
    send(429, refusal, { 'retry-after': String(Math.ceil(left / 1_000)) })
  }
})
