const encoder = new TextEncoder()

/** The length of a string in bytes of UTF-8. A lone surrogate counts 3, as its replacement character. */
export const utf8Length = (text: string): number => encoder.encode(text).byteLength

/** The first `max` code units of a text, without half of a surrogate pair at the end. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const cutsPair = (text.codePointAt(max - 1) ?? 0) > 0xffff
  return text.slice(0, cutsPair ? max - 1 : max)
}

/** A text on one line of at most `max` code units, cut at a word, with an ellipsis if it was cut. */
export function headline(text: string, max: number): string {
  const line = text
    .slice(0, max * 8)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= max) return line
  const cut = truncate(line, max - 1)
  const space = cut.lastIndexOf(' ')
  return `${(space > max / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}

/** A text for comparison without case: NFC, and the full case folding of Unicode. */
export const fold = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    // In ASCII, lower case is the folding. The character before may combine with what follows.
    .replace(/[^\u0080-\uffff]?[\u0080-\uffff]+/g, foldBeyondAscii)

/**
 * Upper and lower case after lower case are the folding of every character but two: ı has an upper case but no folding, and
 * lower case writes a sigma in two ways.
 */
const foldBeyondAscii = (text: string): string =>
  text.split('ı').map(upperThenLower).join('ı').replaceAll('ς', 'σ').normalize('NFC')

const upperThenLower = (text: string) => text.toUpperCase().toLowerCase()

/** The number of tokens, by the rule of this server: one for every four bytes, rounded up. */
export const tokens = (text: string): number => Math.ceil(utf8Length(text) / 4)

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
