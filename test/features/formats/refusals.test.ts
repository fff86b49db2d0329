import { detect, type ParseOptions, parse, type TranscriptFileError } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'

const lines = (...records: unknown[]) => records.map((record) => JSON.stringify(record)).join('\n')

function problemsOf(text: string, options: ParseOptions = {}) {
  try {
    return parse(text, options).transcripts.map(({ format }) => format)
  } catch (error) {
    return (error as TranscriptFileError).problems
  }
}

const system = { role: 'system', content: 'Be brief.' }
const question = { role: 'user', content: 'Where is it?' }

describe('a file that no format is sure of', () => {
  const unsure = {
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      { role: 'user', content: [{ text: 'Where is it?', lang: 'en' }] },
      { role: 'assistant', content: [{ text: 'On the table.', lang: 'en' }] },
    ],
  }

  it('a file that no format is sure of is refused with the format that it may have', () => {
    expect(detect(JSON.stringify(unsure))).toBeUndefined()
    expect(problemsOf(JSON.stringify(unsure))).toMatchObject([
      {
        code: 'unknown_format',
        line: 1,
        message: expect.stringMatching(
          /keys system, messages; it may be openai-chat: --format openai-chat reads it as that$/,
        ),
      },
    ])
  })

  it('a file that no format is sure of is read as the format that is given', () => {
    expect(problemsOf(JSON.stringify(unsure), { format: 'openai-chat' })).toEqual(['openai-chat'])
  })

  it('a file that no format is sure of is refused when only half of its records are like those of a format', () => {
    const known = { messages: [question] }
    expect(detect(lines(known, known, { x: 1 }))?.confidence).toBeCloseTo(0.6)
    expect(detect(lines(known, { x: 1 }))).toBeUndefined()
    expect(problemsOf(lines(known, { x: 1 }))).toMatchObject([
      { message: expect.stringContaining('1 of the first 2 records look like openai-chat') },
    ])
  })
})

it('messages of the Converse API that call tools are refused as chat completions, with the name of their format', () => {
  const call = { toolUse: { toolUseId: 't', name: 'look', input: {} } }
  const messages = [question, { role: 'assistant', content: [{ text: 'I look.' }, call] }]
  expect(problemsOf(JSON.stringify({ messages }))).toEqual(['bedrock'])
  expect(problemsOf(JSON.stringify({ messages }, null, 1), { format: 'openai-chat' })).toMatchObject([
    { message: expect.stringContaining('It looks like bedrock'), pointer: '/messages/1/content/1', line: 13 },
  ])
})

it('messages whose content is in another field are refused, not read as calls of unknown tools', () => {
  const messages = [
    { role: 'user', text: 'Where is it?', tool_calls: [] },
    { role: 'assistant', text: 'I look.', tool_calls: [{ action: 'a1', title: 'look' }] },
    { role: 'tool', text: null, tool_calls: [], results: [{ action: 'a1', preview: 'two' }] },
  ]
  for (const file of [{ messages }, messages]) {
    expect(problemsOf(JSON.stringify(file))).toMatchObject([{ code: 'unknown_format' }])
  }
})

it('a file that two formats know equally well is refused, whatever it wraps', () => {
  const both = { loglines: [], sessionId: 's', projectHash: 'p', messages: [question] }
  expect(problemsOf(JSON.stringify(both))).toMatchObject([
    { message: expect.stringMatching(/may be claude-code or gemini-cli; name the format$/) },
  ])
})

describe('a transcript in which neither a user nor an assistant speaks', () => {
  it.each([
    ['openai-chat', { messages: [system] }, 'system'],
    ['upload', { name: 'n', turns: [system] }, 'system'],
    ['turns', { turns: [system, { role: 'tool', content: 'two' }] }, 'system and tool'],
  ])(
    'a transcript in which neither a user nor an assistant speaks is refused with the reason: %s',
    (_, file, found) => {
      expect(problemsOf(JSON.stringify(file))).toMatchObject([
        { message: `expected a turn of a user or an assistant, found only turns of ${found}`, line: 1 },
      ])
    },
  )

  it('a transcript in which neither a user nor an assistant speaks is named by its line among others', () => {
    expect(problemsOf(lines({ messages: [question] }, { messages: [system] }))).toMatchObject([{ line: 2, record: 2 }])
  })

  it('a transcript in which neither a user nor an assistant speaks is left out of an export of many', () => {
    const chat = (id: string, role: string) => ({
      conversation_id: id,
      current_node: 'a',
      mapping: { a: { message: { author: { role }, content: { content_type: 'text', parts: ['Some words'] } } } },
    })
    const { transcripts, skipped } = parse(JSON.stringify([chat('one', 'user'), chat('two', 'system')]))
    expect(transcripts.map(({ externalId }) => externalId)).toEqual(['one'])
    expect(skipped).toMatchObject([{ record: 2 }])
  })

  it('does not refuse a file with a human agent only', () => {
    expect(parse(JSON.stringify({ turns: [{ role: 'human_agent', content: 'Hello' }] })).transcripts).toHaveLength(1)
  })
})
