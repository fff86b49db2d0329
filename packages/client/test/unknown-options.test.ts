import { describe, expect, it } from 'vitest'
import { createClient } from '../src/create-client.js'
import { failureOf, scripted } from './fixtures/scripted.js'

const refusal = (message: string) => expect.objectContaining({ name: 'InputError', reason: 'invalid_input', message })

describe('an unknown option', () => {
  it.each([
    ['baseURL', 'baseUrl'],
    ['maxRetries', 'retry'],
    ['timeout', 'timeoutMs'],
    ['key', 'apiKey'],
    ['validation', 'validate'],
  ])('%s of a client is refused, and the nearest one named: %s', (name, nearest) => {
    const message = `createClient: unknown option "${name}". Did you mean "${nearest}"?`
    expect(() => createClient({ environment: {}, [name]: 'x' })).toThrow(refusal(message))
  })

  it('an unknown option is refused in with(), in a call and in a retry policy, before anything is sent', async () => {
    const { svc, requests } = scripted([])
    expect(() => svc.with({ apikey: 'k' } as object)).toThrow(/^with: unknown option "apikey"/)
    const call = svc.projects.list({}, { timeoutMS: 5 } as object)
    expect(await failureOf(call)).toEqual(
      refusal('projects.list: unknown option "timeoutMS". Did you mean "timeoutMs"?'),
    )
    expect(() => svc.with({ retry: { maxAttempts: 5 } as object })).toThrow(
      refusal('retry: unknown option "maxAttempts". Did you mean "attempts"?'),
    )
    expect(requests).toEqual([])
  })

  it.each([5, true, 'never', null])('retry: %s is refused with the expected values', async (retry) => {
    const message = `retry: expected false or an object with attempts, baseMs, capMs, maxRetryAfterMs, got ${retry}.`
    expect(() => createClient({ environment: {}, retry: retry as never })).toThrow(refusal(message))
    expect(await failureOf(scripted([]).svc.health({ retry: retry as never }))).toEqual(refusal(message))
  })
})

it.each(['5', Number.NaN, -1, null])('timeoutMs: %j is refused', (timeoutMs) => {
  expect(() => createClient({ environment: {}, timeoutMs: timeoutMs as never })).toThrow(
    `timeoutMs: expected milliseconds above 0, got ${JSON.stringify(timeoutMs)}.`,
  )
})

describe('the environment', () => {
  const readers = (refuses: boolean) => {
    const read: string[] = []
    const environment = new Proxy<Record<string, string>>(
      {},
      {
        get(_, name) {
          read.push(String(name))
          if (refuses) throw new Error('Requires env access')
          return undefined
        },
      },
    )
    return { read, environment }
  }

  it('the environment is not read for given options', () => {
    const { read, environment } = readers(false)
    const urls = { baseUrl: 'https://svc.test', publicBaseUrl: 'https://svc.test/v1' }
    createClient({ apiKey: 'k', ...urls, logLevel: 'off', environment })
    expect(read).toEqual([])
    createClient({ annotationApiKey: 'k', workspaceApiKey: 'k', baseUrl: 'https://svc.test', environment })
    expect(read).toEqual(['SVC_PUBLIC_BASE_URL', 'SVC_LOG'])
  })

  it('the environment that may not be read counts as empty', async () => {
    const { environment } = readers(true)
    const svc = createClient({ environment })
    expect(await failureOf(svc.projects.list())).toMatchObject({ reason: 'missing_base_url' })
  })
})

describe('a connection error without a code', () => {
  const deno = (words: string) =>
    new TypeError('fetch failed', {
      cause: new Error(`error sending request for url (https://svc.test/): client error (Connect): ${words}`),
    })

  it.each([
    ['tcp connect error: Connection refused (os error 111)', 'ECONNREFUSED', 3],
    ['dns error: failed to lookup address information', 'ENOTFOUND', 3],
    ['invalid peer certificate: UnknownIssuer', 'CERT_INVALID', 1],
  ])('counts as never sent: %s', async (words, cause, attempts) => {
    const { svc, clock } = scripted(Array(3).fill(deno(words)))
    const error = await clock.until(failureOf(svc.projects.create({ name: 'P' })))
    expect(error).toMatchObject({ name: 'ConnectionError', phase: 'connecting' })
    expect(error.attempts).toMatchObject(Array(attempts).fill({ cause, sent: 'no' }))
    expect(error.attempts).toHaveLength(attempts)
  })

  it('counts as lost if the request may have been sent', async () => {
    const { svc } = scripted([deno('Connection reset by peer (os error 104)')])
    expect(await failureOf(svc.projects.create({ name: 'P' }))).toMatchObject({ name: 'AmbiguousWriteError' })
  })
})
