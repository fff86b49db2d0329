import { count, cut, grouped } from '@svc/text'
import {
  absentOf,
  acceptedText,
  agreementText,
  badness,
  type CheckReport,
  type ComparedChange,
  type Comparison,
  caseLabel,
  caseTitle,
  circumstanceEntries,
  costText,
  coverageText,
  errorLines,
  evidenceText,
  gapText,
  historyLines,
  hitTexts,
  labelLines,
  maxExcerpt,
  noteLines,
  numberText,
  placeOf,
  type RateReport,
  type ReportCase,
  rateName,
  rateText,
  reasonText,
  type Slice,
  signalPlace,
  worstCasesFirst,
} from '../report/index.js'
import { changeRow, changesHead, comparisonHead, comparisonItems } from './comparison.js'
import { escapeMarkdown, escapeTableCell } from './escape.js'

/** A part of the page whose items may be omitted. */
interface Section {
  open: string
  items: readonly string[]
  /** The line that replaces the left-out items. */
  more(left: number): string
  close: string
}

/**
 * The report as Markdown: the verdict, counts and rates, failures, transcripts that are not judged, and the rest in folded
 * sections. It has at most `maxBytes` bytes of UTF-8, with the number of left-out items in each list.
 */
export const markdownWithin = (report: CheckReport, maxBytes: number): Generator<string> =>
  within(sectionsOf(report), maxBytes)

/** A comparison as Markdown, within the same bounds. */
export const comparisonMarkdown = (comparison: Comparison, maxBytes: number): Generator<string> =>
  within([only(comparisonHead(comparison)), ...sectionsOfComparison('', comparison)], maxBytes)

function* within(sections: Iterable<Section>, maxBytes: number): Generator<string> {
  let [room, left] = [maxBytes - bytes(leftOut(Number.MAX_SAFE_INTEGER)), 0]
  for (const { open, items, more, close } of sections) {
    const frame = bytes(open) + bytes(close) + bytes(more(items.length))
    if (frame > room) {
      left += Math.max(1, items.length)
      continue
    }
    yield open
    room -= frame
    let shown = 0
    for (const item of items) {
      if (bytes(item) > room) break
      yield item
      room -= bytes(item)
      shown++
    }
    if (shown < items.length) yield more(items.length - shown)
    left += items.length - shown
    yield close
  }
  if (left > 0 && room >= 0) yield leftOut(left)
}

const bytes = (text: string): number => Buffer.byteLength(text)

const leftOut = (left: number): string =>
  `Left out, for there is no room for more here: ${left === 1 ? '1 entry' : `${left} entries`}.\n`

function* sectionsOf(report: CheckReport): Generator<Section> {
  const { outcomes, signals, rates, baseline, cases } = report
  yield headOf(report)
  const comparison = report.reference?.comparison
  if (comparison) yield* sectionsOfComparison('### Compared\n\n', comparison)
  if (report.self_agreement) yield only(`${escapeMarkdown(agreementText(report.self_agreement))}.\n\n`)
  if (report.labels) yield list('### Labels\n\n', labelLines(report.labels, escaped), (line) => `${line}\n`)
  const notes = noteLines(report, escaped)
  if (notes.length > 0) yield list('### Notes\n\n', notes, (note) => `${note}\n`)
  yield table('Outcome', Object.entries(outcomes).sort(byBadness))
  const often = Object.entries(signals).sort(([, a], [, b]) => b - a)
  if (often.length > 0) yield table('Signal', often)
  for (const [tag, slices] of grouped(report.slices ?? [], (each) => each.tag)) yield slicesTable(tag, slices)
  if (rates.length > 0) yield list('### Rates\n\n', rates, rateItem)
  for (const rate of rates.filter(({ culprits }) => culprits.length > 0))
    yield list(
      `### Counts for ${escaped(rateName(rate))} (${rate.culprits.length})\n\n`,
      hitTexts(rate, report.cases, escaped),
      (each) => `${each}\n`,
    )
  for (const [outcome, failed] of grouped(worstCasesFirst(report, 'failed'), (each) => each.outcome ?? ''))
    yield list(`### Failed: ${escaped(outcome)} (${failed.length})\n\n`, failed, caseItem)
  const gaps = cases.filter(({ result }) => result === 'not judged')
  if (gaps.length > 0) yield list(`### Not judged (${gaps.length})\n\n`, gaps, gapItem)
  yield* folded('Known from the baseline', worstCasesFirst(report, 'known'), caseItem)
  const vague = cases.filter(({ result }) => result === 'warned' || result === 'ignored')
  yield* folded('Indeterminate, accepted by the policy', vague, (each) => `${named(each)}: ${each.result}\n`)
  const flaky = cases.filter((each) => each.flaky)
  yield* folded('Flaky', flaky, (each) => `${named(each)}: ${each.votes.map(escaped).join(', ')}\n`)
  if (!baseline) return
  const { path, stale, accepted = [] } = baseline
  yield* folded('Accepted by this run', accepted, (each) => `${acceptedText(each, escaped)}\n`)
  if (stale !== null) yield only(`The baseline ${escaped(path)} is out of date: ${escaped(stale)}.\n\n`)
  const changed = cases.filter(
    ({ before, outcome, change }) => change === 'better' || (change === 'worse' && before !== outcome),
  )
  const changeOf = ({ before, outcome }: ReportCase) => `${escaped(before ?? '')}, now ${escaped(outcome ?? '')}`
  yield* folded('Other than in the baseline', changed, (each) => `${named(each)}: ${changeOf(each)}\n`)
  const fresh = cases.filter(({ change }) => change === 'new')
  yield* folded('Not in the baseline', fresh, (each) => `${named(each)}: ${escaped(each.outcome ?? '')}\n`)
  yield* folded('In the baseline but not found', absentOf(report), ({ outcome, now, ...each }) => {
    const change = now === undefined ? outcome : `${outcome}, with other content now ${now ?? 'not judged'}`
    return `${escaped(caseTitle(each))} in ${escaped(caseLabel(each))}: ${escaped(change)}\n`
  })
}

