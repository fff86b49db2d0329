/**
 * The nearest of some words, ignoring case: at most a third of its letters differ, or one word is a part of the other.
 * Undefined if none is near.
 */
export function nearest(word: string, among: Iterable<string>): string | undefined {
  const asked = word.toLowerCase()
  let best: { word: string; edits: number } | undefined
  for (const candidate of among) {
    const lowerCase = candidate.toLowerCase()
    const edits = distance(asked, lowerCase)
    const allowed = Math.max(1, Math.floor(Math.max(asked.length, lowerCase.length) / 3))
    const isPart =
      Math.min(asked.length, lowerCase.length) >= 3 && (lowerCase.includes(asked) || asked.includes(lowerCase))
    if ((edits <= allowed || isPart) && edits < (best?.edits ?? Infinity)) best = { word: candidate, edits }
  }
  return best?.word
}

/** Insertions, deletions, replacements and swaps of neighbours that make one word of the other. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const at = (list: number[], index: number) => list[index] ?? 0
      let edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && i > 1 && j > 1)
        edits = Math.min(edits, at(before, j - 2) + 1)
      row.push(edits)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
