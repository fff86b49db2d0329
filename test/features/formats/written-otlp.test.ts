import generated from '@opentelemetry/otlp-transformer/build/src/generated/root.js'
import { fileIn, parse, type Transcript, toFormat } from '@svc/transcripts'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { transcriptsOfCases } from './cases.js'
import { conversations, type Said, saidIn, writtenTurns } from './conversations.js'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano?: string
  endTimeUnixNano?: string
  attributes: { key: string; value: { stringValue: string } }[]
}

interface Body {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[]
}

/** The message of an export, as the protocol's own definition reads and writes it. */
interface Message {
  fromObject(object: object): object
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(message: object, options: object): Body
}

const { opentelemetry } = generated as unknown as {
  opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: Message } } } } }
}
const { ExportTraceServiceRequest: request } = opentelemetry.proto.collector.trace.v1

const spansOf = ({ resourceSpans }: Body) =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

const valuesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))

const bodyOf = (transcript: Transcript): Body => JSON.parse(JSON.stringify(toFormat(transcript, 'otlp').body))

/** A body with its ids in another encoding: in JSON OTLP has them in base 16, where other messages have base 64. */
const withIds = (body: Body, from: BufferEncoding, to: BufferEncoding): Body =>
  JSON.parse(JSON.stringify(body), (key, value) =>
    ['traceId', 'spanId', 'parentSpanId'].includes(key) ? Buffer.from(value, from).toString(to) : value,
  )

/** The body after it was a message in bytes, which have no place for a field or value that the protocol does not know. */
function throughBytes(body: Body): Body {
  const bytes = request.encode(request.fromObject(withIds(body, 'hex', 'base64'))).finish()
  return withIds(request.toObject(request.decode(bytes), { longs: String, bytes: String }), 'base64', 'hex')
}

/**
 * The rules of `gen-ai-input-messages.json` and `gen-ai-output-messages.json` (open-telemetry/semantic-conventions-genai,
 * model/gen-ai) for the roles and parts that are written. There any other part needs only a type.
 */
const id = { type: ['string', 'null'] }
const partOf = (type: string, properties: object, required: readonly string[]) => ({
  type: 'object',
  properties: { type: { const: type }, ...properties },
  required: ['type', ...required],
})
const isMessages = new Ajv({ allowUnionTypes: true }).compile({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      role: { enum: ['system', 'user', 'assistant', 'tool'] },
      parts: {
        type: 'array',
        items: {
          oneOf: [
            partOf('text', { content: { type: 'string' } }, ['content']),
            partOf('tool_call', { id, name: { type: 'string' } }, ['name']),
            partOf('tool_call_response', { id }, ['response']),
          ],
        },
      },
    },
    required: ['role', 'parts'],
  },
})

function expectValid(body: Body): void {
  expect(throughBytes(body)).toEqual(body)
  const spans = spansOf(body)
  for (const span of spans) {
    const { startTimeUnixNano: start = '0', endTimeUnixNano: end = '0' } = span
    expect(BigInt(end) >= BigInt(start)).toBe(true)
    expect([span.traceId, span.spanId]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ])
  }
  for (const key of ['gen_ai.input.messages', 'gen_ai.output.messages']) {
    for (const text of spans.flatMap((span) => valuesOf(span)[key] ?? [])) {
      expect([isMessages(JSON.parse(text)), isMessages.errors]).toEqual([true, null])
    }
  }
}

function transcriptOf(turns: object[], facts: object = {}): Transcript {
  const [transcript] = parse(JSON.stringify({ ...facts, turns }), { format: 'upload' }).transcripts
  return transcript ?? expect.fail()
}

function readAgain(body: object): Transcript {
  const { format, transcripts } = parse(JSON.stringify(body))
  expect([format, transcripts.length]).toEqual(['otel-genai', 1])
  return transcripts[0] ?? expect.fail()
}

/** The turns of the start of a conversation, some of which have a time. */
const timedTurns = fc
  .tuple(conversations(true), fc.nat(9), fc.infiniteStream(fc.boolean()))
  .map(([all, cut, draws]) => {
    const turns = saidIn(all)
    return turns.slice(0, Math.max(1, turns.length - cut)).map((turn, at): Said & { createdAt?: string } => {
      const time = new Date(Date.UTC(2026, 0, 1, 0, 0, at, (at * 37) % 1000)).toISOString()
      return draws.next().value ? { ...turn, createdAt: time } : turn
    })
  })

