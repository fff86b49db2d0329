import { el, svg } from './element.js'
import { amount } from './words.js'

const height = 64

/** A histogram with the median and the 90th percentile, and a text alternative. */
export function histogram(title: string, values: readonly number[], shown: (value: number) => string): HTMLElement {
  const bins = binsOf(values)
  if (!bins) return el('figure', { class: 'plot' }, el('figcaption', {}, el('b', {}, title), ' no data'))
  const { n, min, max, median, p90, from, width, counts } = bins
  const to = from + width * counts.length
  const words = `median ${shown(median)}, 90 % within ${shown(p90)}, from ${shown(min)} to ${shown(max)}, ${amount(n)} answers`
  return el(
    'figure',
    { class: 'plot' },
    el(
      'figcaption',
      {},
      el('b', {}, title),
      el('span', {}, `median ${shown(median)}`),
      el('span', {}, `p90 ${shown(p90)}`),
    ),
    drawing(bins, to, shown, `${title}: ${words}`),
    el(
      'div',
      { class: 'axis', 'aria-hidden': 'true' },
      el('span', {}, shown(from)),
      el('span', {}, endText(bins, to, shown)),
    ),
  )
}

/** The last bin may hold larger values. */
const endText = ({ max }: Bins, to: number, shown: (value: number) => string): string =>
  max > to ? `${shown(to)} … ${shown(max)}` : shown(to)

function drawing(
  { from, width, counts, median, p90, max }: Bins,
  to: number,
  shown: (value: number) => string,
  label: string,
) {
  const top = Math.max(...counts)
  const bars = counts.map((count, i) => {
    const tall = count === 0 ? 0 : Math.max(2, (count / top) * (height - 4))
    const isLast = i === counts.length - 1
    const upTo = isLast && max > to ? `${shown(max)}` : shown(from + width * (i + 1))
    const tip = svg('title', {}, `${shown(from + width * i)} to ${upTo}: ${amount(count)}`)
    return svg('rect', { class: 'bar', x: i + 0.08, width: 0.84, y: height - tall, height: tall }, tip)
  })
  const at = (value: number) => Math.min(counts.length, (value - from) / width)
  const line = (name: string, value: number) =>
    svg('line', { class: name, x1: at(value), x2: at(value), y1: 0, y2: height, 'vector-effect': 'non-scaling-stroke' })
  const box = { viewBox: `0 0 ${counts.length} ${height}`, preserveAspectRatio: 'none' }
  return svg('svg', { ...box, role: 'img', 'aria-label': label }, ...bars, line('median', median), line('p90', p90))
}

export function meter(part: number, kind: string, mark?: number): SVGSVGElement {
  const marked = mark !== undefined && svg('line', { class: 'mark', x1: mark * 100, x2: mark * 100, y1: 0, y2: 8 })
  return svg(
    'svg',
    { class: 'meter', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'track', width: 100, height: 8 }),
    svg('rect', { class: `fill ${kind}`, width: Math.min(100, Math.max(part * 100, part > 0 ? 0.8 : 0)), height: 8 }),
    marked,
  )
}

export function stack(parts: readonly { kind: string; n: number }[]): SVGSVGElement {
  const all = parts.reduce((sum, { n }) => sum + n, 0)
  let x = 0
  const rects = parts.map(({ kind, n }) => {
    const width = all === 0 ? 0 : (n / all) * 100
    x += width
    return svg('rect', { class: `fill ${kind}`, x: x - width, width: Math.max(0, width - 0.2), height: 10 })
  })
  return svg(
    'svg',
    { class: 'stack', viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...rects,
  )
}

interface Bins {
  n: number
  min: number
  max: number
  median: number
  p90: number
  from: number
  width: number
  /** The last bin also holds all larger values. */
  counts: number[]
}

const wanted = 24

/** Group values into bins of a round width; undefined if there are no finite values. The last bin holds a long tail. */
export function binsOf(given: readonly number[]): Bins | undefined {
  const values = given.filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER).sort((a, b) => a - b)
  const [min] = values
  const max = values.at(-1)
  if (min === undefined || max === undefined) return undefined
  const [median, p90] = [quantile(values, 0.5), quantile(values, 0.9)]
  const shownTo = Math.min(max, min + 2 * (p90 - min || max - min))
  // Narrower bins would not differ in the printed digits.
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

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** The smallest of 1, 2, 5, 10, 20, … that is at least `step`. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  return ([1, 2, 5].find((digit) => digit * power >= step) ?? 10) * power
}
