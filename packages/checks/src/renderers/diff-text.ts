import { count, cut, escapeLine, escapeMarkdown, grouped } from '@svc/text'
import type { CaseChange, CaseDiff, RateDiff, ReportDiff, ReportSide } from '../compare/index.js'
import {
  caseLabel,
  caseTitle,
  type Escape,
  evidenceText,
  gapText,
  placeOf,
  rateText,
  reasonText,
} from '../report/index.js'
import type { Style } from './terminal.js'

const show = (text: string): string => escapeMarkdown(cut(text, 200))

export function* diffMarkdown(diff: ReportDiff): Generator<string> {
  yield `## ${diff.worse ? 'Worse' : 'Not worse'} than before\n\n${show(diff.line)}\n\n`
  yield `- before: ${show(diff.before.line)}\n- after: ${show(diff.after.line)}\n`
  for (const { what, before, after } of diff.differences)
    yield `- ${diff.comparable ? '' : 'not comparable: '}${show(what)} ${show(before)} → ${show(after)}\n`
  for (const [what, text] of numbersIn(diff, show)) yield `- ${what}: ${text}\n`
  for (const [change, cases] of grouped(diff.cases, (each) => each.change)) {
    yield `\n### ${titles[change].replace(/^./, (first) => first.toUpperCase())} (${cases.length})\n\n`
    for (const each of cases) yield caseItem(each)
  }
}

export const notComparedMarkdown = (lines: readonly string[]): string[] => [
  `## svc report diff: not compared\n\n${lines.map((line) => `${escapeMarkdown(line)}\n`).join('\n')}`,
]

function caseItem(each: CaseDiff): string {
  const { change, before, after, reasons, signals } = each
  const side = after ?? before
  if (!side) return ''
  const flaky = flakyIn(each)
  const head = `- **${show(caseTitle(side))}**: ${stepIn(each, show)} (${whereIn(each, show)})${flaky ? `, ${flaky}` : ''}\n`
  const gap = after?.gap ? [gapText(after.gap, show)] : []
  if (change === 'unjudged' || change === 'gone') return `${head}${gap.map((line) => `  - ${line}\n`).join('')}`
  const isOfSignal = ({ rule }: { rule: string }) => rule !== 'outcome'
  const lines = [
    ...gap,
    ...reasons.began.filter(isOfSignal).map((reason) => reasonText(reason, show)),
    ...reasons.ceased.filter(isOfSignal).map((reason) => `no longer: ${reasonText(reason, show)}`),
    ...signals.began.map(
      (signal) =>
        `began: ${show(signal.key)} at ${show(placeOf(side, signal))}: ${evidenceText(signal, show, ['', ''])}`,
    ),
    ...signals.ceased.map(({ key }) => `ceased: ${show(key)}`),
  ]
  return `${head}${lines.map((line) => `  - ${line}\n`).join('')}`
}

const colors: Record<CaseChange, Parameters<Style>[0]> = {
  worse: 'red',
  both: 'red',
  unjudged: 'yellow',
  judged: 'cyan',
  added: 'cyan',
  replaced: 'cyan',
  other: 'yellow',
  gone: 'dim',
  better: 'green',
}

export function* diffText(diff: ReportDiff, style: Style): Generator<string> {
  for (const [change, cases] of grouped(diff.cases, (each) => each.change)) {
    yield `${style('bold', `${titles[change]}: ${count(cases.length, 'transcript')}`)}\n`
    for (const each of cases) yield `${caseLines(each, style).join('\n')}\n`
    yield '\n'
  }
  const numbers = [...numbersIn(diff, escapeLine)]
  for (const [what, text] of numbers) yield `${what.padEnd(8)}  ${text}\n`
  if (numbers.length > 0) yield '\n'
  for (const { what, before, after } of diff.differences)
    yield `${style('yellow', escapeLine(what))}  ${cut(escapeLine(before), 80)} → ${cut(escapeLine(after), 80)}\n`
  yield `before    ${escapeLine(diff.before.line)}\n`
  yield `after     ${escapeLine(diff.after.line)}\n`
  yield `${style(diff.worse ? 'red' : diff.comparable ? 'green' : 'yellow', diff.line)}\n`
}

