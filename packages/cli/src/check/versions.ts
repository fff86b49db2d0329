import type { SvcClient } from '@svc/client'
import { noAnnotator } from '../annotate/index.js'
import type { Context } from '../context.js'
import { exitCodeFor, wrongFields } from '../errors/index.js'
import { exit } from '../exit.js'

/** The versions that an annotation carries. */
export interface Versions {
  annotator_version: string
  taxonomy_version: string
}

export const areSameVersions = (a: Versions, b: Versions): boolean =>
  a.annotator_version === b.annotator_version && a.taxonomy_version === b.taxonomy_version

export const versionsText = ({ annotator_version, taxonomy_version }: Versions): string =>
  `annotator version ${annotator_version}, taxonomy version ${taxonomy_version}`

/**
 * The versions of an annotator in the registry; undefined if the registry cannot be read.
 *
 * @throws {CliError} if the registry does not have the annotator: wrong usage, or wrong input if a policy names it at
 *   `annotatorPlace`
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
    throw noAnnotator(
      annotator,
      listed,
      place === undefined ? { code: exit.usage } : { code: exit.input, details: [place] },
    )
  }
  if (wrongFields(info, '', { annotator_version: 'a text', taxonomy_version: 'a text' }).length > 0) return undefined
  return { annotator_version: info.annotator_version, taxonomy_version: info.taxonomy_version }
}
