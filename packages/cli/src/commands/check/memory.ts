import type { Cache } from '../../checks/cache/cache.js'
import { createVersions } from '../../checks/cache/cache-versions.js'
import { type Memory, recallFrom } from '../../checks/cache/recall.js'
import type { Context } from '../../context.js'

/** Answers of earlier runs under the listed versions; `relist` gives those that the service lists now. */
export async function memoryOf(
  { settings }: Pick<Context, 'settings'>,
  cache: Cache,
  listed: Parameters<typeof createVersions>[0],
  { relist, say }: { relist: Parameters<typeof createVersions>[1]; say: (text: string) => void },
): Promise<ReturnType<typeof recallFrom>> {
  const baseUrl = (await settings()).baseUrl?.value ?? ''
  const memory: Memory = { cache, baseUrl, versions: createVersions(listed, relist, say) }
  return recallFrom(memory)
}
