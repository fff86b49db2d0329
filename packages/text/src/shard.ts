/** The shard of a SHA-256 in hex, from 0: equal content belongs to the same shard. */
export const shardOfHash = (sha256: string, count: number): number => Number.parseInt(sha256.slice(0, 12), 16) % count

/** `3/8` is the third of eight, with the index 2; undefined for anything else. */
export function parseShard(text: string): { index: number; of: number } | undefined {
  const [, nth, of] = /^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? []
  const shard = { index: Number(nth) - 1, of: Number(of) }
  return shard.index >= 0 && shard.index < shard.of ? shard : undefined
}
