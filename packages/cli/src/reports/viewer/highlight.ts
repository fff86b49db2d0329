/** A piece of a turn, and the findings whose evidence it is part of. */
export interface Segment {
  text: string
  findings: number[]
}

/** What of a turn is evidence. */
export interface Highlighted {
  /** Together they are the turn's content. */
  segments: Segment[]
  /** The findings whose evidence does not stand in the turn as it was quoted: they mean the turn as a whole. */
  whole: number[]
}

/** Finds the evidence of each finding in a turn; evidence may overlap. */
export function highlight(content: string, evidence: readonly { finding: number; text: string }[]): Highlighted {
  const found = evidence.map(({ finding, text }) => ({ finding, range: rangeOf(content, text) }))
  const ranges = found.flatMap(({ finding, range }) => (range ? [{ finding, from: range[0], to: range[1] }] : []))
  const cuts = [...new Set([0, content.length, ...ranges.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b)
  const segments = cuts.slice(1).map((to, i) => {
    const from = cuts[i] ?? 0
    const inside = ranges.filter((range) => range.from <= from && to <= range.to)
    return { text: content.slice(from, to), findings: inside.map(({ finding }) => finding) }
  })
  return { segments, whole: found.flatMap(({ finding, range }) => (range ? [] : [finding])) }
}

/** Where a text stands: as it is, or with other white space, since who quotes seldom keeps line ends. */
function rangeOf(content: string, text: string): [from: number, to: number] | undefined {
  const quoted = text.trim()
  if (quoted === '') return undefined
  const at = content.indexOf(quoted)
  if (at >= 0) return [at, at + quoted.length]
  const words = quoted.split(/\s+/)
  if (words.length === 1) return undefined
  const loose = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('\\s+')
  const match = new RegExp(loose).exec(content)
  return match ? [match.index, match.index + match[0].length] : undefined
}
