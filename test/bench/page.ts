import type { Goal } from './goals.js'
import { median, quantile, type Ratio, ratioOf, type Samples } from './measure.js'

/** A goal that was looked at, for the end of the page. */
interface Judged {
  what: string
  reached: boolean
  text: string
}

const judged: Judged[] = []
let section = ''

const nameWidth = 46
const ratioWidth = 24
const shown = (value: number, digits = 2) => value.toFixed(digits)

/** Begins a part of the page. */
export function heading(title: string, note?: string): void {
  section = title
  console.log(`\n${title}`)
  if (note) console.log(`  (${note})`)
}

/** A sentence among the numbers. */
export const remark = (text: string): void => console.log(`  ${text}`)

/** One number, beside its goal where it has one. */
export function row(name: string, value: number, unit: string, more: { goal?: Goal | undefined; note?: string } = {}) {
  const verdict = more.goal ? judge(name, value, more.goal) : ''
  print([name.padEnd(nameWidth), `${shown(value).padStart(9)} ${unit}`.padEnd(24), more.note ?? '', verdict])
}

/** How the variants of one comparison are shown. */
export interface Comparison {
  unit: string
  /** Variants that all others are divided by. */
  over: string[]
  /** The goal of a variant, over one of these. */
  goals?: Record<string, { over: string; goal: Goal }>
  /** Measured values are multiplied by this. Default 1. */
  scale?: number
}

/**
 * One line for each variant: its median, its ratio to each variant in `over`, and where the processor's time is given
 * too, the ratio of that to the first of them.
 */
export function compare(samples: Samples, { unit, over, goals = {}, scale = 1 }: Comparison, cpu?: Samples): void {
  const [first = ''] = over
  const last = cpu ? `CPU × ${first}` : ''
  print([unit.padStart(nameWidth + 9), ...over.map((base) => `× ${base}`.padEnd(ratioWidth)), last])
  for (const [name, values] of Object.entries(samples)) {
    const ratios = Object.fromEntries(over.map((base) => [base, ratioOf(values, samples[base] ?? [])]))
    const wanted = goals[name]
    print([
      name.padEnd(nameWidth) + shown(median(values) * scale, scale === 1 ? 2 : 1).padStart(9),
      ...Object.values(ratios).map((ratio) => withSpread(ratio).padEnd(ratioWidth)),
      cpu ? withNoise(ratioOf(cpu[name] ?? [], cpu[first] ?? [])).padEnd(last.length) : '',
      wanted ? judge(name, ratios[wanted.over]?.value ?? Number.NaN, wanted.goal) : '',
    ])
  }
}

/** One line for each variant: its median, and what that is above the median of `empty`. */
export function compareAbove(samples: Samples, empty: string, unit: string, goals: Record<string, Goal> = {}): void {
  print(['median'.padStart(nameWidth + 9), unit.padEnd(6), `above ${empty}`])
  for (const [name, values] of Object.entries(samples)) {
    const differences = values.map((value, round) => value - (samples[empty]?.[round] ?? Number.NaN))
    const above = median(values) - median(samples[empty] ?? [])
    const spread = `(${shown(quantile(differences, 0.25), 1)}–${shown(quantile(differences, 0.75), 1)})`
    print([
      name.padEnd(nameWidth) + shown(median(values)).padStart(9),
      ''.padEnd(6),
      `${shown(above).padStart(7)} ${spread}`.padEnd(28),
      goals[name] ? judge(name, above, goals[name]) : '',
    ])
  }
}

/** Every goal once more, the missed ones by name. */
export function conclude(): void {
  const missed = judged.filter(({ reached }) => !reached)
  console.log(
    `\n${judged.length - missed.length} of ${judged.length} goals reached${missed.length > 0 ? '; missed:' : ''}`,
  )
  for (const { what, text } of missed) console.log(`  ${what}: ${text}`)
}

const withNoise = ({ value, noise }: Ratio): string => `${shown(value)} ±${shown(noise)}`
const withSpread = (ratio: Ratio): string => `${withNoise(ratio)} (${shown(ratio.low)}–${shown(ratio.high)})`

function judge(name: string, value: number, { bound, value: wanted, unit }: Goal): string {
  const reached = bound === 'at most' ? value <= wanted : value >= wanted
  const goal = `goal ${bound === 'at most' ? '≤' : '≥'} ${wanted} ${unit}`
  judged.push({ what: `${section}, ${name}`, reached, text: `${shown(value)}, ${goal}` })
  return `${goal}: ${reached ? 'reached' : 'missed'}`
}

const print = (cells: string[]): void => console.log(`  ${cells.join(' ')}`.trimEnd())
