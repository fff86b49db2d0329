import { join } from 'node:path'
import { cacheFolderOf } from '../../settings/folders.js'

/** The file of the cache: `annotations.jsonl` in the cache folder; undefined where there is no home. */
export function cachePath(env: Record<string, string | undefined>): string | undefined {
  const folder = cacheFolderOf(env)
  return folder === undefined ? undefined : join(folder, 'annotations.jsonl')
}
