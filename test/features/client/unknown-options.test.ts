import { describe, expect, it } from 'vitest'
import { createClient } from '../../../packages/client/src/create-client.js'
import { nodeTransport } from '../../../packages/client/src/node/index.js'
import type { CallOptions } from '../../../packages/client/src/options.js'
import { everyItem } from '../../../packages/client/src/pagination/index.js'
import { failureOf, json, scripted } from '../../../packages/client/test/fixtures/scripted.js'

const refusal = (message: string) => expect.objectContaining({ name: 'InputError', reason: 'invalid_input', message })

describe('an unknown option', () => {
  it.each([
    ['baseURL', 'baseUrl'],
    ['maxRetries', 'retry'],
    ['timeout', 'timeoutMs'],
    ['key', 'apiKey'],
    ['validation', 'validate'],
    ['url', 'baseUrl'],
  ])('%s of a client is refused, and the nearest one named: %s', (name, nearest) => {
    const message = `createClient: unknown option "${name}". Did you mean "${nearest}"?`
    expect(() => createClient({ environment: {}, [name]: 'x' })).toThrow(refusal(message))
  })

  it.each(['token', 'endpoint', 'zzz', 'id'])(
    '%s of a client is refused without a suggestion: no name is near',
    (name) => {
      const refused = refusal(
        expect.stringMatching(`unknown option "${name}". Known: timeoutMs, deadlineMs, .*, environment.$`),
      )
      expect(() => createClient({ environment: {}, [name]: 'x' })).toThrow(refused)
    },
  )

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

  it('an unknown option is refused by nodeTransport(), and the nearest one named', () => {
    expect(() => nodeTransport({ conections: 16 } as object)).toThrow(
      refusal('nodeTransport: unknown option "conections". Did you mean "connections"?'),
    )
  })

  it.each([5, true, 'never', null])('retry: %s is refused with the expected values', async (retry) => {
    const message = `retry: expected false or an object, got ${retry === 'never' ? 'a text' : retry}.`
    expect(() => createClient({ environment: {}, retry: retry as never })).toThrow(refusal(message))
    expect(await failureOf(scripted([]).svc.health({ retry: retry as never }))).toEqual(refusal(message))
  })
})

