import type { Shard } from '@svc/bulk'
import { fileShard } from '@svc/bulk/parts'
import { count } from '@svc/text'
import type { Context } from '../../context.js'
import { fileIds, type Input } from '../../input/index.js'

/** The part of an input that a shard reads. */
export interface ShardInput {
  input: Input
  /** With the ids of all files, if it takes whole files. */
  shard: Shard | undefined
  /** The ids of all files by their paths, if it takes whole files. */
  ids: ReadonlyMap<string, string> | undefined
  /** Roots in which files of other shards are. */
  rootsElsewhere: ReadonlySet<string> | undefined
}

/** The files of a shard, by their content: it has the same on every machine, and after files are renamed. */
export async function filesOfShard({ io, say }: Context, input: Input, { index, of }: Shard): Promise<ShardInput> {
  const { candidates } = input
  const ids = await fileIds(io, candidates)
  const isOwn = ({ path }: { path: string }) => fileShard(ids.get(path) ?? '', of) === index
  const own = candidates.filter(isOwn)
  say(`${count(own.length, 'file')} of ${candidates.length} for shard ${index + 1}/${of}`)
  return {
    input: { ...input, sources: input.sourcesOf(own) },
    shard: { index, of, files: new Set(ids.values()) },
    ids,
    rootsElsewhere: new Set(candidates.filter((each) => !isOwn(each)).map(({ root }) => root)),
  }
}
