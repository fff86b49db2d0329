import { canonicalJson } from '../../canonical.js'
import type { ReportCase } from '../report.js'

/** What two runs may tell otherwise of the same answer: where it came from, what it took, and where it stands now. */
const aside = ['path', 'answer', 'usage', 'line', 'column', 'signals', 'turns'] as const

/**
 * What two reports say of one transcript, together; undefined where they differ. What was judged goes before what was
 * not, and an answer that is not judged before none, so that a run that broke off is completed by a second one.
 */
export function joined(a: ReportCase, b: ReportCase): ReportCase | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  if (standing(a) !== standing(b)) return standing(a) > standing(b) ? a : b
  const [coreOfA, coreOfB] = [canonicalJson(coreOf(a)), canonicalJson(coreOf(b))]
  if (coreOfA === coreOfB) return together(a, b)
  return standing(a) > 0 ? undefined : mayClose(a) === mayClose(b) ? (coreOfA < coreOfB ? a : b) : mayClose(a) ? a : b
}

/** The fields in which two reports of a transcript differ. */
export function differing(a: ReportCase, b: ReportCase): string[] {
  const [one, other] = [coreOf(a), coreOf(b)]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const found = names.filter((name) => canonicalJson(one[name]) !== canonicalJson(other[name]))
  return found.length > 0 ? found : ['turns']
}

const standing = ({ result, outcome }: ReportCase): number => (result !== 'not judged' ? 2 : outcome !== null ? 1 : 0)

const mayClose = ({ gap }: ReportCase): boolean => gap?.temporary === true

function coreOf(of: ReportCase): Record<string, unknown> {
  const signals = of.signals.map(({ line, column, ...signal }) => signal)
  const rest = Object.entries(of).filter(([name]) => !(aside as readonly string[]).includes(name))
  return { ...Object.fromEntries(rest), signals }
}

const answers: readonly ReportCase['answer'][] = ['asked', 'cached', 'same', null]

/** Of what is told otherwise, what says more, or else what comes first in an order, whichever report has it. */
function together(a: ReportCase, b: ReportCase): ReportCase | undefined {
  const wordsOf = ({ turns }: ReportCase) => turns && canonicalJson(turns.map(({ role, content }) => [role, content]))
  if (a.turns && b.turns && wordsOf(a) !== wordsOf(b)) return undefined
  const turns = a.turns && b.turns ? placed(a.turns, b.turns) : (a.turns ?? b.turns)
  return {
    ...a,
    path: [a.path, b.path].sort()[0] ?? a.path,
    ...place(a, b),
    answer: answers.find((answer) => answer === a.answer || answer === b.answer) ?? null,
    usage: canonicalJson(a.usage) < canonicalJson(b.usage) ? a.usage : b.usage,
    signals: placed(a.signals, b.signals),
    ...(turns && { turns }),
  }
}

type Place = Pick<ReportCase, 'line' | 'column'>

const placed = <Each extends Place>(a: readonly Each[], b: readonly Each[]): Each[] =>
  a.map((each, at) => ({ ...each, ...place(each, b[at] ?? each) }))

/** The place that is known, and of two the first. */
function place(a: Place, b: Place): Place {
  const [before = a] = [a, b].sort((x, y) => order(x.line) - order(y.line) || order(x.column) - order(y.column))
  return { line: before.line, column: before.column }
}

const order = (n: number | null): number => n ?? Infinity
