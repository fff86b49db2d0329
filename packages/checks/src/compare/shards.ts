import { grouped } from '@svc/text'
import { CheckError } from '../check-error.js'
import type { Facts } from '../judge/index.js'
import type { CheckReport, NamedReport } from '../report/index.js'

/** The shards that the reports hold together, and those that are missing; nothing without shards. */
export function mergedShards(reports: readonly CheckReport[]): Pick<Facts, 'shard' | 'missingShards'> {
  const shards = reports.flatMap(({ shard }) => shard ?? [])
  const [first] = shards
  if (!first) return {}
  const numbers = [...new Set(shards.flatMap((shard) => shard.numbers))].sort((a, b) => a - b)
  return { shard: { ...first, numbers }, missingShards: missingOf(numbers, first.count) }
}

const missingOf = (numbers: readonly number[], count: number): number[] =>
  Array.from({ length: count }, (_, at) => at + 1).filter((number) => !numbers.includes(number))

/** @throws {CheckError} unless each of so many shards is in one report, and no report is of anything else */
export function refuseOtherShards(parts: readonly NamedReport[], count: number): void {
  const held = parts.flatMap(({ from, report }) => (report.shard?.numbers ?? []).map((number) => ({ from, number })))
  const byNumber = grouped(held, ({ number }) => number)
  const details = [
    ...parts.flatMap(({ from, report: { shard } }) =>
      shard?.count === count ? [] : [`${from} is ${shard ? `of ${shard.count} shards` : 'no report of a shard'}`],
    ),
    ...missingOf([...byNumber.keys()], count).map((number) => `shard ${number} of ${count} is missing`),
    ...[...byNumber].flatMap(([number, of]) =>
      of.length > 1 ? [`shard ${number} of ${count} is in ${of.map(({ from }) => from).join(' and ')}`] : [],
    ),
  ]
  if (details.length === 0) return
  throw new CheckError('missing_shard', `The reports are not those of ${count} shards.`, {
    details,
    hint: 'give one report of each shard; run the missing shards again',
  })
}
