import { describe, expect, it } from 'vitest'
import { failureOf, json, scripted, upload } from '../../test/fixtures/scripted.js'
import { AmbiguousWriteError, ConnectionError, InputError, ServiceError, SvcError } from './errors.js'

const context = { operation: 'o', surface: 'workspace' as const, method: 'GET', url: 'https://svc.test/', attempts: [] }
const service = new ServiceError('m', context, { status: 404, kind: 'not_found', fields: [], body: undefined })

describe('the error classes', () => {
  it('the error classes are distinguished by instanceof', () => {
    const errors = [
      new InputError('invalid_id', 'm', 'o'),
      service,
      new ConnectionError('m', context, 'waiting', false),
      new AmbiguousWriteError('m', context, {}),
    ]
    const classes = [InputError, ServiceError, ConnectionError, AmbiguousWriteError]
    for (const [i, error] of errors.entries()) {
      expect(classes.map((known) => error instanceof known)).toEqual(classes.map((_, j) => i === j))
      expect(error instanceof SvcError && error instanceof Error).toBe(true)
    }
  })

  it('do not match objects that only look like an error', () => {
    for (const value of [
      null,
      undefined,
      'ServiceError',
      new Error('m'),
      { name: 'ServiceError', kind: 'not_found' },
    ]) {
      expect(value instanceof SvcError).toBe(false)
    }
  })

  it('the error classes can be subclassed without changing their meaning', () => {
    class Own extends ServiceError {}
    expect(service instanceof Own).toBe(false)
    const own = new Own('m', context, { status: 404, kind: 'not_found', fields: [], body: undefined })
    expect(own instanceof Own && own instanceof ServiceError).toBe(true)
  })
})

describe('the response of a service', () => {
  it('the response of a service is masked where it repeats the key', async () => {
    const echo = json(
      { error: { message: 'Incorrect key: sk-service-api03-secret', type: 'authentication_error' } },
      401,
    )
    const { svc } = scripted([echo])
    const error = await failureOf(svc.projects.get('hp-1'))
    expect([error.detail, JSON.stringify(error).includes('secret')]).toEqual(['Incorrect key: …', false])
    const other = scripted([json({ detail: 'no bee' }, 401)], { headers: { authorization: 'Bearer bee' } })
    expect((await failureOf(other.svc.annotators.list())).detail).toBe('no …')
    const short = scripted([json({ detail: [{ loc: ['f'], msg: 'if' }] }, 422)], { apiKey: 'f' })
    expect((await failureOf(short.svc.batches.get('b'))).fields).toEqual([{ path: '…', message: 'i…' }])
  })

  it("the response of a service is read from a gateway's own shape, and without a usable location", async () => {
    const odd = json({ detail: [{ loc: ['body', { toString: 1, valueOf: 1 }, 0], msg: 'bad' }] }, 422)
    const { svc } = scripted([json({ message: 'Forbidden by policy' }, 403), odd])
    expect((await failureOf(svc.projects.get('hp-1'))).detail).toBe('Forbidden by policy')
    expect((await failureOf(svc.batches.get('b'))).fields).toEqual([{ path: 'body[0]', message: 'bad' }])
  })

  it('the response of a service is not_implemented also if its body breaks off', async () => {
    const broken = new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('reset')) }), {
      status: 501,
    })
    const { svc, requests } = scripted([broken])
    expect(await failureOf(svc.projects.get('hp-1'))).toMatchObject({ kind: 'not_implemented' })
    expect(requests).toHaveLength(1)
  })
})

