import { fileIn, parse, type Transcript, toFormat, writtenFormats } from '@svc/transcripts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { conversations, saidIn } from './conversations.js'

/** A transcript with these turns, as `parse` reads it from an upload body. */
function transcriptOf(turns: object[], facts: object = {}): Transcript {
  const [transcript] = parse(JSON.stringify({ name: 't', ...facts, turns }), { format: 'upload' }).transcripts
  return transcript ?? expect.fail()
}

/** The name under which `parse` reads a format. */
const readerOf = (format: (typeof writtenFormats)[number]) => (format === 'otlp' ? 'otel-genai' : format)

const saidBy = ({ turns }: Transcript) =>
  turns.map(({ role, content, toolCalls, toolResults }) => ({
    role,
    content,
    ...(toolCalls && { toolCalls }),
    ...(toolResults && { toolResults }),
  }))

function written(transcript: Transcript, format: (typeof writtenFormats)[number]): string {
  const { body } = toFormat(transcript, format)
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function readAgain(transcript: Transcript, format: (typeof writtenFormats)[number]): Transcript {
  const { transcripts } = parse(written(transcript, format), { format: readerOf(format) })
  expect(transcripts).toHaveLength(1)
  return transcripts[0] ?? expect.fail()
}

describe.each(writtenFormats)('a transcript written as %s', (format) => {
  it('is read again as the same conversation', () => {
    fc.assert(
      fc.property(conversations(true), fc.option(fc.constant('Be brief.'), { nil: undefined }), (all, prompt) => {
        const before = prompt === undefined ? [] : [{ role: 'system', content: prompt }]
        const transcript = transcriptOf([...before, ...saidIn(all)], { modelName: 'm' })
        const again = readAgain(transcript, format)
        expect(saidBy(again)).toEqual(saidBy(transcript))
        expect(again.modelName).toBe('m')
        expect(again.losses).toEqual([])
      }),
    )
  })

  it('is known as that format if it has calls', () => {
    const calls = [{ name: 'look', args: { at: 1 } }]
    const results = [{ name: 'look', result: 'there' }]
    const transcript = transcriptOf([
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: 'I look.', toolCalls: calls },
      { role: 'tool', content: 'there', toolResults: results },
    ])
    expect(parse(written(transcript, format)).format).toBe(readerOf(format))
  })

  it('has what the format has no place for as losses', () => {
    const facts = { language: 'en', externalUserId: 'u', sourceTimestamp: '2026-01-01T00:00:00Z', metadata: { a: 1 } }
    const transcript = transcriptOf(
      [
        { role: 'user', content: 'Hi', metadata: { mood: 'calm' }, createdAt: '2026-01-01T00:00:00Z' },
        { role: 'human_agent', content: 'Hello' },
        { role: 'assistant', content: 'x', toolCalls: [{ name: 'f', args: [1] }] },
      ],
      facts,
    )
    const names = toFormat(transcript, format).losses.map(({ code, what, count }) => `${code} ${count} ${what}`)
    const ofFormat = {
      'openai-chat': ['dropped 1 time of a message'],
      'anthropic-messages': ['dropped 1 time of a message', 'changed 1 arguments that are no object'],
      atif: ['changed 1 arguments that are no object'],
      inspect: ['dropped 1 time of a message', 'changed 1 arguments that are no object'],
      otlp: ['dropped 1 time of a message'],
      'markdown-chat': [],
    }[format]
    const hasPlace: Partial<Record<typeof format, string[]>> = {
      inspect: ['sourceTimestamp'],
      otlp: ['externalUserId', 'sourceTimestamp'],
      'markdown-chat': ['name'],
    }
    expect(names.sort()).toEqual(
      [
        'dropped 1 metadata of a message',
        'changed 1 role of a human agent',
        ...['name', 'language', 'externalUserId', 'sourceTimestamp', 'metadata']
          .filter((field) => !hasPlace[format]?.includes(field))
          .map((field) => `dropped 1 field "${field}"`),
        ...ofFormat,
      ].sort(),
    )
  })
})

