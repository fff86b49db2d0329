/** A bulk upload in shards, as the counting model and the full world run it. Durations in milliseconds. */
export interface Load {
  transcripts: number
  shards: number
  /** The shards take turns with so many keys, each with a quota of its own. */
  keys: number
  concurrency: number
  /** Requests that one key may send in a window. */
  quota: number
  windowMs: number
  /** From request to answer, on average. */
  latencyMs: number
  /** The time to read and check what a shard reads before it sends anything. */
  readMs(shard: number): number
  /** Every eighth worker is so many times slower: latency and reading. */
  straggling: number
  /** When the process of a shard is killed; it starts again after `restartMs`. */
  kills: readonly { atMs: number; shard: number }[]
  restartMs: number
  /** When a third of the workers is lost for good. The others take their shards once they are done with their own. */
  lossAtMs?: number
  seed: number
}

/** The result of a load. */
export interface Outcome {
  /** Transcripts that are stored at the service. */
  stored: number
  /** Virtual time until every shard was done. */
  elapsedMs: number
  /** Uploads that the service accepted. */
  uploads: number
  /** Requests that read the list, to search for uploads of a killed process. */
  searches: number
  /** Requests that got a 429. */
  refusals: number
  /** Processes that were started. */
  runs: number
}

/** The pace of a worker: 1, or `straggling` for every eighth. */
export const paceOf = ({ straggling }: Pick<Load, 'straggling'>, worker: number): number =>
  worker % 8 === 7 ? straggling : 1

/** From the client to the service, or back: half of the latency, give or take a half of that. */
export const halfWayMs = ({ latencyMs }: Pick<Load, 'latencyMs'>, pace: number, random: () => number): number =>
  (latencyMs / 2) * pace * (0.5 + random())

/** The load of the table in the guide on many machines, and of the test at a hundredth of its size. */
export const usualLoad = {
  keys: 1,
  concurrency: 4,
  quota: 6_000,
  windowMs: 60_000,
  latencyMs: 100,
  straggling: 4,
  restartMs: 60_000,
  kills: [],
  seed: 1,
} as const satisfies Partial<Load>
