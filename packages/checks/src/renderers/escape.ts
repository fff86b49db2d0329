import { escapeLine, escapeLines } from '@svc/text'

/** Make untrusted text safe in Markdown, as code: no links, images, HTML, mentions or emoji shortcodes. */
export function escapeMarkdown(text: string): string {
  const plain = escapeLine(text) || ' '
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const isPadded = plain.startsWith(' ') && plain.endsWith(' ') && /[^ ]/.test(plain)
  const edge = plain.startsWith('`') || plain.endsWith('`') || isPadded ? ' ' : ''
  return `${fence}${edge}${plain}${edge}${fence}`
}

/** As `escapeMarkdown`, in a table cell, which ends at a bar even inside code. */
export const escapeTableCell = (text: string): string => escapeMarkdown(text.replaceAll('|', '\\x7c'))

const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Make untrusted text safe as the message of a GitHub workflow command. */
export const escapeWorkflowMessage = (text: string): string =>
  escapeLines(text.replaceAll('\r\n', '\n')).replace(/[%\r\n]/g, percentEncoded)

/** Make untrusted text safe as a property of a GitHub workflow command. */
export const escapeWorkflowProperty = (text: string): string => escapeLine(text).replace(/[%\r\n:,]/g, percentEncoded)

/** Make an untrusted path safe as a property of a GitHub workflow command. It keeps its line ends, which the runner decodes. */
export const escapeWorkflowPath = (path: string): string => escapeLines(path).replace(/[%\r\n:,]/g, percentEncoded)

/** Make untrusted text safe in a SARIF message, where braces are placeholders and `[text](target)` is a link. */
export const escapeSarif = (text: string): string =>
  escapeLine(text)
    .replace(/[{}]/g, (brace) => brace + brace)
    .replaceAll('](', '] (')
