import { describe, expect, it } from 'vitest'
import { failureOf, json, project, scripted } from '../../test/fixtures/scripted.js'
import { systemClock } from '../clock.js'
import { rateLimiting } from './limiter.js'

const tooMany = (seconds: number) => json({}, 429, { 'retry-after': String(seconds) })
const ok = () => json(project)

describe('after one 429', () => {
  it('all calls of the key wait, one goes first, and the rest follow its answer', async () => {
    let answerProbe = (_: Response) => {}
    const probe = () =>
      new Promise<Response>((resolve) => {
        answerProbe = resolve
      })
    const { svc, clock, requests } = scripted([tooMany(3), probe, ok(), ok(), ok(), ok()])
    const first = svc.projects.get('hp-1')
    await clock.advance(10)
    const others = [1, 2, 3, 4].map(() => svc.with({ timeoutMs: 9_000 }).projects.get('hp-1'))
    await clock.advance(3_100)
    expect(requests.map(({ at }) => at)).toEqual([0, 3_000])
    answerProbe(ok())
    await clock.advance(60)
    await Promise.all([first, ...others])
    expect(requests).toHaveLength(6)
    expect(clock.pending).toEqual([])
  })

  it('a timer that fires early is waited out and reported once', async () => {
    const { svc, clock, requests, events } = scripted([tooMany(3), ok()])
    const exact = clock.now
    clock.now = () => Math.floor(exact())
    clock.chance = 0.1234
    const first = svc.projects.get('hp-1')
    await clock.advance(3_073.9)
    expect(requests).toHaveLength(1)
    await clock.advance(1.2)
    await first
    expect(events.filter(({ type }) => type === 'wait')).toMatchObject([{ ms: expect.closeTo(3_074.04) }])
    expect(clock.pending).toEqual([])
  })

  it('the other surface and /health go on', async () => {
    const annotators = json({ annotators: [] })
    const { svc, requests } = scripted([tooMany(30), annotators, json({ status: 'ok', substrate: 'lambda' })])
    const waiting = svc.projects.get('hp-1').catch(() => {})
    await Promise.resolve()
    expect(await svc.annotators.list()).toEqual([])
    expect((await svc.health()).status).toBe('ok')
    expect(requests).toHaveLength(3)
    void waiting
  })

  it('a call that would wait too long is refused at once, with no attempt and with retryAt', async () => {
    const { svc, clock, requests } = scripted([tooMany(50)])
    const first = svc.projects.get('hp-1').catch(() => {})
    await clock.advance(0)
    for (const options of [{ deadlineMs: 10_000 }, { retry: { maxRetryAfterMs: 10_000 } }, { retry: false as const }]) {
      const error = await failureOf(svc.projects.list({}, options))
      expect(error).toMatchObject({
        name: 'ServiceError',
        kind: 'rate_limited',
        status: 429,
        attempts: [],
        retryAfterMs: 50_000,
      })
    }
    expect(requests).toHaveLength(1)
    expect(svc.rateLimits().workspace.closedUntil?.getTime()).toBe(clock.now() + 50_000)
    expect(svc.rateLimits().annotation.closedUntil).toBeUndefined()
    void first
  })

  it('an abort in the queue ends that call at once, and no other', async () => {
    const { svc, clock, requests } = scripted([tooMany(5), ok(), ok()])
    const first = svc.projects.get('hp-1')
    await clock.advance(0)
    const stop = new AbortController()
    const aborted = failureOf(svc.projects.get('hp-1', { signal: stop.signal }))
    await clock.advance(100)
    stop.abort('enough')
    expect(await aborted).toBe('enough')
    await clock.advance(5_000)
    expect((await first).name).toBe('P')
    expect(requests).toHaveLength(2)
  })

  it('a probe that is aborted does not keep the others waiting', async () => {
    const { svc, clock } = scripted([tooMany(2), 'never', ok()])
    const stop = new AbortController()
    const first = failureOf(svc.projects.get('hp-1', { signal: stop.signal }))
    await clock.advance(2_010)
    const next = svc.projects.get('hp-1')
    stop.abort('enough')
    await clock.advance(60)
    expect(await first).toBe('enough')
    expect((await next).name).toBe('P')
  })
})

