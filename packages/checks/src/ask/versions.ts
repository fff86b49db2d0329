import type { SvcClient } from '@svc/client'
import { noAnnotator } from '../../../cli/src/annotate/index.js'
import type { Context } from '../../../cli/src/context.js'
import { exitCodeFor, wrongFields } from '../../../cli/src/errors/index.js'
import { type CliError, exit } from '../../../cli/src/exit.js'

/** The versions that an annotation carries. */
export interface Versions {
  annotator_version: string
  taxonomy_version: string
}

export const areSameVersions = (a: Versions, b: Versions): boolean =>
  a.annotator_version === b.annotator_version && a.taxonomy_version === b.taxonomy_version

export const versionsText = ({ annotator_version, taxonomy_version }: Versions): string =>
  `annotator version ${annotator_version}, taxonomy version ${taxonomy_version}`

/** The entry of an annotator in the registry. */
export interface Listing {
  /** Undefined if the registry cannot be read or does not list the annotator. */
  versions?: Versions | undefined
  /** Set if the registry does not list the annotator: the error of a check whose first annotation is a 404. */
  unlisted?: CliError
}

/**
 * Look an annotator up in the registry. The service may know annotators that the registry does not list; without them the
 * error is one of wrong usage, or of wrong input if a policy names the annotator at `annotatorPlace`.
 */
export async function lookUpAnnotator(
  client: SvcClient,
  { annotator, annotatorPlace: place }: { annotator: string; annotatorPlace: string | undefined },
  call: Context['call'],
): Promise<Listing> {
  const listed = await client.annotators.list(call()).catch((error: unknown) => {
    const code = exitCodeFor(error)
    if (code === exit.notFound || code === exit.refused) return undefined
    throw error
  })
  if (!listed) return {}
  const info = listed.find(({ id }) => id === annotator)
  if (!info) {
    if (listed.some(({ id }) => typeof id !== 'string')) return {}
    const where = place === undefined ? { code: exit.usage } : { code: exit.input, details: [place] }
    return { unlisted: noAnnotator(annotator, listed, where) }
  }
  if (wrongFields(info, '', { annotator_version: 'a text', taxonomy_version: 'a text' }).length > 0) return {}
  return { versions: { annotator_version: info.annotator_version, taxonomy_version: info.taxonomy_version } }
}

/** Say that the registry does not list an annotator, with the nearest that it lists. */
export const unlistedText = (annotator: string, { hint }: CliError): string =>
  `the registry does not list the annotator "${annotator}" (${hint}), so the service decides; its answers are not cached`
