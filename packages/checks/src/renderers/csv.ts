import { escapeLine } from '@svc/text'
import { asIs, type CheckReport, caseTitle, gapText, type ReportCase, reasonText } from '../report/index.js'

const columns: Readonly<Record<string, (each: ReportCase) => Cell>> = {
  path: ({ path }) => path,
  record: ({ record }) => record,
  part: ({ part }) => part,
  name: caseTitle,
  result: ({ result }) => result,
  outcome: ({ outcome }) => outcome,
  reasons: ({ reasons }) => reasons.map((reason) => reasonText(reason, asIs)).join('; '),
  signals: ({ signals }) => [...new Set(signals.map(({ key }) => key))].join('; '),
  gap: ({ gap }) => gap && gapText(gap, asIs),
  annotator_version: (each) => each.annotator_version,
  taxonomy_version: (each) => each.taxonomy_version,
  tokens_in: ({ usage }) => usage?.tokens_in,
  tokens_out: ({ usage }) => usage?.tokens_out,
  latency_ms: ({ usage }) => usage?.latency_ms,
  sha256: ({ sha256 }) => sha256,
  occurrence: ({ occurrence }) => occurrence,
}

/**
 * The transcripts as CSV (RFC 4180) with a header, a row for each, and a column for each tag. A check that ended early has a
 * row without a path that says why.
 */
export function* csv({ cases, policy, error, line, shard }: CheckReport): Generator<string> {
  const tags = Object.keys(policy.tags ?? {})
  const shards = shard ? [`${shard.numbers.join(' ')}/${shard.count}`] : []
  yield row([...Object.keys(columns), ...tags.map((tag) => `tag ${tag}`), ...shards.map(() => 'shard')])
  const ended: Partial<Record<string, string>> = { name: 'svc check', result: 'not judged', gap: line }
  if (error) yield row([...Object.keys(columns).map((column) => ended[column]), ...tags.map(() => ''), ...shards])
  const cellsOf = Object.values(columns)
  for (const each of cases)
    yield row([...cellsOf.map((cellOf) => cellOf(each)), ...tags.map((tag) => each.tags?.[tag]?.join('; ')), ...shards])
}

type Cell = string | number | null | undefined

const row = (cells: readonly Cell[]): string => `${cells.map((cell) => cellText(cell ?? '')).join(',')}\r\n`

/** Quotes a cell, and puts an apostrophe before a text that a spreadsheet would run as a formula. */
function cellText(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = escapeLine(value)
  return `"${(/^[=+\-@]/.test(text.trimStart()) ? `'${text}` : text).replaceAll('"', '""')}"`
}
