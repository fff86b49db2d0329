const hidden = '…'

/** In UTF-16 code units; `to` is exclusive. */
type Range = readonly [from: number, to: number]

/**
 * Hide every secret in a message for a person: the configured keys, keys of this service, JWTs, bearer tokens, and users
 * and passwords in URLs; keys and JWTs also in base64, and everything also URL-encoded.
 */
export function hideSecrets(text: string, keys: Iterable<string>): string {
  const allKeys = [...keys]
  const ranges: Range[] = []
  // A pattern fails on a longer text without a space. Parts overlap, so that each secret is whole in one of them.
  for (let start = 0; start === 0 || start + overlap < text.length; start += partLength - overlap)
    for (const [from, to] of secretRanges(text.slice(start, start + partLength), allKeys))
      ranges.push([start + from, start + to])
  ranges.sort((a, b) => a[0] - b[0])
  let left = ''
  let at = 0
  for (const [from, to] of ranges) {
    if (from >= at) left += text.slice(at, from) + hidden
    at = Math.max(at, to)
  }
  return left + text.slice(at)
}

/** In characters. */
const partLength = 1 << 20
const overlap = 1 << 14

const secretRanges = (text: string, keys: readonly string[]): Range[] => [
  ...secretsIn(text, keys, inMessages),
  ...(/[%~]/.test(text) ? inUrlEncoding(text, keys) : []),
  ...Array.from(text.matchAll(base64Word)).flatMap(({ 0: word, index }) => inBase64(word, index, keys)),
]

/** The first group of a pattern and an @ at its end are shown. */
const anywhere = [
  /(sk-(?:service|legacy)-api03-)[\w~+/=-]+(?:\.[\w~+/=-]+)*/gi,
  /(?<![\w-])(ey)(?:J[\w-]{8,}|(?=[a-z\d_-]*[A-Z])[\w-]{8,}\.[\w-]{2,}\.)[\w.-]*/g,
]

const inMessages = [
  ...anywhere,
  /\b(bearer\s+)[\w.~+/=-]{8,}/gi,
  // A password may contain a slash; a host and its port end at one.
  /(:\/\/)(?:[^\s/?#"'<>\\]+|[^\s/:@"'<>\\]*:(?!\d*(?:[/?#]|$))[^\s:@"'<>\\]*)@/g,
  /(?<![\w.+-])()[\w.+-]+:[^\s/:@"'<>\\]+@/g,
]

function secretsIn(text: string, keys: readonly string[], patterns: readonly RegExp[]): Range[] {
  const ranges = patterns.flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: found, 1: shown = '', index }): Range => {
      return [index + shown.length, index + found.length - (found.endsWith('@') ? 1 : 0)]
    }),
  )
  for (const key of keys) {
    for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length))
      ranges.push([at, at + key.length])
  }
  return ranges
}

/** A character that is encoded, possibly several times, in a URL or a JSON pointer. */
const encoded = /%(?:25)*([\da-f]{2})|~([01])/gi

function inUrlEncoding(text: string, keys: readonly string[]): Range[] {
  const starts: number[] = []
  let decoded = ''
  let at = 0
  const copy = (until: number) => {
    for (; at < until; at++) {
      starts.push(at)
      decoded += text[at]
    }
  }
  for (const { 0: found, 1: hex, 2: step, index } of text.matchAll(encoded)) {
    copy(index)
    starts.push(index)
    decoded += hex ? String.fromCharCode(Number.parseInt(hex, 16)) : step === '1' ? '/' : '~'
    at = index + found.length
  }
  copy(text.length)
  starts.push(text.length)
  return secretsIn(decoded, keys, inMessages).map(([from, to]) => [starts[from] ?? 0, starts[to] ?? 0])
}

/** In both base64 alphabets. */
const base64Word = /[\w+/-]{10,}={0,2}/g

/** A secret may begin at any of the four offsets of the encoding. */
const inBase64 = (word: string, index: number, keys: readonly string[]): Range[] =>
  [0, 1, 2, 3].flatMap((skipped) => {
    const start = index + skipped
    const end = index + word.length
    const decoded = bytesOf(word.slice(skipped))
    return secretsIn(decoded, keys, anywhere).map(([from, to]): Range => {
      const until = start + Math.ceil((to * 4) / 3)
      return [start + Math.floor((from * 4) / 3), until < end - 2 ? until : end]
    })
  })

/** One character for each byte. A last character that begins a byte is left out. */
function bytesOf(base64: string): string {
  const text = base64
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '')
  return atob(text.length % 4 === 1 ? text.slice(0, -1) : text)
}
