/**
 * Bidirectional controls change the visible order of a text, and others move the cursor. Lone surrogates, U+FFFE and
 * U+FFFF cannot be written as UTF-8 or XML.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take the power from
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/gu

const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const escaped = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** `##[command]`, `##vso[command]` and `##teamcity[command]`, which CI services obey anywhere in a line. */
const serviceCommand = /##(?=\w*\[)/g

/** `::command::`, which GitHub obeys at the start of a line. */
const workflowCommand = /^([^\S\r\n\u2028\u2029]*):(?=:.*::)/gm

const powerless = (text: string): string => text.replace(serviceCommand, '#\\x23').replace(workflowCommand, '$1\\x3a')

/**
 * Make untrusted text safe on one line of a terminal or in a TSV cell: it cannot move the cursor, start a line or be a
 * command to a CI service.
 */
export const escapeLine = (text: string): string =>
  harmless.test(text) ? text : powerless(text.replace(/(?<!\s)\s*[\r\n\t]\s*/g, ' ').replace(unsafe, escaped))

/** Most texts match this, which is faster than replacing nothing. */
const harmless = /^(?! *:)[ -"$-~]*$/

/** Make untrusted text safe but keep its line ends and tabs. */
export const escapeLines = (text: string): string => powerless(visible(text))

const visible = (text: string): string =>
  text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : escaped(character)))

/** JSON of the same value in which no text is a control character or a command. */
export const escapeJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent)
    .replace(unsafeInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(serviceCommand, '#\\u0023')

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/**
 * Make untrusted text safe as the content of an XML element, with visible escapes for characters that XML 1.0 cannot
 * hold.
 */
export const escapeXml = (text: string): string =>
  visible(text.replaceAll('\r\n', '\n'))
    .replace(/[&<>"']/g, (character) => entities[character] ?? '')
    .replace(serviceCommand, '#&#35;')
    .replace(workflowCommand, '$1&#58;')

/** Make untrusted text safe as an XML attribute, which cannot keep line ends. */
export const escapeXmlAttribute = (text: string): string => escapeXml(escapeLine(text))

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

/** Make untrusted text safe in HTML, also inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  escapeLine(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
