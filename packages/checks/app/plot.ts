import { el, svg } from './element.js'
import { amount, share } from './words.js'

/** Lengths of a drawing are shares of its width, so that text in it keeps its form. */
const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

/** The heights of the bars of a histogram, and of the counts above them, in pixels. */
const [barHeight, countHeight] = [56, 14]

/** A histogram with the number of answers on each bar, the median and the 90th percentile, and a text alternative. */
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
  const bars = counts.flatMap((count, i) => {
    const tall = count === 0 ? 0 : Math.max(2, (count / top) * barHeight)
    const y = countHeight + barHeight - tall
    const isLast = i === counts.length - 1
    const upTo = isLast && max > to ? `${shown(max)}` : shown(from + width * (i + 1))
    const tip = svg('title', {}, `${shown(from + width * i)} to ${upTo}: ${amount(count)}`)
    const [x, wide] = [percent((i + 0.04) / counts.length), percent(0.92 / counts.length)]
    const number = svg('text', { x: percent((i + 0.5) / counts.length), y: y - 3, class: 'n' }, amount(count))
    return [svg('rect', { class: 'bar', x, width: wide, y, height: tall }, tip), count > 0 && number]
  })
  const at = (value: number) => percent(Math.min(1, (value - from) / width / counts.length))
  const line = (name: string, value: number) =>
    svg('line', { class: name, x1: at(value), x2: at(value), y1: countHeight, y2: countHeight + barHeight })
  return svg('svg', { role: 'img', 'aria-label': label }, ...bars, line('median', median), line('p90', p90))
}

export const meter = (part: number, kind: string): SVGElement =>
  svg(
    'svg',
    { class: 'meter', 'aria-hidden': 'true' },
    svg('rect', { class: 'track', width: '100%', height: '100%' }),
    svg('rect', { class: `fill ${kind}`, width: percent(part > 0 ? Math.max(part, 0.008) : 0), height: '100%' }),
  )

/** A bar for a share with a line at its limit. Its whole width is at least the larger of the two. */
export function limitBar(part: number, limit: number, kind: string): SVGElement {
  const whole = Math.min(1, Math.max(limit * 1.5, part * 1.1, 0.01))
  const at = limit / whole
  const anchor = at < 0.2 ? 'start' : at > 0.8 ? 'end' : 'middle'
  return svg(
    'svg',
    { class: 'limit', 'aria-hidden': 'true' },
    svg('rect', { class: 'track', width: '100%', height: 8 }),
    svg('rect', { class: `fill ${kind}`, width: percent(part / whole), height: 8 }),
    svg('line', { class: 'mark', x1: percent(at), x2: percent(at), y1: 0, y2: 11 }),
    svg('text', { x: percent(at), y: 22, class: anchor }, `at most ${share(limit, 1)}`),
    svg('text', { x: '100%', y: 22, class: 'end whole' }, anchor === 'start' ? share(whole, 1) : ''),
  )
}

export function stack(parts: readonly { kind: string; n: number }[]): SVGElement {
  const all = parts.reduce((sum, { n }) => sum + n, 0)
  let x = 0
  const rects = parts.map(({ kind, n }) => {
    const width = all === 0 ? 0 : n / all
    x += width
    return svg('rect', { class: `fill ${kind}`, x: percent(x - width), width: percent(width), height: '100%' })
  })
  return svg('svg', { class: 'stack', 'aria-hidden': 'true' }, ...rects)
}

type Bins = NonNullable<ReturnType<typeof binsOf>>

/** The number of bins to aim at; the label of each still fits under it. */
const wanted = 12

/** Group values into bins of a round width; undefined if there are no finite values. The last bin holds a long tail. */
export function binsOf(given: readonly number[]) {
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
