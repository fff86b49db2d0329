import { writeFileSync } from 'node:fs'
import { parse } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const at = '2026-01-01T10:00:00.000Z'
const later = '2026-01-01T10:01:40.000Z'
const beside = { title: 'A title', model: 'model-x', timestamp: at }
const question = { role: 'user', content: 'Hi', timestamp: at }
const answer = { role: 'assistant', content: 'Hello', timestamp: Date.parse(later) / 1000 }
const part = (text: string) => [{ type: 'text', text }]

const read = (file: unknown) => parse(JSON.stringify(file)).transcripts[0]
const lost = (file: unknown) => read(file)?.losses.map(({ what }) => what)

describe.each([
  ['messages', { messages: [question, answer] }],
  ['turns', { turns: [question, answer] }],
  ['a transcript', { transcript: [question, answer] }],
  ['an upload body', { name: 'A title', turns: [question, answer], title: undefined }],
  ['a conversation', { conversation: [question, answer] }],
  ['a prompt and an answer', { input: [question], output: answer }],
  ['messages of Anthropic', { messages: [question, { ...answer, content: [{ type: 'thinking' }, ...part('Hello')] }] }],
  ['messages of the AI SDK', { messages: [question, { ...answer, parts: part('Hello') }] }],
  [
    'messages of LangChain',
    {
      messages: [
        { ...question, type: 'human' },
        { ...answer, type: 'ai' },
      ],
    },
  ],
  [
    'messages of ShareGPT',
    { conversations: [question, answer].map((each) => ({ ...each, from: each.role, value: 'a' })) },
  ],
])('beside and in %s', (_, list) => {
  it('title, model and time are those of the upload', () => {
    const transcript = read({ ...beside, ...list })
    expect(transcript).toMatchObject({ name: 'A title', modelName: 'model-x', sourceTimestamp: at })
    expect(transcript?.turns.map(({ createdAt }) => createdAt)).toEqual([at, later])
    expect(lost({ ...beside, ...list })?.filter((what) => /title|model|timestamp/.test(what))).toEqual([])
  })
})

describe.each(['messages', 'turns'])('in %s', (field) => {
  it('the model that answers most is the model of the transcript', () => {
    const answers = ['b', 'a', 'a'].map((model) => ({ ...answer, model }))
    const transcript = read({ [field]: [question, ...answers] })
    expect(transcript).toMatchObject({ modelName: 'a', metadata: { models: ['a', 'b'] } })
    expect(read({ [field]: [question, ...answers], model: 'c' })).toMatchObject({
      modelName: 'c',
      metadata: { models: ['a', 'b'] },
    })
  })

  it('a second name, a model of a question and a time that is none are lost', () => {
    expect(lost({ [field]: [question], name: 'A name', title: 'A title' })).toEqual(['field "title"'])
    expect(lost({ [field]: [{ ...question, model: 'a' }] })).toEqual(['message field "model"'])
    expect(lost({ [field]: [question], timestamp: 'noon' })).toEqual(['time that cannot be read'])
  })
})

it('the time at which the service stored a transcript is not that of the conversation', () => {
  const stored = {
    name: 'n',
    turns: [question],
    created_at: later,
    processing_status: 'queued',
    source_timestamp: null,
  }
  expect(read({ data: stored })?.sourceTimestamp).toBeUndefined()
})

describe('a name over 500 characters', () => {
  const file = { name: 'n'.repeat(600), turns: [question] }

  it('a name over 500 characters is cut, and the cut is a loss', () => {
    expect(read(file)?.name).toBe('n'.repeat(500))
    expect(read(file)?.losses).toMatchObject([{ code: 'cut', what: 'name over 500 characters' }])
  })

  it('a name over 500 characters is refused under --strict', async () => {
    const { svc, cwd } = createShell()
    writeFileSync(`${cwd}/long.json`, JSON.stringify(file))
    const { code, err } = await svc(['convert', 'long.json', '--strict'])
    expect([code, err]).toEqual([3, expect.stringContaining('name over 500 characters')])
  })
})
