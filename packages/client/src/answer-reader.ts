/** Headers of an answer: names in lower case, values that came more than once in one. */
export type RawHeaders = Record<string, string | string[] | undefined>

/** Who is told of an answer as its bytes come. */
export interface AnswerListener {
  head(status: number, text: string, headers: RawHeaders): void
  data(part: Uint8Array): void
  /** All of it was there; whether the connection can carry another exchange. */
  end(mayGoOn: boolean): void
}

/** Longer heads, lines of sizes and trailers are refused, as Node does. */
const mostHead = 16_384
/** So long a line with the size of a chunk may be, its extensions included. */
const mostLine = 4_096

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/
/** A name as RFC 9110 allows it. */
const token = /^[\w!#$%&'*+.^`|~-]+$/
/** No value holds a control character. */
const control = /[^\t -~\x80-\xff]/
/** Of those that must not come twice, the first holds. */
const single = new Set(['content-type', 'retry-after', 'location', 'server', 'etag', 'expires', 'last-modified', 'age'])

const none = Buffer.alloc(0)

/**
 * Reads one answer of HTTP/1.1 from the bytes of a connection (RFC 9112). Strict: where it is not certain where an answer
 * ends, it throws, for what follows could be taken for another answer.
 */
export class AnswerReader {
  readonly #listener: AnswerListener
  readonly #isHead: boolean
  #state: 'head' | 'body' | 'size' | 'chunk' | 'break' | 'trailer' | 'rest' | 'ended' = 'head'
  /** What came, and up to where it is read. */
  #held: Buffer = none
  #at = 0
  /** Bytes that the body, the chunk or the trailers still may have. */
  #left = 0
  #mayGoOn = false

  constructor(method: string, listener: AnswerListener) {
    this.#isHead = method === 'HEAD'
    this.#listener = listener
  }

  /** Takes what came next; throws where it is no HTTP. */
  push(bytes: Buffer): void {
    this.#held = this.#unread > 0 ? Buffer.concat([this.#held.subarray(this.#at), bytes]) : bytes
    this.#at = 0
    while (this.#step());
  }

  /** The connection was ended; false where the answer was not whole. */
  close(): boolean {
    if (this.#state === 'rest') this.#end()
    return this.#state === 'ended'
  }

  /** How much came and is not read yet: part of a head or of a line. */
  get #unread(): number {
    return this.#held.length - this.#at
  }

  /** Reads one more thing; false where there is not enough for it. */
  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#head(this.#upTo('\r\n\r\n', mostHead))
      case 'body':
      case 'chunk':
        return this.#data()
      case 'size':
        return this.#size(this.#upTo('\r\n', mostLine))
      case 'break': {
        const line = this.#upTo('\r\n', 2)
        if (line) throw unreadable('a chunk is longer than it said')
        if (line !== undefined) this.#state = 'size'
        return line !== undefined
      }
      case 'trailer': {
        const line = this.#upTo('\r\n', this.#left)
        if (line === '') this.#end()
        else if (line !== undefined) this.#left -= line.length + 2
        return !!line
      }
      case 'rest':
        if (this.#unread > 0) this.#listener.data(this.#taken(this.#unread))
        return false
      case 'ended':
        return false
    }
  }

  /** The text before a mark, when that is there. */
  #upTo(mark: string, most: number): string | undefined {
    const at = this.#held.indexOf(mark, this.#at, 'latin1')
    const length = at < 0 ? this.#unread - mark.length + 1 : at - this.#at
    if (length > most) throw unreadable('a head or line is too long')
    if (at < 0) return undefined
    const text = this.#held.toString('latin1', this.#at, at)
    this.#at = at + mark.length
    return text
  }

  #taken(bytes: number): Buffer {
    const from = this.#at
    this.#at += bytes
    return this.#held.subarray(from, this.#at)
  }

  #head(text: string | undefined): boolean {
    if (text === undefined) return false
    const [first = '', ...lines] = text.split('\r\n')
    const [, minor, code, reason = ''] = statusLine.exec(first) ?? []
    if (minor === undefined) throw unreadable('the answer does not begin as one')
    const status = Number(code)
    // Others of this kind announce the answer proper.
    if (status === 101) throw unreadable('the answer is a change of protocols')
    if (status < 200) return true
    const headers = headersOf(lines)
    const tokens = listed(headers.connection)
    this.#mayGoOn = minor === '1' && !tokens.includes('close')
    this.#begin(status, headers)
    this.#listener.head(status, reason, headers)
    if (this.#state === 'body' && this.#left === 0) this.#end()
    return true
  }

  /** How the body is delimited (RFC 9112, section 6.3). */
  #begin(status: number, { 'transfer-encoding': coding, 'content-length': length }: RawHeaders): void {
    this.#state = 'body'
    if (this.#isHead || status === 204 || status === 304) return
    if (coding !== undefined) {
      // Two lengths: one of the machines on the way may have gone by the other.
      if (length !== undefined) throw unreadable('the answer tells its length twice')
      const codings = listed(coding)
      if (codings.length > 1 || codings[0] !== 'chunked')
        throw unreadable('the answer is transferred in an unknown way')
      this.#state = 'size'
    } else if (length === undefined) {
      this.#state = 'rest'
      this.#mayGoOn = false
    } else {
      const [one = '', ...more] = listed(length)
      if (!/^\d{1,15}$/.test(one) || more.some((each) => each !== one)) throw unreadable('the length is no number')
      this.#left = Number(one)
    }
  }

  #data(): boolean {
    if (this.#unread === 0) return false
    const part = this.#taken(Math.min(this.#left, this.#unread))
    this.#left -= part.length
    this.#listener.data(part)
    if (this.#left > 0) return false
    if (this.#state === 'chunk') this.#state = 'break'
    else this.#end()
    return true
  }

  #size(line: string | undefined): boolean {
    if (line === undefined) return false
    const [, digits] = /^([\da-f]{1,12})[\t ]*(?:;.*)?$/i.exec(line) ?? []
    if (digits === undefined) throw unreadable('the size of a chunk is no number')
    const size = Number.parseInt(digits, 16)
    this.#left = size > 0 ? size : mostHead
    this.#state = size > 0 ? 'chunk' : 'trailer'
    return true
  }

  #end(): void {
    this.#state = 'ended'
    // Bytes that nobody asked for.
    this.#listener.end(this.#mayGoOn && this.#unread === 0)
  }
}

function headersOf(lines: readonly string[]): RawHeaders {
  const headers = Object.create(null) as RawHeaders
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
    const value = trimmed(line, colon + 1)
    if (!token.test(name) || control.test(value)) throw unreadable('a header is none')
    const before = headers[name]
    if (name === 'set-cookie') headers[name] = [...((before as string[] | undefined) ?? []), value]
    else if (before === undefined) headers[name] = value
    else if (!single.has(name)) headers[name] = `${before}, ${value}`
  }
  return headers
}

/** The end of a line without the blanks around it. */
function trimmed(line: string, from: number): string {
  let start = from
  let end = line.length
  while (start < end && isBlank(line.charCodeAt(start))) start++
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--
  return line.slice(start, end)
}

const isBlank = (code: number) => code === 32 || code === 9

/** The words of a list, in small letters. */
function listed(value: string | string[] | undefined): string[] {
  if (value === undefined) return []
  const text = String(value).toLowerCase()
  return text.includes(',') ? text.split(',').map((each) => each.trim()) : [text]
}

/** What no peer of HTTP may send; without its words, which may be anything. */
const unreadable = (why: string): Error =>
  Object.assign(new Error(`The answer cannot be read: ${why}.`), { code: 'ERR_HTTP_ANSWER' })