describe('the message of an error', () => {
  const redirect = (location?: string, options = {}) => {
    const headers = location === undefined ? {} : { location }
    return failureOf(scripted([new Response(null, { status: 302, headers })], options).svc.projects.get('hp-1'))
  }

  it.each([
    ['an address with a query', 'https://login.example/start?next=%2Fprojects', ' to https://login.example/start;'],
    ['an address with a password', 'https://user:secret@login.example:8443/a', ' to https://login.example:8443/a;'],
    ['a path', '/elsewhere#part', ' to https://svc.test/elsewhere;'],
    ['an address with blanks', 'https://login.example/where is my refund', ' to https://login.example/…;'],
    ['a long address', `https://login.example/${'a'.repeat(200)}`, ' to https://login.example/…;'],
    ['an address of mail', 'mailto:admin@example.test', ' followed;'],
    ['a broken address', 'http://[', ' followed;'],
    ['nowhere', undefined, ' followed;'],
  ])('the message of a redirect to %s says where it leads, without secrets', async (_, location, said) => {
    const { message } = await redirect(location)
    expect(message).toContain(`redirects are not followed${said.replace(' followed', '')}`)
    expect(message).not.toMatch(/secret|next=|#/)
  })

  it('masks the key in the body of an error, also as the name of a property', async () => {
    const key = 'sk-service-api03-secret'
    const { svc } = scripted([json({ error: { message: key, type: 'x' }, [key]: { [key]: [key, 1] } }, 401)])
    const error = await failureOf(svc.projects.get('hp-1'))
    expect(error.body).toEqual({ error: { message: '…', type: 'x' }, '…': { '…': ['…', 1] } })
  })

  it('masks the key in the target of a redirect', async () => {
    const { message } = await redirect('https://login.example/sk-service-api03-secret/a')
    expect(message).toContain(' to https://login.example/…/a;')
  })

  it('of a 401 says that no key was sent where none was', async () => {
    const { svc } = scripted([json({ error: 'unauthorized', detail: 'Give a key.' }, 401)])
    expect((await failureOf(svc.health())).message).toContain('401 authentication: Give a key. (no key was sent) (GET')
    const bare = scripted([new Response(null, { status: 401 })], { apiKey: '' })
    expect((await failureOf(bare.svc.annotators.list())).message).toContain(': refused (no key was sent) (GET')
    const other = scripted([json({ error: 'unauthorized', detail: 'A bad key.' }, 401)])
    expect((await failureOf(other.svc.annotators.list())).message).toContain(': A bad key. (GET')
  })

  it.each([
    ['metadata.svc', { error: { message: 'metadata.svc is not allowed', type: 'invalid_request_error' } }, 400],
    ['the field metadata', { errors: [{ field: 'metadata', message: 'unknown field' }] }, 422],
    ['the property svc', { message: ['property svc should not exist'] }, 400],
  ])('the message of an upload whose refusal names %s offers stamp: false', async (_, body, status) => {
    const hint = '(`stamp: false` sends no metadata.svc)'
    const refused = (options = {}) =>
      failureOf(scripted([json(body, status)]).svc.transcripts.upload('hp-1', upload, options))
    expect((await refused()).message).toContain(hint)
    expect((await refused({ stamp: false })).message).not.toContain('stamp')
  })

  it('of an upload that is refused for another reason does not name the stamp', async () => {
    const reason = { error: { message: 'name is empty; see https://svc.test/docs', type: 'invalid_request_error' } }
    for (const answer of [json(reason, 400), json({ error: { message: 'metadata', type: 'x', code: 403 } }, 403)]) {
      expect((await failureOf(scripted([answer]).svc.transcripts.upload('hp-1', upload))).message).not.toContain(
        'stamp',
      )
    }
  })
})

describe('a key', () => {
  it('never goes over plain http, also from a call or a derived client', async () => {
    const { svc, requests } = scripted([], {
      apiKey: '',
      baseUrl: 'http://svc.example',
      publicBaseUrl: 'http://svc.example',
    })
    const headers = { authorization: 'Bearer k' }
    expect(await failureOf(svc.projects.get('hp-1', { headers }))).toMatchObject({ reason: 'invalid_base_url' })
    expect(await failureOf(svc.with({ headers }).annotators.list())).toMatchObject({ reason: 'invalid_base_url' })
    expect(requests).toEqual([])
  })

  it('a key that is not a string is refused', async () => {
    const { svc } = scripted([], { apiKey: (() => 123) as unknown as () => string })
    expect(await failureOf(svc.projects.get('hp-1'))).toMatchObject({ name: 'InputError', reason: 'invalid_key' })
  })
})
