/** Whether the arrays and objects of a JSON text stand inside each other more than `limit` deep. */
export function isNestedDeeper(text: string, limit: number): boolean {
  // As many closing brackets have to follow, so that short texts need no look.
  if (text.length <= 2 * limit) return false
  let depth = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) i = endOfString(text, i)
    // `[` and `{`, `]` and `}` differ in one bit.
    else if ((unit | 0x20) === 0x7b) {
      depth += 1
      if (depth > limit) return true
    } else if ((unit | 0x20) === 0x7d) depth -= 1
  }
  return false
}

/** Where the string ends that begins at `start`: at its closing quote, or with the text. */
function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
  } while (isEscaped(text, end))
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === 0x5c) before -= 1
  return (at - before) % 2 === 0
}
