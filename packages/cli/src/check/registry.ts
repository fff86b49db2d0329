import type { SvcClient } from '@svc/client'
import { noAnnotator } from '../annotate/index.js'
import type { Context } from '../context.js'
import { exitCodeFor, wrongFields } from '../errors/index.js'
import { exit } from '../exit.js'
import type { Versions } from './versions.js'

/**
 * The versions of an annotator as the registry lists them, before anything is paid for; an annotator that it does not
 * have is refused: as wrong usage, or as wrong input where a policy names it at a `place`. Undefined where the service has
 * no registry that can be read.
 */
export async function listedVersions(
  client: SvcClient,
  { annotator, annotatorPlace: place }: { annotator: string; annotatorPlace: string | undefined },
  call: Context['call'],
): Promise<Versions | undefined> {
  const listed = await client.annotators.list(call()).catch((error: unknown) => {
    const code = exitCodeFor(error)
    if (code === exit.notFound || code === exit.refused) return undefined
    throw error
  })
  if (!listed) return undefined
  const info = listed.find(({ id }) => id === annotator)
  if (!info) {
    if (listed.some(({ id }) => typeof id !== 'string')) return undefined
    const where = place === undefined ? { code: exit.usage } : { code: exit.input, details: [place] }
    throw noAnnotator(annotator, listed, where)
  }
  if (wrongFields(info, '', { annotator_version: 'a text', taxonomy_version: 'a text' }).length > 0) return undefined
  return { annotator_version: info.annotator_version, taxonomy_version: info.taxonomy_version }
}