function* sectionsOfComparison(open: string, comparison: Comparison): Generator<Section> {
  yield list(open, comparisonItems(comparison), (item) => item)
  if (comparison.changes.length > 0) yield changesTable(comparison.changes)
}

function headOf(report: CheckReport): Section {
  const { verdict, line, annotator, versions, requests, usage, cost, error } = report
  const covered = coverageText(report)
  const why = error ? errorLines(error, escaped).map((each) => `- ${each}\n`) : []
  const end = why.length > 0 ? `${why.join('')}\n` : ''
  const of = versions.map(
    (each) => `version ${escaped(each.annotator_version)}, taxonomy ${escaped(each.taxonomy_version)}`,
  )
  const answers = [
    count(requests.sent, 'request'),
    ...(requests.cached > 0 ? [`${requests.cached} cached`] : []),
    ...(requests.same > 0 ? [`${requests.same} of the same text`] : []),
  ].join(', ')
  const price = cost ? `; ${escaped(costText(cost))}` : ''
  const tokens = `${numberText(usage.tokens_in)} tokens in, ${numberText(usage.tokens_out)} out${price}`
  const by = [`Annotator ${escaped(annotator)}`, ...of].join('; ')
  const how = circumstanceEntries(report).map(([name, value]) => `${name} ${escaped(value)}`)
  const run = how.length > 0 ? `Run with ${how.join(', ')}.\n\n` : ''
  return only(
    `## svc check: ${verdict}\n\n${escapeMarkdown(line)}\n\n${covered ? `${escaped(covered)}\n\n` : ''}${end}${by}. ${answers}; ${tokens}.\n\n${run}`,
  )
}

const only = (open: string): Section => ({ open, items: [], more: () => '', close: '' })

const table = (of: string, rows: readonly (readonly [name: string, n: number])[]): Section => ({
  open: `| ${of} | Transcripts |\n|---|--:|\n`,
  items: rows.map(([name, n]) => `| ${escapeTableCell(cut(name, maxExcerpt))} | ${n} |\n`),
  more: (left) => `| and ${left} more | |\n`,
  close: '\n',
})

const changesTable = (changes: readonly ComparedChange[]): Section => ({
  open: changesHead,
  items: changes.map(changeRow),
  more: (left) => `| and ${left} more | | | |\n`,
  close: '\n',
})

const slicesTable = (tag: string, slices: readonly Slice[]): Section => ({
  open: `| ${escapeTableCell(cut(tag, maxExcerpt))} | Transcripts | Failed | Not judged |\n|---|--:|--:|--:|\n`,
  items: slices.map(({ value, total, judged, results }) => {
    const name = value === null ? 'none' : escapeTableCell(cut(value, maxExcerpt))
    return `| ${name} | ${total} | ${results.failed} | ${total - judged} |\n`
  }),
  more: (left) => `| and ${left} more | | | |\n`,
  close: '\n',
})

const list = <Item>(open: string, all: readonly Item[], item: (each: Item) => string): Section => ({
  open,
  items: all.map((each) => `- ${item(each)}`),
  more: (left) => `- and ${left} more\n`,
  close: '\n',
})

function* folded<Item>(title: string, all: readonly Item[], item: (each: Item) => string): Generator<Section> {
  if (all.length === 0) return
  const open = `<details><summary>${title}: ${all.length}</summary>\n\n`
  yield { ...list(open, all, item), close: '\n</details>\n\n' }
}

const rateItem = (rate: RateReport): string => `${rate.verdict.replace('_', ' ')}: ${escapeMarkdown(rateText(rate))}\n`

function caseItem(each: ReportCase): string {
  const lines = [
    ...each.reasons
      .filter(({ rule, accepted }) => rule !== 'outcome' || accepted)
      .map((reason) => reasonText(reason, escaped)),
    ...each.signals.map(
      (signal) =>
        `${escaped(signal.key)} at ${escaped(signalPlace(each, signal))}: ${evidenceText(signal, escaped, ['', ''])}`,
    ),
    ...(each.outcome_notes ? [`notes: ${escaped(each.outcome_notes)}`] : []),
    ...historyLines(each, escaped),
  ]
  return `${named(each)}: ${escaped(each.outcome ?? '')}\n${lines.map((line) => `  - ${line}\n`).join('')}`
}

const gapItem = (each: ReportCase): string => `${named(each)}: ${each.gap ? gapText(each.gap, escaped) : ''}\n`

const named = (each: ReportCase): string =>
  `**${escaped(caseTitle(each))}** at ${escaped(each.line === null ? caseLabel(each) : placeOf(each, each))}`

const escaped = (text: string): string => escapeMarkdown(cut(text, maxExcerpt))

const byBadness = ([a]: [string, number], [b]: [string, number]): number => badness(a) - badness(b)
