/** Whole numbers of fewer digits are held exactly. */
const long = 16

/** True if so many digits follow each other that a number of them may be rounded. Looks at few characters of a text. */
export function hasLongNumber(text: string): boolean {
  // Wherever so many begin, one of them stands at a multiple of their number.
  for (let at = long - 1; at < text.length; at += long) {
    if (!isDigit(text, at)) continue
    let start = at
    let end = at + 1
    while (isDigit(text, start - 1)) start--
    while (isDigit(text, end)) end++
    if (end - start >= long) return true
  }
  return false
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}
