/** True if a text has at most this many characters (code points). */
export function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || [...text].length <= most
}

/** Cut a text to at most this many characters (code points), including `ending`. */
export function shortened(text: string, most: number, ending = ''): string {
  const room = most - [...ending].length
  return (hasAtMost(text, room) ? text : [...text].slice(0, room).join('')) + ending
}

const encoder = new TextEncoder()

/** The length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length
}
