import { shardOfHash } from '@svc/text'
import { contentKey } from '../identity.js'
import type { Policy, ReportShard } from '../report/index.js'
import type { Unread } from '../transcript.js'
import { digestOf } from '../values.js'
import { keepCases, type Planned } from './plan.js'

/** One of several checks that share their input. Each reads all of it, and judges its part. */
export interface Shard {
  /** From 0. */
  index: number
  /** The number of shards. */
  count: number
}

/** True for a transcript, a file by its bytes, or a path that cannot be read, that belongs to a shard. */
export const isInShard = (each: { path: string; sha256: string | null }, { index, count }: Shard): boolean =>
  shardOfHash(each.sha256 ?? digestOf(contentKey(each)), count) === index

/** The shard of a report whose input is not known yet. */
export function shardFacts({ index, count }: Shard, policy: Policy | undefined): ReportShard {
  const { maxTokens, maxFailures, deadlineMs, rates = [] } = policy ?? {}
  const limits = { maxTokens, maxFailures, deadline: deadlineMs }
  return {
    numbers: [index + 1],
    count,
    own_limits: Object.entries(limits).flatMap(([name, limit]) => (limit === undefined ? [] : [name])),
    merged_limits: ['minJudged', ...(rates.length > 0 ? ['rates'] : [])],
  }
}

/** The part of a plan that belongs to a shard, and the shard of its report. */
export function shardCases(
  planned: Planned,
  unread: readonly Unread[],
  shard: Shard,
  policy: Policy,
): { planned: Planned; unread: Unread[]; shard: ReportShard } {
  const contents = planned.cases.map(({ content, conversation: { source } }) => ({ ...content, path: source.path }))
  const keys = [...contents, ...unread].map(contentKey).sort()
  return {
    ...keepCases(
      planned,
      unread.filter((each) => isInShard(each, shard)),
      contents.map((each) => isInShard(each, shard)),
    ),
    shard: { ...shardFacts(shard, policy), total: keys.length, input: digestOf(keys) },
  }
}
