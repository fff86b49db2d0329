import { parseShard, type Shard } from '@svc/bulk'
import { InvalidArgumentError } from 'commander'

/** The third of eight shards from `3/8`. */
export function shard(text: string): Shard {
  const parsed = parseShard(text)
  if (parsed) return parsed
  throw new InvalidArgumentError('Expected a shard such as 1/8, from 1/8 to 8/8.')
}
