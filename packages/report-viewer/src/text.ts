/**
 * Bidirectional controls can show a text in another order than it is read; others move the cursor; halves of a surrogate
 * pair and U+FFFE and U+FFFF are no characters, which UTF-8 or XML cannot hold.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take the power from
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/gu

const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const escaped = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** `##[command]`, `##vso[command]` and `##teamcity[command]`, which CI services obey wherever in a line they are. */
const serviceCommand = /##(?=\w*\[)/g

/** `::command::`, which GitHub obeys at the beginning of a line. */
const workflowCommand = /^([^\S\r\n\u2028\u2029]*):(?=:.*::)/gm

const powerless = (text: string): string => text.replace(serviceCommand, '#\\x23').replace(workflowCommand, '$1\\x3a')

/**
 * Somebody's text on one line of a terminal or a TSV cell: nothing in it can move a cursor, start a new line, or be a
 * command to the service that runs a job.
 */
export const inert = (text: string): string =>
  harmless.test(text) ? text : powerless(text.replace(/(?<!\s)\s*[\r\n\t]\s*/g, ' ').replace(unsafe, escaped))

/** Most texts are one line of ASCII in which no command can be; to look once costs less than to replace nothing. */
const harmless = /^(?! *:)[ -"$-~]*$/

/** Somebody's text of several lines, such as a page: line ends and tabs stay, and nothing else of what `inert` takes. */
export const inertLines = (text: string): string => powerless(visible(text))

const visible = (text: string): string =>
  text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : escaped(character)))

/** JSON on which nothing in a text can turn: the escapes are those of JSON itself, so that it means the same. */
export const inertJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent)
    .replace(unsafeInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(serviceCommand, '#\\u0023')

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Somebody's text of several lines as the content of an XML element: what XML 1.0 cannot hold is made visible. */
export const inertXml = (text: string): string =>
  visible(text.replaceAll('\r\n', '\n'))
    .replace(/[&<>"']/g, (character) => entities[character] ?? '')
    .replace(serviceCommand, '#&#35;')
    .replace(workflowCommand, '$1&#58;')

/** Somebody's text as the value of an XML attribute, where a line's end would be lost. */
export const inertAttribute = (text: string): string => inertXml(inert(text))

/**
 * Somebody's text in Markdown, as code: in it there are no links, images, HTML, mentions of people or issues, nor
 * shortcodes of emoji, whoever renders it.
 */
export function inertMarkdown(text: string): string {
  const plain = inert(text) || ' '
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const isPadded = plain.startsWith(' ') && plain.endsWith(' ') && /[^ ]/.test(plain)
  const edge = plain.startsWith('`') || plain.endsWith('`') || isPadded ? ' ' : ''
  return `${fence}${edge}${plain}${edge}${fence}`
}

/** `inertMarkdown` in a table, whose cells end at a bar even inside of code. */
export const inertCell = (text: string): string => inertMarkdown(text.replaceAll('|', '\\x7c'))

const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Somebody's text of several lines as the message of a GitHub workflow command. */
export const inertCommand = (text: string): string =>
  inertLines(text.replaceAll('\r\n', '\n')).replace(/[%\r\n]/g, percentEncoded)

/** Somebody's text as the value of a property of a GitHub workflow command. */
export const inertProperty = (text: string): string => inert(text).replace(/[%\r\n:,]/g, percentEncoded)

/** Somebody's text in a message of SARIF, in which braces hold places for arguments, and `[text](target)` is a link. */
export const inertSarif = (text: string): string =>
  inert(text)
    .replace(/[{}]/g, (brace) => brace + brace)
    .replaceAll('](', '] (')

/** Somebody's text on one line of a page of HTML, also inside a quoted attribute. */
export const inertHtml = (text: string): string =>
  inert(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A text cut to so many characters, with an ellipsis where something was cut. */
export const cut = (text: string, length: number): string =>
  text.length <= length || endOf(text, length) >= text.length ? text : `${text.slice(0, endOf(text, length - 1))}…`

/** Where so many characters of a text end, in UTF-16 code units. */
function endOf(text: string, characters: number): number {
  let end = 0
  for (let n = 0; n < characters && end < text.length; n++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return end
}

/** `1 transcript`, `2 transcripts`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** A share from 0 to 1, as in `66.7 %`. */
export const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`
