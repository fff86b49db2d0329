import type { Fetch, TranscriptUpload } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { createWorld, upload } from '../../test/fixtures/world.js'
import type { UploadResult } from '../index.js'

/** What happens to a request that uploads: an answer in place of that of the service, or a loss before or after it acted. */
const answers = ['stored', '400', '401', '409', '429', '503', 'stored, then 504', 'stored, then lost', 'lost'] as const
type Answer = (typeof answers)[number]

/** Where the run is ended from outside, if at all, by the number of uploads before it. */
const ending = fc.record({
  how: fc.constantFrom('none', 'abort', 'deadline', 'input', 'list'),
  after: fc.nat({ max: 12 }),
})
const drawn = fc.record({
  /** Contents: equal ones are duplicates. The turns of `x` violate a bound. */
  inputs: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'x'), { minLength: 1, maxLength: 30 }),
  first: fc.array(fc.constantFrom(...answers), { maxLength: 6 }),
  second: fc.array(fc.constantFrom(...answers), { maxLength: 6 }),
  end: ending,
  concurrency: fc.integer({ min: 1, max: 4 }),
  dedupe: fc.boolean(),
})

const lost = () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
}

function faulty(fetch: Fetch, queue: readonly Answer[], onUpload: (nth: number) => void, list: () => boolean): Fetch {
  let posts = 0
  return async (...request) => {
    const [, { method } = {}] = request
    if (method !== 'POST') return list() ? fetch(...request) : new Response('{}', { status: 503 })
    const answer = queue[posts++] ?? 'stored'
    onUpload(posts)
    if (answer === 'lost') return lost()
    if (/^\d/.test(answer)) return new Response('{}', { status: Number(answer), headers: { 'retry-after': '3600' } })
    const response = await fetch(...request)
    if (answer === 'stored, then lost') return lost()
    return answer === 'stored' ? response : new Response(null, { status: 504 })
  }
}

describe('the results of a bulk upload', () => {
  it('give each upload that was read exactly one result, and the summary counts the same, whatever fails when', async () => {
    const ends = { whole: 0, thrown: 0 }
    await fc.assert(
      fc.asyncProperty(drawn, async ({ inputs, first, second, end, concurrency, dedupe }) => {
        const world = createWorld()
        for (const [attempt, queue] of [first, second].entries()) {
          const isEnded = (nth: number) => attempt === 0 && nth > end.after
          const stop = new AbortController()
          const onUpload = (nth: number) => {
            if (end.how === 'abort' && isEnded(nth)) stop.abort('SIGTERM')
          }
          const mayList = () => !(end.how === 'list' && attempt === 0)
          const { run, kill } = world.process(faulty(world.server.fetch, queue, onUpload, mayList))
          let read = 0
          async function* transcripts(): AsyncGenerator<TranscriptUpload> {
            for (const content of inputs) {
              if (end.how === 'input' && isEnded(read)) throw new Error('the input is broken')
              read++
              yield upload(content, content === 'x' ? { language: 'x'.repeat(11) } : {})
            }
          }
          const bulk = run(transcripts(), {
            concurrency,
            dedupe,
            signal: stop.signal,
            ...(end.how === 'deadline' && attempt === 0 && { deadlineMs: 20_000 }),
          })
          const results: UploadResult[] = []
          const error = await world.clock
            .until(
              (async () => {
                for await (const result of bulk) results.push(result)
              })(),
            )
            .then(
              () => undefined,
              (thrown: unknown) => thrown,
            )
          const summary = bulk.summary()
          expect(results.map(({ item }) => item.index).sort((a, b) => a - b)).toEqual([...Array(read).keys()])
          const of = (kind: UploadResult['result']) => results.filter(({ result }) => result === kind).length
          for (const kind of ['uploaded', 'already_uploaded', 'skipped_duplicate', 'failed', 'unknown'] as const)
            expect([kind, summary[kind]]).toEqual([kind, of(kind)])
          if (summary.not_sent !== null) expect([summary.not_sent, read]).toEqual([of('not_sent'), inputs.length])
          const isDone = results.every(({ result }) => /^(uploaded|already_uploaded|skipped_duplicate)$/.test(result))
          if (error === undefined && isDone) expect([summary.not_sent, read]).toEqual([0, inputs.length])
          // What is stored is not called absent.
          const names = world.stored()
          for (const { result, item } of results)
            if (result === 'uploaded' || result === 'already_uploaded') expect(names).toContain(item.name)
          for (const name of names)
            expect(
              results.some(({ item, result }) => item.name === name && !['failed', 'not_sent'].includes(result)) ||
                read < inputs.length,
            ).toBe(true)
          ends[error === undefined ? 'whole' : 'thrown']++
          kill()
        }
      }),
      { numRuns: runs(40) },
    )
    expect(Math.min(ends.whole, ends.thrown)).toBeGreaterThan(runs(40) / 20)
  })
})
