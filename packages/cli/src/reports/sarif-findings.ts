import type { ReportingDescriptor, Result } from 'sarif'
import type { CheckReport, Named, RateReport, ReportCase, ReportSignal } from '../checks/report.js'
import { fails } from '../checks/verdict.js'
import { rateText } from '../checks/verdict-line.js'
import { cut, inertSarif } from '../text.js'
import { culpritIn, longest, reasonIn } from './words.js'

type State = 'new' | 'updated' | 'unchanged'

/** One result before it is written. */
export interface Finding {
  rule: string
  level: 'error' | 'warning' | 'note'
  /** Against the baseline, where there is one. */
  state: State
  /** What tells it from others of its rule, from run to run and wherever it stands in its file. */
  key: readonly (string | number)[]
  at: { path: string; line: number | null; column: number | null }
  /** The first of all places where it is so, where there are several. */
  related?: Finding['at'][]
  text(): string
  properties(): Result['properties']
}

/** What failed, what would have without a baseline, and what the policy warns of, as in the input; rates come last. */
export function* findingsOf(report: CheckReport): Generator<Finding> {
  for (const each of report.cases) {
    if (each.result === 'failed' || each.result === 'known') yield* brokenBy(each)
    else if (each.result === 'warned') {
      const text = () => `${nameOf(each)}: the outcome is ${show(each.outcome ?? '')}.${notesOf(each)}`
      yield { ...ofCase(each), rule: 'outcome', level: 'warning', text }
    }
  }
  for (const rate of report.rates) if (rate.verdict === 'exceeded') yield ofRate(rate, report)
}

/** What there is to say of a rule, from its name alone. */
export function ruleOf(id: string): ReportingDescriptor {
  const [, kind, signal = ''] = /^(signal|missing)\/(.*)$/s.exec(id) ?? []
  const text =
    kind === 'signal'
      ? `The signal ${show(signal)} fired in a transcript that the check fails.`
      : kind === 'missing'
        ? `The signal ${show(signal)} is required, and did not fire.`
        : id === 'rate'
          ? 'A larger share of the transcripts is of a kind than the policy allows.'
          : 'The outcome of a transcript is one that the policy fails or warns of.'
  const level = 'error'
  return { id, shortDescription: { text }, fullDescription: { text }, help: { text }, defaultConfiguration: { level } }
}

function* brokenBy(each: ReportCase): Generator<Finding> {
  const about = new Map(each.reasons.flatMap((reason) => ('signal' in reason ? [[reason.signal, reason]] : [])))
  for (const reason of each.reasons) {
    if (reason.rule !== 'outcome' && reason.rule !== 'required') continue
    const rule = reason.rule === 'outcome' ? 'outcome' : `missing/${reason.signal}`
    const text = () => `${nameOf(each)}: ${reasonIn(reason, show)}.${notesOf(each)}`
    yield { rule, text, ...ofCase(each), ...weight(each, reason.known) }
  }
  const nth = new Map<string, number>()
  for (const signal of each.signals) {
    const { key, evidence } = signal
    const reason = about.get(key)
    const times = (nth.get(key) ?? 0) + 1
    nth.set(key, times)
    const what = () => (reason ? reasonIn(reason, show) : `the signal ${show(key)} fired`)
    const text = () => `${nameOf(each)}: ${what()}: “${show(evidence)}”`
    yield { rule: `signal/${key}`, text, ...ofCase(each, signal, times), ...weight(each, reason?.known === true) }
  }
}

/** What a finding of a transcript is without its rule, at a signal of it or where it begins. */
function ofCase(each: ReportCase, signal?: ReportSignal, nth = 1): Omit<Finding, 'rule' | 'level' | 'text'> {
  const { path, record, part, name, outcome, annotator_version, taxonomy_version, flaky } = each
  const at = signal?.line == null ? each : signal
  return {
    state: stateOf(each),
    key: [path, record, part, nth],
    at: { path, line: at.line, column: at.column },
    properties: () => ({
      ...{ name, record, part, outcome, annotator_version, taxonomy_version },
      ...(signal && { turn: signal.turn }),
      ...(flaky && { flaky }),
    }),
  }
}

/** What the baseline has fails nothing. */
const weight = (each: ReportCase, known: boolean): Pick<Finding, 'level' | 'state'> =>
  known || each.result === 'known' ? { level: 'note', state: 'unchanged' } : { level: 'error', state: stateOf(each) }

const stateOf = ({ result, change }: ReportCase): State =>
  change === 'new' ? 'new' : result === 'known' || change === 'same' ? 'unchanged' : 'updated'

/** A message names so many transcripts; the places of more are related locations, and the properties name all. */
const mostNamed = 10
const mostRelated = 100

/** A share has no place in a file; services want one, and the first transcript that adds to it is as good as any. */
function ofRate(rate: RateReport, { cases }: CheckReport): Finding {
  const { of, max, before, hits, n, culprits } = rate
  const placeOfCulprit = ({ path, record, part }: Named): Finding['at'] => {
    const is = (each: ReportCase) => each.path === path && each.record === record && each.part === part
    const { line, column } = cases.find(is) ?? { line: null, column: null }
    return { path, line, column }
  }
  const related = culprits.slice(0, mostRelated).map(placeOfCulprit)
  const names = culprits.slice(0, mostNamed).map((each) => culpritIn(each, show))
  const more = culprits.length > mostNamed ? [`and ${culprits.length - mostNamed} more`] : []
  return {
    rule: 'rate',
    level: fails(rate) ? 'error' : 'note',
    state: before === null ? 'new' : fails(rate) ? 'updated' : 'unchanged',
    key: [...('signal' in of ? ['signal', of.signal] : ['outcome', of.outcome]), max],
    at: related[0] ?? { path: '', line: null, column: null },
    related,
    text: () => `${inertSarif(rateText(rate))}: ${[...names, ...more].join('; ')}`,
    properties: () => ({ hits, n, max, culprits }),
  }
}

const show = (text: string): string => inertSarif(cut(text, longest))

const nameOf = ({ name }: ReportCase): string => `“${show(name)}”`

const notesOf = ({ outcome_notes }: ReportCase): string => (outcome_notes ? ` ${show(outcome_notes)}` : '')
