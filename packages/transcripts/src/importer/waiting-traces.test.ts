import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { parse } from '../index.js'
import { Importer } from './importer.js'

interface Call {
  trace: number
  /** The conversation that the span names, if any. */
  conversation: number | undefined
}

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })
const messages = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])

/** A line of OTLP with a span of a model call. */
const lineOf = ({ trace, conversation }: Call, at: number): string => {
  const attributes = [
    attribute('gen_ai.operation.name', 'chat'),
    attribute('gen_ai.input.messages', messages('user', `question ${at}`)),
    attribute('gen_ai.output.messages', messages('assistant', `answer ${at}`)),
    attribute('app.remark', `No reader knows the remark ${at}.`),
    ...(conversation === undefined ? [] : [attribute('gen_ai.conversation.id', `conversation-${conversation}`)]),
  ]
  const startTimeUnixNano = String(1_767_225_600_000_000_000n + BigInt(at) * 1_000_000_000n)
  const span = { traceId: `trace-${trace}`, spanId: `span-${at}`, name: 'chat', startTimeUnixNano, attributes }
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
}

const textsOf = (transcripts: readonly { externalId?: string | undefined; turns: readonly { content: string }[] }[]) =>
  transcripts.map(({ externalId, turns }) => [externalId, ...turns.map(({ content }) => content)].join('\n')).sort()

/** The number of texts that are named as lost. */
const lostIn = (transcripts: readonly { losses: readonly { count: number }[] }[]) =>
  transcripts.flatMap(({ losses }) => losses).reduce((sum, { count }) => sum + count, 0)

/** The number of traces of other programs that are named as lost. */
const foreignIn = (transcripts: readonly { losses: readonly { what: string; count: number }[] }[]) =>
  lostIn(transcripts.map(({ losses }) => ({ losses: losses.filter(({ what }) => /another program/.test(what)) })))

/** The content and losses of the transcripts if no more than `maxWaiting` bytes of spans wait, and how many came before the end. */
function readInPieces(lines: readonly string[], maxWaiting: number) {
  const importer = new Importer({ format: 'otel-genai' }, maxWaiting)
  const early = lines.flatMap((line) => [...importer.push(`${line}\n`)].flat())
  const all = [...early, ...[...importer.end()].flat()]
  return { early: early.length, transcripts: all, texts: textsOf(all), lost: lostIn(all), problems: importer.problems }
}

const calls = fc.array(
  fc.record({ trace: fc.nat({ max: 9 }), conversation: fc.option(fc.nat({ max: 4 }), { nil: undefined }) }),
  { minLength: 1, maxLength: 40 },
)

it('traces whose spans are near each other are read as in one piece, and most of them before the end', () => {
  const lines = Array.from({ length: 200 }, (_, at) =>
    lineOf({ trace: Math.floor(at / 2), conversation: Math.floor(at / 8) }, at),
  )
  const { early, texts, lost, problems } = readInPieces(lines, 10_000)
  const { transcripts } = parse(lines.join('\n'))
  expect([problems, texts, lost]).toEqual([[], textsOf(transcripts), lostIn(transcripts)])
  expect(lost).toBeGreaterThanOrEqual(200)
  expect(early).toBeGreaterThan(15)
})

it('spans in any order are read as in one piece, or one that comes after its conversation is a problem', () => {
  fc.assert(
    fc.property(calls, fc.integer({ min: 200, max: 5_000 }), (given, maxWaiting) => {
      const lines = given.map(lineOf)
      const { texts, lost, problems } = readInPieces(lines, maxWaiting)
      const { transcripts } = parse(lines.join('\n'))
      if (problems.length === 0) expect([texts, lost]).toEqual([textsOf(transcripts), lostIn(transcripts)])
      else for (const { message } of problems) expect(message).toMatch(/closer to each other; sort the file by trace/)
    }),
    { numRuns: runs(40) },
  )
})

it('a conversation of many traces is never cut, however much of it waits', () => {
  const lines = Array.from({ length: 60 }, (_, at) => lineOf({ trace: at, conversation: 1 }, at))
  const { early, texts, problems } = readInPieces(lines, 1_000)
  expect([early, problems, texts]).toEqual([0, [], textsOf(parse(lines.join('\n')).transcripts)])
})

/** A line of OTLP with a span of another program. */
const foreignLineOf = (trace: string, at: number): string => {
  const span = {
    traceId: trace,
    spanId: `span-${at}`,
    name: 'GET /orders',
    attributes: [attribute('http.method', 'GET')],
  }
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
}

it('what other programs did after the last conversation is a loss, and no span of theirs comes too late', () => {
  const lines = [
    ...Array.from({ length: 60 }, (_, at) => lineOf({ trace: at, conversation: undefined }, at)),
    ...Array.from({ length: 60 }, (_, at) => foreignLineOf(`other-${at % 20}`, 60 + at)),
    foreignLineOf('trace-0', 120),
  ]
  const { early, lost, problems, transcripts } = readInPieces(lines, 5_000)
  expect([early > 10, problems, transcripts.length]).toEqual([true, [], 60])
  const whole = parse(lines.join('\n')).transcripts
  // The span of a trace that is complete is one more.
  expect(foreignIn(transcripts)).toBe(foreignIn(whole))
  expect(lost).toBeGreaterThanOrEqual(lostIn(whole))
})

it('a trace that names its conversation after that is complete is a problem', () => {
  const lines = Array.from({ length: 60 }, (_, at) =>
    JSON.stringify({
      id: `trace-${at}`,
      sessionId: at % 59 === 0 ? 'long' : `session-${at}`,
      timestamp: new Date(1_767_225_600_000 + at * 1_000).toISOString(),
      input: [{ role: 'user', content: `question ${at}` }],
      output: { role: 'assistant', content: `answer ${at}` },
      observations: [],
    }),
  )
  const importer = new Importer({ format: 'langfuse' }, 1_000)
  const all = [...importer.push(`${lines.join('\n')}\n`), ...importer.end()].flat()
  expect(all.map(({ externalId }) => externalId)).toContain('long')
  expect(importer.problems.map(({ message }) => message)).toEqual([
    'expected the spans of "long" closer to each other; sort the file by trace, or split it',
  ])
})
