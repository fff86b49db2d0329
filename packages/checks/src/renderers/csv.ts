import { inert } from '@svc/text'
import { asIs, type CheckReport, gapText, type ReportCase, reasonText } from '../report/index.js'

const columns = [
  'path',
  'record',
  'part',
  'name',
  'result',
  'outcome',
  'reasons',
  'signals',
  'gap',
  'annotator_version',
  'taxonomy_version',
  'tokens_in',
  'tokens_out',
  'latency_ms',
]

/**
 * The transcripts as CSV (RFC 4180) with a header, a row for each, and a column for each tag. A check that ended early has a
 * row without a path that says why.
 */
export function* csv({ cases, policy, error, line }: CheckReport): Generator<string> {
  const tags = Object.keys(policy.tags ?? {})
  yield row([...columns, ...tags.map((tag) => `tag ${tag}`)])
  const ended: Partial<Record<string, string>> = { name: 'svc check', result: 'not judged', gap: line }
  if (error) yield row([...columns.map((column) => ended[column] ?? ''), ...tags.map(() => '')])
  for (const each of cases) yield row([...cellsOf(each), ...tags.map((tag) => each.tags?.[tag]?.join('; ') ?? '')])
}

function cellsOf(each: ReportCase): (string | number)[] {
  const { path, record, part, name, result, outcome, reasons, signals, gap, usage } = each
  return [
    path,
    record,
    part,
    name,
    result,
    outcome ?? '',
    reasons.map((reason) => reasonText(reason, asIs)).join('; '),
    [...new Set(signals.map(({ key }) => key))].join('; '),
    gap ? gapText(gap, asIs) : '',
    each.annotator_version ?? '',
    each.taxonomy_version ?? '',
    usage?.tokens_in ?? '',
    usage?.tokens_out ?? '',
    usage?.latency_ms ?? '',
  ]
}

const row = (cells: readonly (string | number)[]): string => `${cells.map(cellText).join(',')}\r\n`

/** Quotes a cell, and puts an apostrophe before a text that a spreadsheet would run as a formula. */
function cellText(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = inert(value)
  return `"${(/^[=+\-@]/.test(text.trimStart()) ? `'${text}` : text).replaceAll('"', '""')}"`
}
