import type { Exchange } from './exchange.js'
import type { Keys } from './rule.js'

/** The longest part of a body that is told. */
const shown = 2000

/** What was asked and answered, to be read; every key is its kind. */
export function told(exchanges: readonly Exchange[], keys: Partial<Keys>): string {
  return hidden(exchanges.map(one).join('\n\n'), keys)
}

/** A text with every key replaced by its kind. */
export function hidden(text: string, keys: Partial<Keys>): string {
  return Object.entries(keys).reduce((rest, [kind, key]) => rest.replaceAll(key, `‹${kind} key›`), text)
}

function one({ surface, method, path, headers, body, answer }: Exchange): string {
  return [
    `→ ${method} ${path} (${surface} surface)`,
    ...lines(headers),
    ...(body === undefined ? [] : ['', indented(body)]),
    answer ? `← ${answer.status}` : '← nothing',
    ...(answer ? [...lines(answer.headers), '', indented(answer.text)] : []),
  ].join('\n')
}

const lines = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)

const indented = (text: string) =>
  `  ${text.length > shown ? `${text.slice(0, shown)}… (${text.length} characters)` : text}`
