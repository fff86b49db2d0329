/** True if a text has at most so many characters (code points): it never has more of them than code units. */
export function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || [...text].length <= most
}

/** The first characters (code points) of a text, which `ending` follows; all together at most so many. */
export function shortened(text: string, most: number, ending = ''): string {
  const room = most - [...ending].length
  return (hasAtMost(text, room) ? text : [...text].slice(0, room).join('')) + ending
}

const encoder = new TextEncoder()

/** The length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length
}
