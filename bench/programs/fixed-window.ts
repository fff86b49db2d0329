import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A fixed window for each key: 200 calls in 10 s, each served in 20 ms, the rest refused at once with the whole seconds
 * until the next window. A key's first window begins with its first call, and the others follow without a gap.
 * `/windows` gives what each window of each key saw. Prints its port.
 */
export type Windows = Record<string, { accepted: number; refused: number }[]>

const windowMs = 10_000
const quota = 200
const record = JSON.stringify({ data: { id: 'hp-1', name: 'P' }, processing_time_ms: 20 })
const refusal = JSON.stringify({ error: { message: 'Too many requests.', type: 'rate_limit_error', code: 429 } })

const startedAt = new Map<string, number>()
const seen: Windows = {}

const server = createServer((request, response) => {
  request.resume()
  const answer = (status: number, body: string, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length, ...headers })
    response.end(body)
  }
  if (request.url === '/windows') return answer(200, JSON.stringify(seen))
  const key = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const now = performance.now()
  const since = startedAt.get(key) ?? now
  const windows = seen[key] ?? []
  startedAt.set(key, since)
  seen[key] = windows
  const number = Math.floor((now - since) / windowMs)
  while (windows.length <= number) windows.push({ accepted: 0, refused: 0 })
  const window = windows[number] as Windows[string][number]
  if (window.accepted < quota) {
    window.accepted++
    setTimeout(() => answer(200, record), 20)
  } else {
    window.refused++
    const left = since + (number + 1) * windowMs - now
    answer(429, refusal, { 'retry-after': String(Math.ceil(left / 1_000)) })
  }
})
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
