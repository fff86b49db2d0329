import { baseUrlsOf, InputError, type SvcClient } from '@svc/client'
import type { Target } from './ledger/index.js'

/** The target of uploads: a project of the service that a client calls, unless another base URL is given. */
export function targetOf(given: { client: SvcClient; project: string; baseUrl?: string | undefined }): Target {
  const baseUrl = given.baseUrl ?? baseUrlsOf(given.client).workspace
  if (baseUrl !== undefined) return { baseUrl, project: given.project }
  throw new InputError('missing_base_url', 'bulk: the client has no publicBaseUrl.', 'bulk')
}
