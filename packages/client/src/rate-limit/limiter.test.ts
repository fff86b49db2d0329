import { describe, expect, it } from 'vitest'
import { failureOf, json, project, scripted } from '../../test/fixtures/scripted.js'

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

  it('beyond the range of a Date refuses this call and the next with the last possible instant', async () => {
    const { svc } = scripted([tooMany(99_999_999_999_999)])
    for (const attempts of [1, 0]) {
      const error = await failureOf(svc.projects.get('hp-1'))
      expect([error.kind, error.attempts.length, error.retryAt.getTime()]).toEqual(['rate_limited', attempts, 8.64e15])
    }
    expect(svc.rateLimits().workspace.closedUntil?.getTime()).toBe(8.64e15)
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