it.each(['5', Number.NaN, -1, null])('timeoutMs: %j is refused', (timeoutMs) => {
  expect(() => createClient({ environment: {}, timeoutMs: timeoutMs as never })).toThrow(
    `timeoutMs: expected a number above 0, got ${timeoutMs === '5' ? 'a text' : timeoutMs}.`,
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

describe('a filter of a list', () => {
  it.each<[object, string]>([
    [{ langauge: 'de' }, 'unknown filter "langauge". Did you mean "language"?'],
    [{ modelName: 'm' }, 'unknown filter "modelName". Did you mean "model_name"?'],
    [
      { search: 'x' },
      'unknown filter "search". Known: q, model_name, language, source_system, annotation, date_from, date_to, page, limit.',
    ],
  ])('is refused if it is unknown, by list and all: %j', async (filters, message) => {
    const { svc, requests } = scripted([])
    const refused = refusal(`transcripts.list: ${message}`)
    expect(await failureOf(svc.transcripts.list('hp-1', filters))).toEqual(refused)
    expect(await failureOf(svc.transcripts.all('hp-1', filters).toArray({ limit: 1 }))).toEqual(refused)
    expect(requests).toEqual([])
  })

  it.each([
    [{ language: ['de', 'en'] }, 'Array'],
    [{ date_from: { toISOString: () => '2026-01-01' } }, 'Object'],
  ])('is refused if it is no single value: %j', async (filters, name) => {
    const { svc, requests } = scripted([])
    const [field] = Object.keys(filters)
    expect(await failureOf(svc.transcripts.list('hp-1', filters as object))).toMatchObject({
      message: `transcripts.list: /${field}: expected a text, number, boolean or valid Date, got ${name}.`,
      violations: [{ pointer: `/${field}`, code: 'wrong_type' }],
    })
    expect(requests).toEqual([])
  })

  it('may be null, which means none', async () => {
    const page = { data: [], pagination: { page: 1, limit: 20, total: 0 }, processing_time_ms: 1 }
    const { svc, requests } = scripted([json(page), json(page), json(page)])
    await svc.projects.list(null as never)
    await svc.transcripts.list('hp-1', null as never)
    await svc.projects.all(null as never).toArray({ limit: 1 })
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['', '', '?page=1&limit=100'])
  })

  it.each(['x', 5, ['x']])('is refused if it is %j and no object', async (filters) => {
    const type = Object.prototype.toString.call(filters).slice(8, -1)
    expect(await failureOf(scripted([]).svc.projects.list(filters as never))).toEqual(
      refusal(`projects.list: expected filters as an object, got ${type}.`),
    )
  })
})

describe('an argument of another type', () => {
  it('is refused as a signal, also of many calls', async () => {
    const { svc, requests } = scripted([])
    const signal = new AbortController() as never
    const message = 'expected an AbortSignal as signal; pass the signal of the controller.'
    expect(await failureOf(svc.projects.list({}, { signal }))).toEqual(refusal(`projects.list: ${message}`))
    expect(await failureOf(svc.transcripts.uploadMany('hp-1', [], { signal }).next())).toEqual(
      refusal(`transcripts.uploadMany: ${message}`),
    )
    expect(await failureOf(svc.projects.list({}, { signal: 'stop' as never }))).toEqual(
      refusal('projects.list: expected an AbortSignal as signal.'),
    )
    expect(requests).toEqual([])
  })

  it.each([undefined, null, Promise.resolve([]), { name: 'x', turns: [] }, 'text'])(
    'is refused as the inputs of many calls: %s',
    async (inputs) => {
      const message = /^transcripts.uploadMany: expected an iterable, got /
      const error = await failureOf(
        scripted([])
          .svc.transcripts.uploadMany('hp-1', inputs as never)
          .next(),
      )
      expect(error).toMatchObject({ name: 'InputError', message: expect.stringMatching(message) })
    },
  )

  it('is refused as the limit of toArray()', async () => {
    const error = await failureOf(
      scripted([])
        .svc.projects.all()
        .toArray(undefined as never),
    )
    expect(error).toEqual(refusal('toArray: expected a limit, as in toArray({ limit: 1000 }).'))
  })

  it.each([5, 'x-a: 1', [['x-a']]])('is refused as headers: %j', async (headers) => {
    const error = await failureOf(scripted([]).svc.health({ headers: headers as never }))
    expect(error).toEqual(refusal('options: expected headers as an object, Headers or pairs.'))
  })
})

it.each<[string, () => CallOptions['headers']]>([
  ['Headers', () => new Headers({ 'X-A': '1' })],
  ['pairs', () => [['X-A', '1']]],
  ['a Map', () => new Map([['X-A', '1']])],
  ['an object', () => ({ 'X-A': '1' })],
])('headers given as %s are sent', async (_, headers) => {
  const { svc, requests } = scripted([json({ status: 'ok', substrate: 'lambda' })])
  await svc.health({ headers: headers() })
  expect(requests[0]?.headers.get('x-a')).toBe('1')
})

describe('a number that is none', () => {
  const wrong = [Number.NaN, '5', null, -1]

  it.each(wrong)('maxItems: %j is refused before anything is sent, by every way through a list', async (maxItems) => {
    const { svc, requests } = scripted([])
    const all = svc.projects.all({ maxItems: maxItems as number })
    const message = /^maxItems: expected a number from 0/
    expect(await failureOf(all.toArray({ limit: 5 }))).toHaveProperty('message', expect.stringMatching(message))
    const first = async (items: AsyncIterable<unknown>) => {
      for await (const item of items) return item
      return undefined
    }
    expect(await failureOf(first(all))).toHaveProperty('message', expect.stringMatching(message))
    const every = everyItem(async () => ({ data: [] }), { maxItems: maxItems as number })
    expect(await failureOf(first(every))).toHaveProperty('message', expect.stringMatching(message))
    expect(requests).toEqual([])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'page: %d and limit: %d are refused before anything is sent',
    async (n) => {
      const { svc, requests } = scripted([])
      for (const query of [{ page: n }, { limit: n }]) {
        const name = Object.keys(query)[0]
        const message = `projects.list: /${name}: expected a text, number, boolean or valid Date, got ${n}.`
        expect(await failureOf(svc.projects.list(query))).toMatchObject({ name: 'InputError', message })
      }
      expect(requests).toEqual([])
    },
  )

  it.each(wrong)('connections and connectTimeoutMs: %j are refused when the transport is created', (given) => {
    for (const name of ['connections', 'connectTimeoutMs']) {
      expect(() => nodeTransport({ [name]: given })).toThrow(
        new RegExp(`^nodeTransport: ${name}: expected .*above|from`),
      )
    }
  })
})
