import { AmbiguousWriteError, ConnectionError, type SvcError } from '@svc/client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { answer, passOn, reset, resetUnread, silence, storedThen, truncated } from './acts.js'
import type { Act } from './fault-server.js'
import { type ConnectionFault, connectionFaults, openFront } from './front.js'
import { openLab } from './lab.js'
import { type Transport, transports } from './transports.js'

/** The failures of the first upload after the service saw it. */
const requestFaults = {
  none: passOn,
  'reset before it is read': resetUnread,
  reset,
  'stored, then reset': storedThen(reset),
  'stored, then cut off': storedThen(truncated(201)),
  'stored, then never answered': storedThen(silence),
  'never answered': silence,
  'stored, then 408': storedThen(answer(408)),
  'stored, then 499': storedThen(answer(499)),
  'stored, then 504': storedThen(answer(504)),
  '408': answer(408),
  '503': answer(503),
} satisfies Record<string, Act>
type RequestFault = keyof typeof requestFaults

interface Faults {
  scheme: 'http' | 'https'
  connection: ConnectionFault
  request: RequestFault
}

const drawnFaults: fc.Arbitrary<Faults> = fc.record({
  scheme: fc.constantFrom('http', 'https'),
  connection: fc.constantFrom(...connectionFaults),
  request: fc.constantFrom(...(Object.keys(requestFaults) as RequestFault[])),
})

/** One upload through a connection and to a service that fail as told. */
async function upload(transport: Transport, { scheme, connection, request }: Faults) {
  let target = ''
  const front = await openFront(scheme, connection, () => target)
  const publicBaseUrl = `${front.origin}/public/api/v1`
  const lab = await openLab(transport, {
    script: [requestFaults[request], passOn],
    scripted: 'POST',
    ...{ baseUrl: front.origin, publicBaseUrl },
  })
  target = lab.server.origin
  try {
    const turns = [{ role: 'user' as const, content: 'hello' }]
    const call = lab.svc.transcripts.upload(lab.projectId, { name: 'A conversation', turns }).withResponse()
    const { id, error, attempts } = await lab.until(
      call.then(
        ({ data, attempts }) => ({ id: data.id, error: undefined, attempts }),
        (error: SvcError) => ({ id: undefined, error, attempts: error.attempts }),
      ),
    )
    const posts = lab.server.seen.filter(({ method }) => method === 'POST').length
    await lab.clock.advance(120_000)
    const stored = lab.server.service.world.transcripts(lab.projectId).map(({ record }) => record.id)
    return { id, error, attempts, posts, stored, requests: lab.server.seen.length }
  } finally {
    await front.close()
    await lab.close()
  }
}

const setting = process.env.NODE_TLS_REJECT_UNAUTHORIZED
beforeAll(() => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
})
afterAll(() => {
  if (setting === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = setting
})

describe.each(transports)('over $name,', (transport) => {
  it('an upload is stored at most once, and "not sent" only if the server saw nothing, whatever fails', async () => {
    await fc.assert(
      fc.asyncProperty(drawnFaults, async (faults) => {
        const { id, error, attempts, posts, stored } = await upload(transport, faults)
        expect(posts).toBeLessThanOrEqual(attempts.filter(({ sent }) => sent !== 'no').length)
        if (!error) expect(stored).toEqual([id])
        else if (error instanceof ConnectionError) expect(stored).toEqual([])
        else {
          expect(error).toBeInstanceOf(AmbiguousWriteError)
          expect(stored.length).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: runs(15) },
    )
  })

  it('a service without TLS is named at once, and is neither asked again nor searched', async () => {
    const faults: Faults = { scheme: 'https', connection: 'speaks another protocol', request: 'none' }
    const { error, attempts, requests } = await upload(transport, faults)
    const sawHandshake = transport.keepsItsOwn
    expect(error).toBeInstanceOf(sawHandshake ? ConnectionError : AmbiguousWriteError)
    expect(attempts.map(({ sent }) => sent)).toEqual([sawHandshake ? 'no' : 'maybe'])
    expect(error?.message).toContain('no common protocol; correct the base URL')
    expect(requests).toBe(0)
  })
})

describe.each(transports.filter(({ keepsItsOwn }) => keepsItsOwn))('over $name,', (transport) => {
  it.each(['reset at once', 'reset after the first bytes', 'closed after the first bytes'] as const)(
    'a TLS handshake that is %s was not sent: the upload is sent again without a search',
    async (connection) => {
      const { error, attempts, requests } = await upload(transport, { scheme: 'https', connection, request: 'none' })
      expect(error).toBeUndefined()
      expect(attempts.map(({ sent }) => sent)).toEqual(['no', 'yes'])
      expect(requests).toBe(1)
    },
  )

  it('a TLS server that gets plain http is named at once, and is neither asked again nor searched', async () => {
    const faults: Faults = { scheme: 'http', connection: 'speaks another protocol', request: 'none' }
    const { error, attempts, requests } = await upload(transport, faults)
    expect(error).toBeInstanceOf(AmbiguousWriteError)
    expect(attempts).toMatchObject([{ cause: 'ERR_SSL_HTTP_REQUEST', sent: 'maybe' }])
    expect(requests).toBe(0)
  })
})
