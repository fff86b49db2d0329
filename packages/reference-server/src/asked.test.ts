import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asked } from './asked.js'
import { basesOf } from './bases.js'
import type { Refusal } from './refusal.js'

const bases = basesOf('https://svc.test', 'https://svc.test/b')

const textOf = async (sent: Promise<Uint8Array | string>) => {
  const body = await sent
  return typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
}

/** All that an answer may depend on. */
async function told(input: Request | string | URL, init?: RequestInit) {
  const call = asked(bases, input, init)
  const { method, surface, path, query } = call
  const headers = ['authorization', 'content-type', 'accept', 'x-a', 'svc-fault'].map((name) => call.header(name))
  return { method, surface, path, query, headers, body: await textOf(call.readBody(10_000)) }
}

async function outcome(input: Request | string | URL, init?: RequestInit) {
  try {
    return await told(input, init)
  } catch (error) {
    return error instanceof TypeError ? 'TypeError' : error
  }
}

/** The same by way of a Request, which is what the standard says. */
async function byRequest(input: string, init?: RequestInit) {
  let request: Request
  try {
    request = new Request(input, init)
  } catch {
    return 'TypeError'
  }
  return outcome(request)
}

const url = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc
    .tuple(fc.constantFrom('', '/b', '/b/', '/bc'), fc.string())
    .map(([base, more]) => `https://svc.test${base}${more}`),
  fc.constantFrom(
    'https://me:secret@svc.test/x',
    'https://me@svc.test/',
    '/relative',
    '',
    'data:,x',
    'HTTPS://SVC.test/A',
  ),
)

const header = fc.tuple(
  fc.constantFrom('authorization', 'Content-Type', 'X-A', 'x-a', 'accept', 'no name'),
  fc.oneof(fc.string(), fc.constantFrom('application/json', 'a\nb', ' a ', 'ä', '€')),
)

const headers = fc.oneof(
  fc.array(header, { maxLength: 3 }),
  fc.array(header, { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs)),
)

const method = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PUT',
  'post',
  'delete',
  'TRACE',
  'NO WAY',
)
const body = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(null, '', '\ud800 alone'), fc.uint8Array())
const usual = fc.record({ method, headers, body }, { requiredKeys: [] })
const more = fc.record(
  { keepalive: fc.boolean(), redirect: fc.constantFrom('follow', 'manual', 'wrong') },
  { requiredKeys: [] },
)
const init = fc.oneof(
  { arbitrary: usual, weight: 4 },
  fc.tuple(usual, more).map(([one, other]) => ({ ...one, ...other })),
)

describe('a call by a URL and values', () => {
  test('is what a Request of them is, and fails where that fails', async () => {
    const calls = fc.asyncProperty(url, fc.option(init, { nil: undefined }), async (input, values) => {
      expect(await outcome(input, values as RequestInit)).toEqual(await byRequest(input, values as RequestInit))
    })
    await fc.assert(calls, { numRuns: 2000 })
  })

  test('takes the headers of a Headers, and the members of a Request in its place', async () => {
    const values = { method: 'POST', headers: new Headers({ 'x-a': '1' }), body: '{}' }
    expect(await told('https://svc.test/b/x', values)).toMatchObject({ method: 'POST', path: '/x', body: '{}' })
    const request = new Request('https://other.test', values)
    expect(await told('https://svc.test/b/x', request as RequestInit)).toMatchObject({ method: 'POST', path: '/x' })
  })

  test('leaves the headers that it was given as they are', async () => {
    const values = { method: 'POST', headers: new Headers(), body: 'x' }
    expect((await told('https://svc.test/', values)).headers).toContain('text/plain;charset=UTF-8')
    expect([...values.headers]).toEqual([])
  })

  test('refuses a body over the limit, counted in bytes', async () => {
    const call = asked(bases, 'https://svc.test/', { method: 'POST', body: 'ää' })
    expect((await call.readBody(4)).length).toBe(4)
    await expect(call.readBody(3)).rejects.toMatchObject({ status: 413 } satisfies Partial<Refusal>)
  })

  test('can be aborted where it has a signal', () => {
    const { signal } = new AbortController()
    expect(asked(bases, 'https://svc.test/', { signal }).abortable).toBeInstanceOf(AbortSignal)
    const inherited = new Request('https://other.test', { signal })
    expect(asked(bases, 'https://svc.test/', inherited).abortable).toBeInstanceOf(AbortSignal)
    expect(asked(bases, 'https://svc.test/', {}).abortable).toBeUndefined()
    expect(asked(bases, 'https://svc.test/', {}).signal.aborted).toBe(false)
  })
})
