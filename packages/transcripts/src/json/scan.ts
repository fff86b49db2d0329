/** Bounds the scanner and all recursion over parsed values. */
export const maxDepth = 512

/** Deeper JSON is refused: `JSON.stringify` of a part of it could run out of stack. */
const maxParsedDepth = 2_500

/** The first error in a JSON text. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
  /** In UTF-16 code units. */
  readonly offset: number
  /** The text is the beginning of a JSON text. */
  readonly isCutOff: boolean

  constructor(offset: number, message: string, isCutOff = false) {
    super(message)
    this.offset = offset
    this.isCutOff = isCutOff
  }
}

/** The first error in a text that should be one JSON document; undefined if there is none. */
export function syntaxError(text: string): JsonSyntaxError | undefined {
  try {
    const end = skipSpace(text, endOfValue(text, 0))
    return end < text.length ? expected('the end of the document', text, end) : undefined
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error
    throw error
  }
}

/** `JSON.parse`. Throws a JsonSyntaxError if the text is nested more than 2 500 levels deep. */
export function parseBounded(text: string): unknown {
  // Before `JSON.parse`, which would build all levels.
  if (isTooDeep(text)) endOfValue(text, 0, maxParsedDepth)
  return JSON.parse(text)
}

/** True for valid JSON that is nested too deeply; of other texts it may be true, too. */
function isTooDeep(text: string): boolean {
  let depth = 0
  // A shorter text cannot be nested that deeply.
  for (let at = 0; text.length > 2 * maxParsedDepth && at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at) - 1
    else if (code === openBracket || code === openBrace) depth++
    else if (code === openBracket + 2 || code === openBrace + 2) depth--
    if (depth > maxParsedDepth) return true
  }
  return false
}

