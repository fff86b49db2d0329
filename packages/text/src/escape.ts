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

/** Make untrusted text safe in HTML, also inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  escapeLine(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
