/** One answer as it stood on the wire. */
export interface WireAnswer {
  status: number
  /** By their names in lower case. */
  headers: Record<string, string>
  text: string
}

/** Thrown if the received bytes are no HTTP answer. */
export class NoAnswer extends Error {}

const head =
  /^HTTP\/1\.1 (\d{3}) [\t\x20-\x7e]*\r\n((?:[!#$%&'*+.^_`|~0-9a-z-]+:[ \t]*[\t\x20-\x7e\x80-\xff]*\r\n)*)\r\n/i

/**
 * Takes the first answer off bytes (as latin1); nothing where it has not come whole. `hasBody` false: an answer to HEAD.
 * An answer without Content-Length is none, as this server knows all lengths.
 */
export function takeAnswer(bytes: string, hasBody: boolean): { answer: WireAnswer; rest: string } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [whole, status, lines = ''] = head.exec(bytes) ?? []
  if (whole === undefined || status === undefined) throw new NoAnswer(`no HTTP: ${bytes.slice(0, 200)}`)
  const headers: Record<string, string> = {}
  for (const line of lines.split('\r\n').slice(0, -1)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    if (name in headers) throw new NoAnswer(`two ${name}: ${whole}`)
    headers[name] = line.slice(colon + 1).trim()
  }
  const code = Number(status)
  const isBodiless = code < 200 || code === 204 || code === 304
  const length = headers['content-length']
  if (isBodiless ? length !== undefined && code !== 304 : !/^\d+$/.test(length ?? ''))
    throw new NoAnswer(`a wrong length: ${whole}`)
  const until = whole.length + (isBodiless || !hasBody ? 0 : Number(length))
  if (bytes.length < until) return undefined
  const text = Buffer.from(bytes.slice(whole.length, until), 'latin1').toString('utf8')
  return { answer: { status: code, headers, text }, rest: bytes.slice(until) }
}

/** All answers in what came until the connection ended. An answer may be to HEAD, so its body may be absent. */
export function takeAll(bytes: string): WireAnswer[] {
  if (bytes === '') return []
  const after = bytes.slice(bytes.indexOf('\r\n\r\n') + 4)
  const isBare = after === '' || after.startsWith('HTTP/1.1 ')
  const taken = takeAnswer(bytes, !isBare)
  if (!taken) throw new NoAnswer(`half an answer: ${bytes.slice(0, 200)}`)
  const { answer, rest } = taken
  return answer.status < 200 ? takeAll(rest) : [answer, ...takeAll(rest)]
}
