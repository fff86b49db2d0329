import { describe, expect, it } from 'vitest'
import { failureOf, json, project, scripted, upload } from '../test/fixtures/scripted.js'
import { createShutdown } from './shutdown.js'

/** An upload under watch, to a service that answers when the test says so. */
function watched(concurrent = 1) {
  const answers: (() => void)[] = []
  const answer = () =>
    new Promise<Response>((resolve) =>
      answers.push(() => resolve(json({ data: { ...project.data, id: 'tr_1' } }, 201))),
    )
  const { svc, clock, requests } = scripted(Array.from({ length: 5 }, () => answer))
  const stop = new AbortController()
  const stops: number[] = []
  const shutdown = createShutdown({ signal: stop.signal, clock, onStop: (underWay) => stops.push(underWay) })
  const sent: boolean[] = []
  const uploads = Array.from({ length: concurrent }, (_, i) =>
    shutdown.watch(
      async ({ options, wasSent }) => {
        try {
          return await svc.transcripts.upload('hp-1', upload, options)
        } finally {
          sent[i] = wasSent()
        }
      },
      { sending: () => {} },
    ),
  )
  return { svc, clock, requests, stop, stops, shutdown, answers, uploads, sent }
}

describe('createShutdown', () => {
  it('lets a request under way be answered, and reports how many there are', async () => {
    const { clock, stop, stops, answers, uploads, sent } = watched(2)
    await clock.advance(0)
    stop.abort('SIGTERM')
    for (const answer of answers) answer()
    expect((await Promise.all(uploads)).map(({ id }) => id)).toEqual(['tr_1', 'tr_1'])
    expect([stops, sent]).toEqual([[2], [true, true]])
  })

  it('ends a request that is not answered in 5 seconds, with the reason of the signal', async () => {
    const { clock, stop, uploads, sent } = watched()
    const failed = failureOf(uploads[0] ?? Promise.resolve())
    await clock.advance(0)
    stop.abort('SIGTERM')
    await clock.advance(4_999)
    expect(sent).toEqual([])
    await clock.advance(1)
    expect(await failed).toBe('SIGTERM')
    expect(sent).toEqual([true])
  })

  it('ends a request at once that waits to be sent', async () => {
    const { svc, clock, requests } = scripted([json({}, 429, { 'retry-after': '30' })])
    const stop = new AbortController()
    const stops: number[] = []
    const shutdown = createShutdown({ signal: stop.signal, clock, onStop: (underWay) => stops.push(underWay) })
    const failed = failureOf(shutdown.watch(({ options }) => svc.transcripts.upload('hp-1', upload, options)))
    await clock.advance(1_000)
    stop.abort('SIGINT')
    expect(await failed).toBe('SIGINT')
    expect([requests.length, stops]).toEqual([1, []])
  })

  it('sends nothing if the signal is aborted already', async () => {
    const { svc, clock, requests } = scripted([])
    const shutdown = createShutdown({ signal: AbortSignal.abort('SIGTERM'), clock })
    const failed = failureOf(shutdown.watch(({ options }) => svc.transcripts.upload('hp-1', upload, options)))
    await clock.advance(5_000)
    expect(await failed).toBe('SIGTERM')
    expect(requests).toEqual([])
  })

  it('leaves neither a listener nor a timer behind', async () => {
    const { clock, stop, stops, shutdown, answers, uploads } = watched()
    await clock.advance(0)
    answers[0]?.()
    await uploads[0]
    shutdown.end()
    stop.abort('SIGTERM')
    expect([stops, clock.pending]).toEqual([[], []])
  })
})