describe('a file of many transcripts', () => {
  const fileOf = (transcripts: readonly Transcript[], format: (typeof writtenFormats)[number]) => {
    const file = fileIn(format)
    return [...transcripts.map((each) => file.add(toFormat(each, format).body)), file.end()].join('')
  }
  const turns = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
  ]
  const facts = [
    { modelName: 'm-1', externalId: 'a', sourceTimestamp: '2026-01-01T00:00:00.000Z' },
    { modelName: 'm-2', externalId: 'a' },
    {},
  ]
  const all = facts.map((each) => transcriptOf(turns, each))
  const factsOf = ({ modelName, externalId, sourceTimestamp }: Transcript) => ({
    modelName,
    externalId,
    sourceTimestamp,
  })

  it.each(['openai-chat', 'anthropic-messages', 'atif', 'inspect'] as const)('is read again as %s', (format) => {
    const { transcripts } = parse(fileOf(all, format), { format })
    expect(transcripts.map(saidBy)).toEqual(all.map(saidBy))
  })

  it('is one Inspect log with a sample for each, which keeps models, ids and times and invents none', () => {
    const log = fileOf(all, 'inspect')
    expect(parse(log, { format: 'inspect' }).transcripts.map(factsOf)).toEqual(all.map(factsOf))
    expect(parse(log, { format: 'inspect' }).transcripts.flatMap(({ losses }) => losses)).toEqual([])
    expect(fileOf([], 'inspect')).toBe('')
  })

  it('has the fields that the reader of Inspect requires, before the samples, and each id once', () => {
    const log = JSON.parse(fileOf(all, 'inspect')) as { eval: { created: string }; samples: { id: unknown }[] }
    expect(Object.keys(log)).toEqual(['version', 'status', 'eval', 'plan', 'stats', 'samples'])
    expect(log.eval).toMatchObject({ task: 'svc', model: 'none/none', dataset: {}, config: {} })
    expect(log.eval.created).toMatch(/^\d{4}-\d\d-\d\dT[\d:]+\+00:00$/)
    expect(log.samples.map(({ id }) => id)).toEqual([1, 2, 3])
  })
})

it('names a message as lost that has only a marker in the place of its content', () => {
  const answer = { role: 'assistant', content: '[thinking]', metadata: { synthetic_content: true } }
  const transcript = transcriptOf([{ role: 'user', content: 'Go' }, answer])
  const { body, losses } = toFormat(transcript, 'openai-chat')
  expect(body).toEqual({ messages: [{ role: 'user', content: 'Go' }] })
  expect(losses.map(({ what }) => what)).toEqual(['message without content', 'field "name"'])
})

it('gives results to their calls in order, and an id to a result without a call', () => {
  const call = { name: 'f', args: {} }
  const transcript = transcriptOf([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'x', toolCalls: [call, call] },
    { role: 'tool', content: 'one', toolResults: [{ name: 'f', result: 'one' }] },
    { role: 'tool', content: 'two', toolResults: [{ name: 'f', result: { two: 2 } }] },
    { role: 'tool', content: 'three', toolResults: [{ name: 'g', result: 'three' }] },
  ])
  const { messages } = toFormat(transcript, 'openai-chat').body as { messages: Record<string, unknown>[] }
  expect(messages.slice(2)).toEqual([
    { role: 'tool', tool_call_id: 'call_1', name: 'f', content: 'one' },
    { role: 'tool', tool_call_id: 'call_2', name: 'f', content: '{"two":2}' },
    { role: 'tool', tool_call_id: 'call_3', name: 'g', content: 'three' },
  ])
})

describe('Markdown', () => {
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '# A',
          '## User',
          '## Assistant (m)',
          '**User:** x',
          '```',
          '~~~~',
          '```ts',
          '---',
          '',
          ' ',
          '\\x',
          '> q',
        ),
        fc.constantFrom(
          '{"a":1}',
          '[1]',
          '&#x41;',
          '\u001b[31m',
          '\u202e',
          'a\rb',
          '\t- b',
          '## Result (f)',
          '<!-- -->',
          '1,2',
        ),
        fc.string({ unit: 'grapheme' }),
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((lines) => lines.join('\n').trim() || 'x')

  it('keeps a text with headings, fences, roles and controls as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostile, hostile), { minLength: 1, maxLength: 3 }), (pairs) => {
        const turns = pairs.flatMap(([question, answer]) => [
          { role: 'user', content: question },
          { role: 'assistant', content: answer, toolCalls: [{ name: 'f`)', args: { text: question } }] },
          { role: 'tool', content: `r${answer}`, toolResults: [{ name: 'f`)', result: `r${answer}` }] },
        ])
        const transcript = transcriptOf(turns)
        const text = written(transcript, 'markdown-chat')
        const { format, transcripts } = parse(text)
        expect([format, transcripts.map(saidBy)]).toEqual(['markdown-chat', [saidBy(transcript)]])
        expect([...'\u001b\u202e\r'].filter((each) => text.includes(each))).toEqual([])
      }),
      { numRuns: runs(100) },
    )
  })

  it('keeps times, models and titles, and reads files put one behind the other as several conversations', () => {
    const facts = { modelName: 'gpt (4)', name: 'A # title' }
    const turns = [{ role: 'assistant', content: 'Hi', createdAt: '2026-01-01T00:00:00.000Z' }]
    const text = written(transcriptOf(turns, facts), 'markdown-chat')
    const { transcripts } = parse(text + text)
    expect(transcripts).toHaveLength(2)
    for (const each of transcripts) expect(each).toMatchObject({ ...facts, turns })
  })
})
