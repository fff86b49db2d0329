import { parseShard } from '@svc/text'
import { BulkError } from './bulk-error.js'

/** One of several processes that share a piece of work: the content of a transcript decides its shard. */
export interface Shard {
  /** From 0. */
  index: number
  /** The number of shards. */
  of: number
}

/**
 * The given shard, else that of a Kubernetes indexed Job by `JOB_COMPLETION_INDEX` and `JOB_COMPLETIONS`; undefined if there
 * is none. Throws a BulkError with the code `invalid_shard` if the variables name no shard.
 *
 * @example
 * uploadAll({ shard: shardOf(undefined, process.env), … })
 */
export function shardOf(given: Shard | undefined, env: Record<string, string | undefined>): Shard | undefined {
  const { JOB_COMPLETION_INDEX: index, JOB_COMPLETIONS: of } = env
  if (given || !index) return given
  const shard = of ? parseShard(`${Number(index) + 1}/${of}`) : undefined
  if (shard) return shard
  if (!of) {
    throw new BulkError('invalid_shard', 'JOB_COMPLETION_INDEX is set, but JOB_COMPLETIONS is not.', {
      hint: 'set JOB_COMPLETIONS to the completions of the Job, or name the shard (--shard i/n or the option shard; 1/1 for everything)',
    })
  }
  // A variable may hold a key by mistake.
  const shown = [index, of].every((text) => /^-?\d{1,9}$/.test(text))
    ? ` ${index} of JOB_COMPLETIONS ${of}`
    : ' of JOB_COMPLETIONS'
  throw new BulkError('invalid_shard', `JOB_COMPLETION_INDEX${shown} is not a valid shard.`, {
    hint: 'the index is between 0 and completions − 1; or name the shard (--shard i/n or the option shard)',
  })
}