describe('a long Retry-After', () => {
  it.each([59, 60])('a long Retry-After of %i s is waited for, plus the random spread', async (seconds) => {
    const { svc, clock, requests } = scripted([tooMany(seconds), ok()])
    clock.chance = 0.9
    await clock.until(svc.projects.get('hp-1'))
    expect(requests.map(({ at }) => at)).toEqual([0, seconds * 1_000 + 1_800])
  })

  it.each([
    ['seconds', '1767225600'],
    ['the least number', '1000000000'],
    ['milliseconds', '1767225600000'],
    ['400 digits', '9'.repeat(400)],
  ])(
    'a Retry-After that is an instant since 1970 is warned about, and the client waits for its back-off: %s',
    async (_, value) => {
      const { svc, clock, requests, events } = scripted([json({}, 429, { 'retry-after': value }), ok()])
      clock.chance = 0.5
      await clock.until(svc.projects.get('hp-1'))
      expect(requests.map(({ at }) => at)).toEqual([0, 250])
      expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ message: /^Retry-After is an instant/ }])
    },
  )

  it('a Retry-After over a day refuses calls with its instant, and one call a minute asks again', async () => {
    const day = 86_400
    const { svc, clock, requests } = scripted([tooMany(2 * day), tooMany(2 * day), tooMany(3), ok()])
    const patient = { retry: { maxRetryAfterMs: Infinity }, deadlineMs: Infinity }
    const retryAt = new Date(clock.now() + 2 * day * 1_000)
    const refused = async () => {
      const error = await failureOf(svc.projects.get('hp-1', patient))
      return [error.kind, error.attempts.length, error.retryAt]
    }
    expect(await refused()).toEqual(['rate_limited', 1, retryAt])
    expect(await refused()).toEqual(['rate_limited', 0, retryAt])
    await clock.advance(59_999)
    expect(await refused()).toEqual(['rate_limited', 0, retryAt])
    await clock.advance(1)
    const together = Promise.all([refused(), refused(), refused()])
    await clock.advance(100)
    const later = new Date(retryAt.getTime() + 60_000)
    expect(await together).toEqual([1, 0, 0].map((attempts) => ['rate_limited', attempts, later]))
    expect(requests).toHaveLength(2)
    await clock.advance(60_000)
    await clock.until(svc.projects.get('hp-1', patient))
    expect(requests).toHaveLength(4)
  })

  it('a Retry-After over a day lets no second call ask while the first is unanswered', async () => {
    const unanswered = () => new Promise<Response>(() => {})
    const { svc, clock, requests } = scripted([tooMany(2 * 86_400), unanswered, ok()], { timeoutMs: 90_000 })
    const call = () => svc.projects.get('hp-1', { retry: false }).catch(() => {})
    await clock.until(call())
    await clock.advance(60_000)
    void call()
    for (let second = 0; second < 59; second++) {
      void call()
      await clock.advance(1_000)
    }
    expect(requests.map(({ at }) => at)).toEqual([0, 60_000])
    await clock.advance(1_000)
    await clock.until(call())
    expect(requests.map(({ at }) => at)).toEqual([0, 60_000, 120_000])
  })

  it('a long Retry-After that is missing is replaced by a back-off of at least 100 ms', async () => {
    const { svc, clock, requests } = scripted([json({}, 429), json({}, 429), ok()], { retry: { baseMs: 0 } })
    await clock.until(svc.projects.get('hp-1'))
    expect(requests.map(({ at }) => at)).toEqual([0, 100, 200])
  })

  it('a long Retry-After that was sent twice uses the longer one', async () => {
    const { svc, clock, requests } = scripted([json({}, 429, { 'retry-after': '2, 3' }), ok()])
    await clock.until(svc.projects.get('hp-1'))
    expect(requests.map(({ at }) => at)).toEqual([0, 3_000])
  })
})