/** The end of a string in valid JSON. */
export function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0
    while (json[at - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return json.length
}

/** The same JSON with quotes around the whole numbers that JavaScript would round. */
export function quoteLargeNumbers(json: string): string {
  let quoted = ''
  let from = 0
  while (from < json.length) {
    const start = json.indexOf('"', from)
    if (start === -1) return quoted + quotedIn(json.slice(from))
    const end = endOfText(json, start)
    quoted += quotedIn(json.slice(from, start)) + json.slice(start, end)
    from = end
  }
  return quoted
}

function quotedIn(between: string): string {
  return between.replace(/(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (digits) =>
    String(Number(digits)) === digits ? digits : `"${digits}"`,
  )
}

/** The start of each child of the array or object at `at`, by index or key; of equal keys the last, as in JSON.parse. */
export function children(text: string, at: number): Map<string, number> {
  const found = new Map<string, number>()
  const open = text[at]
  if (open !== '[' && open !== '{') return found
  const close = open === '[' ? ']' : '}'
  let next = skipSpace(text, at + 1)
  for (let index = 0; text[next] !== close; index++) {
    if (index > 0) {
      if (text[next] !== ',') throw expected(`"," or "${close}"`, text, next)
      next = skipSpace(text, next + 1)
    }
    let key = String(index)
    if (open === '{') {
      const end = endOfKey(text, next)
      key = JSON.parse(text.slice(next, text.lastIndexOf('"', end - 1) + 1))
      next = skipSpace(text, end)
    }
    found.set(key, next)
    next = skipSpace(text, endOfValue(text, next))
  }
  return found
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const openBrace = 0x7b

/** The end of the value at `start`. Iterative, so that deep nesting cannot exhaust the stack. */
export function endOfValue(text: string, start: number, deepest = maxDepth): number {
  const closers: string[] = []
  let at = start
  for (;;) {
    at = skipSpace(text, at)
    const open = text[at]
    if (open === undefined && closers.length > 0) throw cutOff(containerOf(closers.at(-1)), at)
    if (open === '{' || open === '[') {
      if (closers.length === deepest)
        throw new JsonSyntaxError(at, `expected at most ${deepest} levels of nesting, found more`)
      const close = open === '{' ? '}' : ']'
      at = skipSpace(text, at + 1)
      if (text[at] !== close) {
        closers.push(close)
        if (open === '{') at = endOfKey(text, at)
        continue
      }
      at++
    } else at = endOfScalar(text, at)

    for (;;) {
      const close = closers.at(-1)
      if (close === undefined) return at
      at = skipSpace(text, at)
      if (text[at] === close) {
        closers.pop()
        at++
        continue
      }
      if (at >= text.length) throw cutOff(containerOf(close), at)
      if (text[at] !== ',') throw expected(`"," or "${close}"`, text, at)
      at = skipSpace(text, at + 1)
      if (text[at] === close) throw expected('another element; remove the comma before it', text, at)
      if (close === '}') at = endOfKey(text, at)
      break
    }
  }
}

function endOfKey(text: string, at: number): number {
  if (at >= text.length) throw cutOff('an object', at)
  if (text[at] !== '"') throw expected('a key in double quotes', text, at)
  const colon = skipSpace(text, endOfString(text, at))
  if (colon >= text.length) throw cutOff('an object', colon)
  if (text[colon] !== ':') throw expected('":"', text, colon)
  return colon + 1
}

function endOfScalar(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at)
  for (const word of ['true', 'false', 'null']) {
    if (text.startsWith(word, at)) return at + word.length
    if (at < text.length && word.startsWith(text.slice(at, at + word.length))) throw cutOff('a value', text.length)
  }
  return endOfNumber(text, at)
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at + 1
    if (code < 0x20) throw expected('an escape such as \\n inside a string', text, at)
    if (code !== backslash) continue
    at++
    const escaped = text[at] ?? ''
    if (at + (escaped === 'u' ? 4 : 0) >= text.length && /^[\da-f]*$/i.test(text.slice(at + 1))) break
    if (escaped === 'u' && /^[\da-f]{4}$/i.test(text.slice(at + 1, at + 5))) at += 4
    else if (!'"\\/bfnrt'.includes(escaped)) throw expected('one of " \\ / b f n r t uXXXX after a backslash', text, at)
  }
  throw cutOff('a string', text.length)
}

function endOfNumber(text: string, start: number): number {
  let at = text[start] === '-' ? start + 1 : start
  if (text[at] === '0') at++
  else at = endOfDigits(text, at, at === start ? 'a value' : 'a digit')
  if (text[at] === '.') at = endOfDigits(text, at + 1, 'a digit')
  if (text[at] === 'e' || text[at] === 'E') {
    at++
    if (text[at] === '+' || text[at] === '-') at++
    at = endOfDigits(text, at, 'a digit')
  }
  return at
}

function endOfDigits(text: string, start: number, wanted: string): number {
  digits.lastIndex = start
  if (!digits.test(text)) {
    const isCutOff = start >= text.length && wanted === 'a digit'
    throw isCutOff ? cutOff('a number', start) : expected(wanted, text, start)
  }
  return digits.lastIndex
}

const digits = /\d+/y

function skipSpace(text: string, start: number): number {
  let at = start
  for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9; ) {
    code = text.charCodeAt(++at)
  }
  return at
}

function expected(wanted: string, text: string, at: number): JsonSyntaxError {
  return new JsonSyntaxError(at, `expected ${wanted}, found ${foundAt(text, at)}`)
}

const containerOf = (close: string | undefined) => (close === '}' ? 'an object' : 'an array')

const cutOff = (inside: string, at: number): JsonSyntaxError => new JsonSyntaxError(at, cutOffText(inside), true)

export const cutOffText = (inside: string): string => `the JSON ends in the middle of ${inside}: it is cut off`

/** A short description of the text at an index, for a message. */
export function foundAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  if (point === undefined) return 'the end'
  if (point === 10 || point === 13) return 'a line break'
  const word = /^[A-Za-z]\w*/.exec(text.slice(at, at + 20))?.[0]
  if (word !== undefined)
    return `${word}${/^(None|True|False)$/.test(word) ? ' (Python; write it with json.dumps)' : ''}`
  if (point === 0x22) return 'a string'
  if (point === 0x27) return "' (JSON strings need double quotes)"
  return point < 32 ? `the control character U+${point.toString(16).padStart(4, '0')}` : String.fromCodePoint(point)
}
