import { type CaseDiff, type Move, moves, type ReportDiff } from '../../checks/merge-and-diff/report-diff.js'
import { gapIn, placeOf, reasonIn } from '../../reports/words.js'
import type { Style } from '../../style.js'
import { count, cut, inert } from '../../text.js'
import { flakyIn, numbersIn, stepIn, titles, whereIn } from './diff-words.js'

const colors: Record<Move, Parameters<Style>[0]> = {
  ...{ worse: 'red', both: 'red', unjudged: 'yellow', judged: 'cyan' },
  ...{ added: 'cyan', other: 'yellow', gone: 'dim', better: 'green' },
}

/** What changed, for a person: the transcripts, the worst first, then the numbers of all of them, and one line. */
export function* diffText(diff: ReportDiff, style: Style): Generator<string> {
  for (const move of moves) {
    const cases = diff.cases.filter((each) => each.move === move)
    if (cases.length === 0) continue
    yield `${style('bold', `${titles[move]}: ${count(cases.length, 'transcript')}`)}\n`
    for (const each of cases) yield `${caseLines(each, style).join('\n')}\n`
    yield '\n'
  }
  const numbers = [...numbersIn(diff, inert)]
  for (const [what, text] of numbers) yield `${what.padEnd(8)}  ${text}\n`
  if (numbers.length > 0) yield '\n'
  for (const { what, before, after } of diff.unlike)
    yield `${style('yellow', inert(what))}  ${cut(inert(before), 80)} → ${cut(inert(after), 80)}\n`
  yield `before    ${inert(diff.before.line)}\n`
  yield `after     ${inert(diff.after.line)}\n`
  yield `${style(diff.worse ? 'red' : diff.comparable ? 'green' : 'yellow', diff.line)}\n`
}

function caseLines(each: CaseDiff, style: Style): string[] {
  const { move, before, after, reasons, signals } = each
  const side = after ?? before
  const flaky = flakyIn(each)
  const head = `${style(colors[move], stepIn(each, inert))}  ${style('bold', cut(inert(side?.name ?? ''), 80))}`
  const lines = [`  ${head}  ${style('dim', whereIn(each, inert))}${flaky ? `  (${flaky})` : ''}`]
  if (after?.gap) lines.push(`    ${gapIn(after.gap, inert)}`)
  if (!side || move === 'unjudged' || move === 'gone') return lines
  for (const reason of reasons.began)
    if (reason.rule !== 'outcome') lines.push(`    ${style('red', reasonIn(reason, inert))}`)
  for (const reason of reasons.ceased)
    if (reason.rule !== 'outcome') lines.push(`    no longer: ${style('dim', reasonIn(reason, inert))}`)
  for (const signal of signals.began) {
    const where = style('dim', inert(placeOf(side, signal)))
    lines.push(`    + ${where}  ${style('yellow', inert(signal.key))}  “${cut(inert(signal.evidence), 120)}”`)
  }
  for (const { key } of signals.ceased) lines.push(`    - ${style('dim', inert(key))}`)
  return lines
}
