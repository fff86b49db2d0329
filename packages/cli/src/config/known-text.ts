import { cut, hideSecrets } from '@svc/text'

/** The kinds of values that the completion takes from the last answers of the service. */
export type KnownKind = 'projects' | 'annotators'

/** A file of known values has no more lines. */
const mostLines = 200

/** Other values have no place on a command line without quotes. */
const plain = /^[A-Za-z0-9_][\w.:@+-]{0,199}$/

const titleOf = (title: unknown, keys: Iterable<string>): string =>
  cut(
    hideSecrets(typeof title === 'string' ? title : '', keys).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '),
    80,
  ).trim()

/**
 * The text of a file of known values: a line each, with the value, its title and the origin between tabs, the newest first.
 * It keeps the lines that it has from the same origin, and hides keys.
 */
export function knownText(
  before: string,
  values: readonly { value: unknown; title: unknown }[],
  origin: string,
  keys: Iterable<string>,
): string {
  const fresh = values.flatMap(({ value, title }) =>
    typeof value === 'string' && plain.test(value) ? [`${value}\t${titleOf(title, keys) || value}\t${origin}`] : [],
  )
  const kept = before.split('\n').filter((line) => line.endsWith(`\t${origin}`))
  const lines = new Map<string, string>()
  for (const line of [...fresh, ...kept]) {
    const [value = ''] = line.split('\t')
    if (!lines.has(value)) lines.set(value, line)
  }
  return [...lines.values()]
    .slice(0, mostLines)
    .map((line) => `${line}\n`)
    .join('')
}
