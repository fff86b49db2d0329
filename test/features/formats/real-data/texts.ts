import type { Loss, Transcript } from '@svc/transcripts'

/** A text of a record, and the names of the fields that lead to it. */
interface FoundText {
  text: string
  path: readonly string[]
}

/** Fields of ids, types, times, counts and bytes: what they hold is no content. */
const structure =
  /(^|_)(ids?|uuid|guid|hash|type|kind|role|object|status|state|version|time|timestamp|date|at|signature|reason|method|url|uri|key|token|fingerprint|tier|choice|format|level|mode|policy|name|path|cwd)s?$|(Id|ID|Ids|Uuid|Type|Time|Timestamp|Date|At|Version|Hash|Nano|Reason|Mode|Name|Path)s?$/

/** The texts of some words in a value, also in texts that are JSON. One word alone may be an id or a setting. */
export function textsOf(value: unknown, path: readonly string[] = []): FoundText[] {
  if (typeof value === 'string') {
    const inner = /^\s*[[{"]/.test(value) ? parsed(value) : undefined
    if (inner !== undefined && inner !== value) return textsOf(inner, path)
    const isContent = /\p{L}\p{M}*\s+\S*\p{L}/u.test(value) && !structure.test(path.at(-1) ?? '')
    return isContent && !value.startsWith('data:') ? [{ text: value, path }] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => textsOf(each, Array.isArray(value) ? path : [...path, name]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** True if a loss names a field on the way to a text, or a kind that is lost as a whole where the text stands. */
function names({ what }: Loss, path: readonly string[], record: unknown): boolean {
  const field = /field "(.+)"$/.exec(what)?.[1]
  if (field !== undefined) return path.some((name) => name.slice(0, 40) === field) || path.join('.').includes(field)
  const fields = (record ?? {}) as Record<string, unknown>
  return kinds.some(([kind, where, is = () => true]) => kind.test(what) && where.test(path.join('/')) && is(fields))
}

/** The losses of whole kinds of content, the paths at which these stand, and a condition on the record. */
const kinds: readonly [RegExp, RegExp, ((record: Record<string, unknown>) => boolean)?][] = [
  [/^result text$/, /^result$/],
  [
    /^context injected by the program$/,
    /^message\//,
    ({ isMeta, isSynthetic }) => isMeta === true || isSynthetic === true,
  ],
  [
    /^line without a readable message$/,
    /^message\/con|^toolUseResult$/,
    ({ message, toolUseResult }) => !hasContent(message) || toolUseResult !== undefined,
  ],
  [/^line of type /, /./, ({ type }) => type !== 'user' && type !== 'assistant'],
  [/^system line of type/, /^content$/],
  [/^message of a command$/, /^message\/content/],
  [/^text that shows the items of an answer$/, /content$/],
  [/^event of the log$/, /events|view|attachments/],
  [/^step of the trajectory$/, /^trajectory/],
  [/^action of a call$/, /action$/],
  [/^line that is not a JSON object$|^line of an unknown type$/, /^$/],
  [/^message with the role /, /^(payload|_results)\/(content|text|body)$/],
  [/^HTML that differs from the text$/, /(^|\/)(body|description)$/],
]

function hasContent(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'content' in message
}

/** Only letters and digits, so that quotes, blanks and line ends do not matter. */
const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '')

const withoutTags = (html: string): string => html.replace(/<[^>]*>|&#?\w+;/g, '')

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** The texts of a file that no transcript has, and that no loss names, here or where they are repeated. */
export function vanishedTexts(records: readonly unknown[], transcripts: readonly Transcript[]): FoundText[] {
  const kept = lettersOf(stringsIn(transcripts.map(({ losses: _, ...transcript }) => transcript)).join(' '))
  const losses = transcripts.flatMap((transcript) => transcript.losses)
  const named = new Set<string>()
  const unread = records.flatMap((record) =>
    textsOf(record).filter(({ text, path }) => {
      const isNamed = losses.some((loss) => names(loss, path, record))
      if (isNamed) named.add(text)
      return !isNamed && !kept.includes(lettersOf(text)) && !kept.includes(lettersOf(withoutTags(text)))
    }),
  )
  return unread.filter(({ text }) => !named.has(text))
}