it('a call without retry still waits for the answer of a probe', async () => {
  let answer = (_: Response) => {}
  const slow = () =>
    new Promise<Response>((resolve) => {
      answer = resolve
    })
  const { svc, clock } = scripted([tooMany(1), slow, ok()])
  const first = svc.projects.get('hp-1')
  await clock.advance(1_010)
  const second = svc.projects.get('hp-1', { retry: false })
  await clock.advance(10)
  answer(ok())
  await clock.advance(60)
  await Promise.all([first, second])
})

describe('the rate limiter of a key', () => {
  const byKey = (answers: Record<string, Response[]>, keyOf: () => string) => {
    const sent: string[] = []
    const { svc, clock } = scripted([], {
      apiKey: keyOf,
      fetch: async (_, { headers }) => {
        const key = headers.authorization?.slice('Bearer '.length) ?? ''
        sent.push(key)
        return answers[key]?.shift() ?? ok()
      },
    })
    return { svc, clock, sent }
  }

  it('the 429 of one key never holds back a call with another key of the same function', async () => {
    let tenant = 'a'
    const { svc, clock, sent } = byKey({ a: [tooMany(30)] }, () => tenant)
    const first = svc.projects.get('hp-1')
    await clock.advance(0)
    tenant = 'b'
    expect((await svc.projects.get('hp-1')).name).toBe('P')
    tenant = 'a'
    const third = svc.projects.get('hp-1')
    await clock.advance(1_000)
    expect(sent).toEqual(['a', 'b'])
    await clock.advance(40_000)
    await Promise.all([first, third])
    expect(sent).toEqual(['a', 'b', 'a', 'a'])
  })

  it('a key that changes while a call waits is read again, and has its own limit', async () => {
    let tenant = 'a'
    const { svc, clock, sent } = byKey({ a: [tooMany(5)], b: [tooMany(20)] }, () => tenant)
    const waiting = svc.projects.get('hp-1')
    await clock.advance(1_000)
    tenant = 'b'
    const limited = svc.projects.get('hp-1')
    await clock.advance(5_000)
    expect(sent).toEqual(['a', 'b'])
    await clock.advance(60_000)
    await Promise.all([waiting, limited])
    expect(sent).toEqual(['a', 'b', 'b', 'b'])
  })

  it('a key function is called once for a call that need not wait', async () => {
    let calls = 0
    const { svc } = byKey({}, () => `k${calls++}`)
    await svc.projects.get('hp-1')
    expect(calls).toBe(1)
  })

  it('of more than 1 000 keys the least recently used are forgotten', async () => {
    const limiters = rateLimiting.createRateLimiters()
    const limits = {
      clock: systemClock,
      deadlineAt: 0,
      notBefore: 0,
      longestMs: 0,
      signal: undefined,
      onWait: () => {},
    }
    const isClosed = async (key: string) => 'closedForMs' in (await limiters.acquire('workspace', key, limits))
    const refuse = async (key: string) => {
      const admitted = await limiters.acquire('workspace', key, limits)
      const at = systemClock.monotonic() + 3_600_000
      if ('release' in admitted) admitted.release({ resetAt: at, opensAt: at })
    }
    await refuse('secret-0')
    await refuse('secret-1')
    for (let i = 2; i < 1_000; i++) await limiters.acquire('workspace', `secret-${i}`, limits)
    expect(await isClosed('secret-0')).toBe(true)
    await limiters.acquire('workspace', 'secret-1000', limits)
    expect(await isClosed('secret-0')).toBe(true)
    expect(await isClosed('secret-1')).toBe(false)
    expect('closedForMs' in (await limiters.acquire('annotation', 'secret-0', limits))).toBe(false)
  })
})