describe('a transcript written as OTLP', () => {
  it('is valid by the definition of the protocol and the schemas of the messages', () => {
    fc.assert(fc.property(timedTurns, (turns) => expectValid(bodyOf(transcriptOf(turns, { modelName: 'm' })))))
  })

  it('is read again with its facts and turns, and with no other times than it had', () => {
    const facts = {
      modelName: 'm-1',
      externalId: 'c-1',
      externalUserId: 'u-1',
      sourceTimestamp: '2025-12-31T23:59:59.999Z',
    }
    fc.assert(
      fc.property(timedTurns, (turns) => {
        const transcript = transcriptOf(turns, { ...facts, metadata: { agent: 'helper' } })
        const again = readAgain(bodyOf(transcript))
        expect(again).toMatchObject({ ...facts, metadata: { agent: 'helper' }, losses: [] })
        const times = turns.map(({ createdAt }) => createdAt)
        const isExchange =
          turns.length > 1 && turns.slice(-2).every(({ role }, at) => role === ['user', 'assistant'][at])
        const isTimed = isExchange && times.slice(-2).every((time) => time !== undefined)
        expect(again.turns.slice(-2).map(({ createdAt }) => createdAt)).toEqual(
          isTimed ? times.slice(-2) : expect.anything(),
        )
        for (const [at, { createdAt }] of again.turns.entries()) expect([undefined, times[at]]).toContain(createdAt)
        expect(writtenTurns(again)).toEqual(writtenTurns(transcript))
      }),
    )
  })

  it('is valid and read again for each case of a format', () => {
    const transcripts = transcriptsOfCases()
    expect(transcripts.length).toBeGreaterThan(1000)
    for (const transcript of transcripts) {
      const body = bodyOf(transcript)
      expectValid(body)
      const turns = writtenTurns(transcript)
      if (turns.length > 0) expect(writtenTurns(readAgain(body))).toEqual(turns)
    }
  })

  it('has ids that follow from its own id, else from its turns and their place', () => {
    const turns = [{ role: 'user', content: 'Hi' }]
    const idsOf = (transcript: Transcript) => spansOf(bodyOf(transcript)).flatMap((span) => [span.traceId, span.spanId])
    const named = (externalId: string) => idsOf(transcriptOf(turns, { externalId }))
    expect(named('a')).toEqual(named('a'))
    expect(new Set([...named('a'), ...named('b')]).size).toBe(6)
    const line = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
    const { transcripts } = parse(`${line}\n${line}`)
    expect(new Set(transcripts.flatMap(idsOf)).size).toBe(6)
    expect(transcripts.flatMap(idsOf)).toEqual(parse(`${line}\n${line}`).transcripts.flatMap(idsOf))
  })

  it('is one line of a file that is read again as the same conversations', () => {
    const ids = ['c-1', undefined, 'c-2', undefined]
    const all = ids.map((externalId, at) => transcriptOf([{ role: 'user', content: `Hi ${at}` }], { externalId }))
    const file = fileIn('otlp')
    const text = [...all.map((each) => file.add(bodyOf(each))), file.end()].join('')
    const { transcripts } = parse(text)
    expect(text.trimEnd().split('\n')).toHaveLength(4)
    expect(transcripts.map(writtenTurns)).toEqual(all.map(writtenTurns))
    expect(transcripts.map(({ externalId }) => externalId)).toEqual(ids.map((each) => each ?? expect.any(String)))
  })

  it('keeps the id of the trace that it was, so that it is written again as the same trace', () => {
    const body = bodyOf(transcriptOf([{ role: 'user', content: 'Hi' }]))
    expect(toFormat(readAgain(body), 'otlp')).toEqual({ body, losses: [] })
    const named = bodyOf(transcriptOf([{ role: 'user', content: 'Hi' }], { externalId: 'c-1' }))
    expect(toFormat(readAgain(named), 'otlp')).toEqual({ body: named, losses: [] })
  })

  it('has the last model call below the run of its agent, with both times of a span or none', () => {
    const turns = [
      { role: 'user', content: 'Hi', createdAt: '2026-01-01T00:00:01.000Z' },
      { role: 'assistant', content: 'Hello', createdAt: '2026-01-01T00:00:02.500Z' },
    ]
    const facts = { modelName: 'm-1', sourceTimestamp: '2026-01-01T00:00:00.000Z', metadata: { agent: 'helper' } }
    const [run, call] = spansOf(bodyOf(transcriptOf(turns, facts)))
    expect(run).toMatchObject({
      name: 'invoke_agent helper',
      startTimeUnixNano: '1767225600000000000',
      endTimeUnixNano: '1767225602500000000',
    })
    expect(call).toMatchObject({
      name: 'chat m-1',
      parentSpanId: run?.spanId,
      startTimeUnixNano: '1767225601000000000',
      endTimeUnixNano: '1767225602500000000',
    })
    const [, untimed] = spansOf(bodyOf(transcriptOf([turns[1] ?? {}, { role: 'user', content: 'Bye' }], facts)))
    expect(untimed).not.toHaveProperty('startTimeUnixNano')
    expect(untimed).not.toHaveProperty('endTimeUnixNano')
  })
})

it('the protocol and the schemas of the messages refuse a field and a part that they do not know', () => {
  const body = bodyOf(transcriptOf([{ role: 'user', content: 'Hi' }]))
  expect(() => expectValid({ ...body, spans: [] } as Body)).toThrow()
  const text = JSON.stringify(body)
  expect(() => expectValid(JSON.parse(text.replace('"kind":1', '"kind":"1"')))).toThrow()
  expect(() => expectValid(JSON.parse(text.replace('"stringValue"', '"textValue"')))).toThrow()
  expect(() => expectValid(JSON.parse(text.replace('\\"content\\"', '\\"text\\"')))).toThrow()
})
