import { describe, expect, it } from 'vitest'
import {
  failureOf,
  json,
  networkError,
  project,
  type Scripted,
  scripted,
  upload,
} from '../../../packages/client/test/fixtures/scripted.js'

describe('an abort', () => {
  const reason = new Error('the user pressed stop')

  it.each<[string, Scripted[], 'no' | 'maybe']>([
    ['a request is in flight', ['never'], 'maybe'],
    ['waiting after a server that was not reached', [networkError('ECONNREFUSED')], 'no'],
    ['waiting after an answer', [json({}, 503)], 'maybe'],
  ])('says whether anything was sent when %s', async (_, script, sent) => {
    const { svc, clock, events } = scripted(script)
    clock.chance = 0.9
    const stop = new AbortController()
    const failed = failureOf(svc.projects.list({}, { signal: stop.signal }))
    await clock.advance(0)
    stop.abort(reason)
    expect(await failed).toBe(reason)
    expect(events.at(-1)).toMatchObject({ type: 'aborted', sent })
  })

  it('ends a call whose key is still being fetched, or fetches none at all', async () => {
    let asked = 0
    const { svc, clock, requests } = scripted([], {
      apiKey: () => {
        asked++
        return new Promise<string>(() => {})
      },
    })
    const stop = new AbortController()
    const failed = failureOf(svc.projects.list({}, { signal: stop.signal }))
    await clock.advance(0)
    stop.abort(reason)
    expect(await failed).toBe(reason)
    expect(await failureOf(svc.projects.list({}, { signal: stop.signal }))).toBe(reason)
    expect([asked, requests.length, clock.pending.length]).toEqual([1, 0, 0])
  })

  it('frees the connection of a fetch that ignores its signal', async () => {
    let cancelled = 0
    const body = () =>
      new ReadableStream({
        cancel: () => {
          cancelled++
        },
      })
    const { svc, clock } = scripted([new Response(body()), async () => new Response(body())])
    const reading = failureOf(svc.projects.list({}, { timeoutMs: 100, retry: false }))
    await clock.advance(100)
    expect(await reading).toMatchObject({ phase: 'reading' })
    expect(cancelled).toBe(1)
  })
  const never = () => new Promise<Response>(() => {})

  it.each([
    ['before sending', [], 0],
    ['while waiting', [never], 1],
    ['while reading', [async () => new Response(new ReadableStream())], 1],
    ['while backing off', [json({}, 503)], 1],
  ] as [string, Scripted[], number][])('%s ends the call at once with its own reason', async (phase, script, sent) => {
    const { svc, clock, requests, events } = scripted(script)
    clock.chance = 0.9
    const stop = new AbortController()
    if (phase === 'before sending') stop.abort(reason)
    const failed = failureOf(svc.projects.list({}, { signal: stop.signal }))
    await clock.advance(0)
    stop.abort(reason)
    expect(await failed).toBe(reason)
    expect(requests).toHaveLength(sent)
    expect(clock.pending).toEqual([])
    expect(events.at(-1)?.type).toBe('aborted')
  })

  it('an abort is not handled as a time-out by any retry class', async () => {
    const { svc, clock } = scripted(['never', 'never', 'never'])
    for (const call of [
      (signal: AbortSignal) => svc.annotations.create({ annotator: 'a', transcript: [] }, { signal }),
      (signal: AbortSignal) => svc.transcripts.upload('hp-1', upload, { signal }),
      (signal: AbortSignal) => svc.projects.list({}, { signal, retry: false }),
    ]) {
      const stop = new AbortController()
      const failed = failureOf(call(stop.signal))
      await clock.advance(0)
      stop.abort(reason)
      expect(await failed).toBe(reason)
    }
  })

  it('leaves no listener on a long-lived signal', async () => {
    const stop = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++
      addEventListener.apply(stop.signal, args)
    }
    stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--
      removeEventListener.apply(stop.signal, args)
    }
    const { svc } = scripted(Array.from({ length: 40 }, () => json(project)))
    for (let i = 0; i < 40; i++) await svc.projects.get('hp-1', { signal: stop.signal })
    expect(listeners).toBe(0)
  })
})

it('is accepted from a listener of the call’s events', async () => {
  const stop = new AbortController()
  const onEvent = () => stop.abort(new Error('enough'))
  const { svc, requests } = scripted([json(project)], { onEvent })
  expect(await failureOf(svc.projects.get('hp-1', { signal: stop.signal }))).toEqual(new Error('enough'))
  expect(requests).toEqual([])
})

it('accepts a signal that Node did not create', async () => {
  const listeners = new Set<() => void>()
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    throwIfAborted() {},
    addEventListener: (_: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
  }
  const { svc, clock } = scripted(['never'])
  const call = failureOf(svc.projects.get('hp-1', { signal: signal as unknown as AbortSignal }))
  await clock.advance(1)
  Object.assign(signal, { aborted: true, reason: new Error('enough') })
  for (const listener of listeners) listener()
  expect(await call).toEqual(new Error('enough'))
  expect(listeners.size).toBe(0)
})
