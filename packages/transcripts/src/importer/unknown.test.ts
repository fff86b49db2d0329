import { expect, it } from 'vitest'
import { TranscriptFileError } from '../model/index.js'
import { parse } from './parse.js'

const messageOf = (file: string): string => {
  try {
    parse(file)
  } catch (error) {
    if (error instanceof TranscriptFileError) return error.message
    throw error
  }
  throw new Error('It was read.')
}

it.each<[string, unknown[], Record<string, string>]>([
  [
    'rows',
    [
      { who: 'customer', say: 'Hi there' },
      { who: 'agent', say: 'Hello.' },
    ],
    { role: 'who', content: 'say' },
  ],
  [
    'lists in records',
    [
      {
        meta: { n: 1 },
        log: [
          { actor: 'user', line: 'Hi' },
          { actor: 'bot', line: 'Hello.' },
        ],
      },
    ],
    { role: 'actor', content: 'line' },
  ],
  [
    'exchanges',
    [{ user_prompt: 'Hi', model_response: { text: 'Hello.' } }],
    { user: 'user_prompt', assistant: 'model_response.text' },
  ],
  [
    'names with blanks',
    [{ 'the question': 'Hi', 'the answer': 'Hello.' }],
    { user: 'the question', assistant: 'the answer' },
  ],
])('the map that reads an unknown file is given: %s', (_, records, columns) => {
  const file = records.map((record) => JSON.stringify(record)).join('\n')
  const options = Object.entries(columns).map(([field, name]) => `${field}=${name}`)
  const shown = options.map((option) => `--map ${option.includes(' ') ? JSON.stringify(option) : option}`).join(' ')
  expect(messageOf(file)).toMatch(new RegExp(`; to read it, give ${shown}$`, 'm'))
  expect(parse(file, { columns }).transcripts[0]?.turns.map(({ role }) => role)).toContain('user')
})

it('the fields with texts of an unknown file are named where no map is known to read it', () => {
  expect(messageOf('{"transcription":{"text":"hello world"},"lang":"en"}')).toContain(
    'its texts are in "transcription.text": map those of a conversation (--map user=FIELD --map assistant=FIELD',
  )
})

it('ids, types and expected answers are given as what nobody says', () => {
  const record = { question: 'Where is it?', answerId: 'a-1', expected_answer: 'Here.', answer_model: 'm' }
  expect(messageOf(JSON.stringify(record))).toMatch(/its texts are in "question": map/)
})

it('a format that recognizes a file hardly, and a map where there is no text, are not advised', () => {
  expect(messageOf('{"a":1}')).toMatch(/found an object with keys a$/)
  expect(messageOf('{"conversation":[{"author":"a","content":"b"}]}')).not.toMatch(/dialogues|confidence/)
})
