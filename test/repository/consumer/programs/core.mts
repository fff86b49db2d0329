import type { SvcClient } from '@svc/client'
import { createClient, type Parts, rateLimiting, reconciliation, validation } from '@svc/client/core'
import { same } from './same.mjs'

export async function small() {
  const svc = createClient({ publicBaseUrl: 'https://svc.test' }, { reconciliation })
  same<typeof svc, SvcClient>(true)
  const parts: Parts = { rateLimiting, reconciliation, validation }
  createClient({}, parts)
  // @ts-expect-error no such part
  createClient({}, { retry: true })
}
