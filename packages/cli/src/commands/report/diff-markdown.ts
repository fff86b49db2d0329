import { type CaseDiff, moves, type ReportDiff } from '../../checks/merge-and-diff/report-diff.js'
import { gapIn, placeOf, reasonIn } from '../../reports/words.js'
import { cut, inertMarkdown } from '../../text.js'
import { flakyIn, numbersIn, stepIn, titles, whereIn } from './diff-words.js'

const show = (text: string): string => inertMarkdown(cut(text, 200))

/** What changed, as Markdown: the verdicts, the numbers, and the transcripts, the worst first. */
export function* diffMarkdown(diff: ReportDiff): Generator<string> {
  yield `## ${diff.worse ? 'Worse' : 'Not worse'} than before\n\n${show(diff.line)}\n\n`
  yield `- before: ${show(diff.before.line)}\n- after: ${show(diff.after.line)}\n`
  for (const { what, before, after } of diff.unlike)
    yield `- ${diff.comparable ? '' : 'not comparable: '}${show(what)} ${show(before)} → ${show(after)}\n`
  for (const [what, text] of numbersIn(diff, show)) yield `- ${what}: ${text}\n`
  for (const move of moves) {
    const cases = diff.cases.filter((each) => each.move === move)
    if (cases.length === 0) continue
    yield `\n### ${titles[move].replace(/^./, (first) => first.toUpperCase())} (${cases.length})\n\n`
    for (const each of cases) yield caseItem(each)
  }
}

function caseItem(each: CaseDiff): string {
  const { move, before, after, reasons, signals } = each
  const side = after ?? before
  if (!side) return ''
  const flaky = flakyIn(each)
  const head = `- **${show(side.name)}**: ${stepIn(each, show)} (${whereIn(each, show)})${flaky ? `, ${flaky}` : ''}\n`
  const gap = after?.gap ? [gapIn(after.gap, show)] : []
  if (move === 'unjudged' || move === 'gone') return `${head}${gap.map((line) => `  - ${line}\n`).join('')}`
  const isOfSignal = ({ rule }: { rule: string }) => rule !== 'outcome'
  const lines = [
    ...gap,
    ...reasons.began.filter(isOfSignal).map((reason) => reasonIn(reason, show)),
    ...reasons.ceased.filter(isOfSignal).map((reason) => `no longer: ${reasonIn(reason, show)}`),
    ...signals.began.map(
      (signal) => `began: ${show(signal.key)} at ${show(placeOf(side, signal))}: ${show(signal.evidence)}`,
    ),
    ...signals.ceased.map(({ key }) => `ceased: ${show(key)}`),
  ]
  return `${head}${lines.map((line) => `  - ${line}\n`).join('')}`
}
