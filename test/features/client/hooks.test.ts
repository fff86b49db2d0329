import { describe, expect, it } from 'vitest'
import { createClient, InputError } from '../../../packages/client/src/index.js'
import { failureOf, json, networkError, project, scripted } from '../../../packages/client/test/fixtures/scripted.js'

describe('onRequest', () => {
  it('adds, changes and removes headers of each attempt, and never sees the key', async () => {
    const seen: unknown[] = []
    const onRequest = ({ attempt, headers }: { attempt: number; headers: object }) => {
      seen.push([attempt, 'authorization' in headers])
      return { 'X-Trace': `t-${attempt}`, 'user-agent': null }
    }
    const { svc, clock, requests } = scripted([json({}, 503), json(project)], { hooks: { onRequest } })
    await clock.until(svc.projects.get('hp-1'))
    expect(seen).toEqual([
      [1, false],
      [2, false],
    ])
    expect(requests.map(({ headers }) => [headers.get('x-trace'), headers.get('user-agent')])).toEqual([
      ['t-1', null],
      ['t-2', null],
    ])
    expect(requests[1]?.headers.get('authorization')).toBe('Bearer sk-service-api03-secret')
  })

  it('onRequest is awaited, and may change nothing', async () => {
    let isReady = false
    const onRequest = async () => {
      await Promise.resolve()
      isReady = true
      return undefined
    }
    const answer = async () => {
      expect(isReady).toBe(true)
      return json(project)
    }
    const { svc } = scripted([answer], { hooks: { onRequest } })
    expect((await svc.projects.get('hp-1')).name).toBe('P')
  })

  it.each([
    ['throws', () => Promise.reject(new Error('no token'))],
    ['sets authorization', async () => ({ Authorization: 'Bearer x' })],
    ['gives a header that cannot be sent', async () => ({ 'x-a': 'a\nb' })],
  ])('ends the call before anything is sent if it %s', async (_, onRequest) => {
    const { svc, requests } = scripted([], { hooks: { onRequest } })
    const error = await failureOf(svc.projects.get('hp-1'))
    expect(error).toBeInstanceOf(InputError)
    expect(error.message).toMatch(/^projects.get: the hook onRequest failed: /)
    expect(requests).toEqual([])
  })

  it('onRequest that never answers ends the call at its deadline, and at once on abort', async () => {
    const hooks = { onRequest: () => new Promise<undefined>(() => {}) }
    const late = scripted([], { hooks, deadlineMs: 5_000 })
    expect(await late.clock.until(failureOf(late.svc.projects.get('hp-1')))).toBeInstanceOf(InputError)
    const { svc, clock } = scripted([], { hooks })
    const stop = new AbortController()
    const call = failureOf(svc.projects.get('hp-1', { signal: stop.signal }))
    await clock.advance(1)
    stop.abort('enough')
    expect(await call).toBe('enough')
    expect(clock.pending).toEqual([])
  })
})

describe('onResponse and onRetry', () => {
  it('see each answer with its headers, and each wait before another attempt', async () => {
    const seen: unknown[] = []
    const hooks = {
      onResponse: ({ attempt, status, headers }: { attempt: number; status: number; headers: Headers }) =>
        seen.push(['response', attempt, status, headers.get('x-region')]),
      onRetry: ({ attempt, status, cause }: { attempt: number; status?: number; cause?: string }) =>
        seen.push(['retry', attempt, status, cause]),
    }
    const script = [json({}, 503, { 'x-region': 'eu' }), networkError('ECONNRESET'), json(project)]
    const { svc, clock } = scripted(script, { hooks: hooks as never })
    await clock.until(svc.projects.get('hp-1'))
    await clock.advance(0)
    expect(seen).toEqual([
      ['response', 1, 503, 'eu'],
      ['retry', 1, 503, undefined],
      ['retry', 2, undefined, 'ECONNRESET'],
      ['response', 3, 200, null],
    ])
  })

  it('onResponse and onRetry that fail do not affect the call', async () => {
    const bad = () => {
      throw new Error('metrics')
    }
    const { svc, clock } = scripted([json({}, 503), json(project)], { hooks: { onResponse: bad, onRetry: bad } })
    expect((await clock.until(svc.projects.get('hp-1'))).name).toBe('P')
  })

  it('onResponse and onRetry with an unknown name are refused with the nearest', () => {
    expect(() => createClient({ environment: {}, hooks: { onrequest: () => undefined } as never })).toThrow(
      'hooks: unknown option "onrequest". Did you mean "onRequest"?',
    )
  })
})
