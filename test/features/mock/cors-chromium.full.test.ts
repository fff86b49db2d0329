import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { afterAll, describe, expect } from 'vitest'
import { handClock } from '../../helpers/hand-clock.js'
import { chromium } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { openPage } from '../../helpers/runtimes/page.js'
import { inChromium } from '../../helpers/runtimes/start.js'
import type { Elsewhere, Read } from './main-cors.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-cors-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

// A service worker answers a page as if it stood on the page's own origin, so only HTTP shows what CORS lets through.
describe('a page of another origin', () => {
  itRuns(chromium(), 'calls the server over HTTP, and reads when to come back', async (binary) => {
    const server = createServer({ clock: handClock(), limits: { requests: 2, windowMs: 60_000 } })
    const { close, baseUrl, publicBaseUrl } = await server.listen()
    const page = await openPage(new URL('main-cors.ts', import.meta.url), {
      baseUrl,
      publicBaseUrl,
      key: referenceKey,
    } satisfies Elsewhere)
    const read = await inChromium<Read>(binary, folder, page.origin, page.reported).finally(async () => {
      page.close()
      await close()
    })
    expect(read).toEqual({
      type: 'cors',
      statuses: [201, 200, 200, 200, 429, 404, 401],
      listed: ['P'],
      retryAfter: '60',
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
      keyless: 'authentication_error',
    })
    const asked = server.requests.filter(({ method }) => method === 'OPTIONS')
    expect(asked.map(({ path, status, key }) => ({ path, status, key }))).toEqual(
      ['/projects', '/v1/annotations', '/nowhere'].map((path) => ({ path, status: 204, key: null })),
    )
  })
})
