import type { CallOptions, ClientEvent } from '@svc/client'
import type { Versions } from '../annotation.js'
import type { CheckError } from '../check-error.js'
import { type AnnotatingClient, noAnnotator, stepOf } from './annotate.js'

export interface Listing {
  /** Undefined if the registry cannot be read or does not list the annotator. */
  versions?: Versions | undefined
  /** Set if the registry does not list the annotator: the error of a check whose first annotation is a 404. */
  unlisted?: CheckError
  /** The base URL of the service; empty if nothing was sent. */
  baseUrl: string
}

/**
 * Look an annotator up in the registry. The service may know annotators that the registry does not list. `annotatorPlace` is
 * the place in the policy that names it.
 */
export async function lookUpAnnotator(
  client: AnnotatingClient,
  { annotator, annotatorPlace: place }: { annotator: string; annotatorPlace?: string | undefined },
  options: CallOptions,
): Promise<Listing> {
  let baseUrl = ''
  const onEvent = (event: ClientEvent) => {
    options.onEvent?.(event)
    baseUrl = event.url.replace(/\/v1\/annotators$/, '')
  }
  const listed = await client.annotators.list({ ...options, onEvent }).catch((error: unknown) => {
    const step = stepOf(error)
    if (step === 'check_id' || step === 'fix_request') return undefined
    throw error
  })
  if (!listed) return { baseUrl }
  const info = listed.find(({ id }) => id === annotator)
  if (!info) {
    if (listed.some(({ id }) => typeof id !== 'string')) return { baseUrl }
    const unlisted =
      place === undefined
        ? noAnnotator('unlisted_annotator', annotator, listed)
        : noAnnotator('unlisted_in_policy', annotator, listed, { details: [place] })
    return { unlisted, baseUrl }
  }
  const { annotator_version, taxonomy_version } = info
  if (typeof annotator_version !== 'string' || typeof taxonomy_version !== 'string') return { baseUrl }
  return { versions: { annotator_version, taxonomy_version }, baseUrl }
}

export const unlistedText = (annotator: string, { hint }: CheckError): string =>
  `the registry does not list the annotator "${annotator}" (${hint}), so the service decides; its answers are not cached`
