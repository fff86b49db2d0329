/**
 * The first line of Markdown that `toFormat` writes. It says that a backslash at the start of a line, and character references,
 * stand for the text, so that no text is read as a heading.
 */
export const escapedMarkdown = '<!-- markdown-chat 1: "\\" begins a line of text, "&#x…;" is a character -->'

const reference = /&#x([0-9A-F]{1,6});/g

/** The text of a line, or of a part of a heading, that `escapeCharacters` wrote. */
export const unescapeCharacters = (text: string): string =>
  text.replace(reference, (whole, code: string) => {
    const point = Number.parseInt(code, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })

/** Replace control characters, marks of direction and these characters by references. */
export function escapeCharacters(text: string, others = ''): string {
  const isEscaped = (character: string) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character) && character !== '\t'
  return [...text.replaceAll('&#x', '&#x26;#x')]
    .map((character) => (isEscaped(character) || others.includes(character) ? referenceTo(character) : character))
    .join('')
}

const referenceTo = (character: string) => `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`
