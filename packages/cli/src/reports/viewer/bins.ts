/** How values are spread. */
export interface Bins {
  n: number
  min: number
  max: number
  median: number
  p90: number
  /** Where the first bin begins, and how wide each is. */
  from: number
  width: number
  /** How many values each bin has; the last one has all that are larger, too. */
  counts: number[]
}

const wanted = 24

/**
 * Sorts values into bins of a round width; undefined where there is nothing to sort. A long tail goes into the last, and
 * what no service can mean is left out.
 */
export function binsOf(given: readonly number[]): Bins | undefined {
  const values = given.filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER).sort((a, b) => a - b)
  const [min] = values
  const max = values.at(-1)
  if (min === undefined || max === undefined) return undefined
  const [median, p90] = [quantile(values, 0.5), quantile(values, 0.9)]
  const shownTo = Math.min(max, min + 2 * (p90 - min || max - min))
  // Narrower ones would be lost in the digits of the values.
  const least = Math.max(0.001, Math.abs(shownTo) * 1e-9, Math.abs(min) * 1e-9)
  const width = roundStep(Math.max((shownTo - min) / wanted || 1, least))
  const from = Math.floor(min / width) * width
  const counts = Array.from({ length: Math.max(1, Math.floor((shownTo - from) / width) + 1) }, () => 0)
  for (const value of values) {
    const bin = Math.min(counts.length - 1, Math.max(0, Math.floor((value - from) / width)))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return { n: values.length, min, max, median, p90, from, width, counts }
}

/** The value below which this part of sorted values lies. */
const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** The smallest of 1, 2, 5, 10, 20, … that is no smaller. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  return ([1, 2, 5].find((digit) => digit * power >= step) ?? 10) * power
}