function caseLines(each: CaseDiff, style: Style): string[] {
  const { change, before, after, reasons, signals } = each
  const side = after ?? before
  const flaky = flakyIn(each)
  const head = `${style(colors[change], stepIn(each, escapeLine))}  ${style('bold', cut(escapeLine(side ? caseTitle(side) : ''), 80))}`
  const lines = [`  ${head}  ${style('dim', whereIn(each, escapeLine))}${flaky ? `  (${flaky})` : ''}`]
  if (after?.gap) lines.push(`    ${gapText(after.gap, escapeLine)}`)
  if (!side || change === 'unjudged' || change === 'gone') return lines
  for (const reason of reasons.began)
    if (reason.rule !== 'outcome') lines.push(`    ${style('red', reasonText(reason, escapeLine))}`)
  for (const reason of reasons.ceased)
    if (reason.rule !== 'outcome') lines.push(`    no longer: ${style('dim', reasonText(reason, escapeLine))}`)
  for (const signal of signals.began) {
    const where = style('dim', escapeLine(placeOf(side, signal)))
    lines.push(
      `    + ${where}  ${style('yellow', escapeLine(signal.key))}  ${evidenceText(signal, (text) => cut(escapeLine(text), 120))}`,
    )
  }
  for (const { key } of signals.ceased) lines.push(`    - ${style('dim', escapeLine(key))}`)
  return lines
}

export const titles: Record<CaseChange, string> = {
  worse: 'worse',
  both: 'worse and better',
  unjudged: 'no longer judged',
  judged: 'judged now',
  added: 'added',
  replaced: 'replaced by other content',
  other: 'otherwise changed',
  gone: 'gone',
  better: 'better',
}

/** As in `strong → poor`; where only the result is another, that. */
export function stepIn({ before, after }: CaseDiff, show: Escape): string {
  const outcome = (side: typeof before) => (side?.outcome == null ? 'no outcome' : show(side.outcome))
  if (!before || !after) return outcome(before ?? after)
  if (before.outcome !== after.outcome) return `${outcome(before)} → ${outcome(after)}`
  return before.result === after.result ? outcome(after) : `${outcome(after)}, ${before.result} → ${after.result}`
}

/** Its file, and where it stood before where that was another. */
export function whereIn({ before, after }: CaseDiff, show: Escape): string {
  const [was, is] = [before && caseLabel(before), after && caseLabel(after)]
  return was && is && was !== is ? `${show(is)}, was ${show(was)}` : show(is ?? was ?? '')
}

export function flakyIn({ before, after }: CaseDiff): string | undefined {
  const [was, is] = [before?.flaky === true, after?.flaky === true]
  if (!was && !is) return undefined
  return was && is ? 'flaky' : is ? 'flaky now' : after ? 'no longer flaky' : 'flaky'
}

function* numbersIn(diff: ReportDiff, show: Escape): Generator<[what: string, text: string]> {
  for (const [what, figures] of grouped(changedFigures(diff), (each) => each.what)) {
    const steps = figures.map(
      ({ name, was, is }) => `${name === undefined ? '' : `${show(name)} `}${show(was)} → ${show(is)}`,
    )
    if (what === 'rate') for (const step of steps) yield [what, step]
    else yield [what, steps.join(', ')]
  }
}

interface Figure {
  what: 'judged' | 'outcomes' | 'signals' | 'flaky' | 'rate'
  /** The outcome or the signal that is counted. */
  name?: string
  was: string
  is: string
}

export function changedFigures({ before, after, rates }: ReportDiff): Figure[] {
  const judged = ({ judged, total }: ReportSide) => `${judged} of ${total}`
  const figures: Figure[] = [
    { what: 'judged', was: judged(before), is: judged(after) },
    ...(['outcomes', 'signals'] as const).flatMap((what) => counted(what, before[what], after[what])),
    { what: 'flaky', was: String(before.flaky), is: String(after.flaky) },
    ...rates.map(({ before, after, ...limit }): Figure => {
      const text = (side: RateDiff['before']) =>
        side ? rateText({ ...limit, before: null, common: null, ...side }) : 'none'
      return { what: 'rate', was: text(before), is: text(after) }
    }),
  ]
  return figures.filter(({ what, was, is }) => what === 'rate' || was !== is)
}

function counted(what: Figure['what'], before: Record<string, number>, after: Record<string, number>): Figure[] {
  const of = (counts: Record<string, number>, name: string) =>
    String(Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => ({
    what,
    name,
    was: of(before, name),
    is: of(after, name),
  }))
}
