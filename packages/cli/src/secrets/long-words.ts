/** No credential that a rule knows is shorter. */
export const shortest = 20

/** What credentials are made of: letters, digits and `-._~+/=` (RFC 6750 and 4648). */
const inWord = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=') {
  inWord[character.charCodeAt(0)] = 1
}

/**
 * Calls back with the stretches of at least `shortest` characters of which credentials are made. Prose has next to none
 * of them, and is looked through in leaps: what ends a word within the next twenty characters ends every stretch that
 * holds it.
 */
export function eachLongWord(text: string, found: (start: number, end: number) => void): void {
  let start = 0
  while (start + shortest <= text.length) {
    let at = start + shortest - 1
    while (at >= start && inWord[text.charCodeAt(at)] === 1) at--
    if (at >= start) {
      start = at + 1
      continue
    }
    let end = start + shortest
    while (end < text.length && inWord[text.charCodeAt(end)] === 1) end++
    found(start, end)
    start = end + 1
  }
}
