import { expect, it } from 'vitest'
import { detect, rankFormats } from './detect.js'
import type { Format } from './format.js'
import { readers } from './formats/list.js'
import { isObject, type JsonObject } from './json.js'
import { sampleFiles } from './sample-files-fixture.js'
import { spelled } from './table-columns.js'

/** Each object of a sample, at any depth, and the same without each of its fields. */
function objectsIn(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (!isObject(value)) return []
  const lesser = Object.keys(value).map((left) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== left)),
  )
  return [value, ...lesser, ...Object.values(value).flatMap(objectsIn)]
}

const objects = Object.values(sampleFiles).flatMap(({ records }) => objectsIn(records))

it.each<Format>(readers)('$id knows no object without a mark of it', ({ id, marks, detect }) => {
  const spellings = new Set(marks.map(spelled))
  const isMarked = (value: JsonObject) => Object.keys(value).some((field) => spellings.has(spelled(field)))
  const known = objects.filter((value) => detect(value) > 0)
  expect(id === 'table' ? 1 : known.length).toBeGreaterThan(0)
  expect(known.filter((value) => !isMarked(value))).toEqual([])
})

const words = { role: 'user', content: 'Hi' }
const asked = { messages: [words] }
const chosen = { choices: [{ message: { role: 'assistant', content: 'Hello' } }] }
const block = { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'look', input: {} }] }
const item = { type: 'function_call', call_id: '1', name: 'look', arguments: '{}' }
const answer = { object: 'response', output: [item] }
const human = { type: 'human', content: 'Hi' }
const part = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
const shared = { from: 'human', value: 'Hi' }
const spoken = { speaker: 'agent', text: 'Hello' }

/** Objects that have no mark of a format but one. */
const barely: Record<string, readonly JsonObject[]> = {
  turns: [{ turns: [words] }, { transcript: [words] }, words],
  'openai-chat': [
    asked,
    chosen,
    words,
    ...[{ body: asked }, { request: asked }, { input: asked }],
    ...[{ response: chosen }, { output: chosen }, { completion: chosen }, { custom_id: '1', error: {} }],
  ],
  'openai-responses': [
    item,
    { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    ...[{ input: [item] }, { output: [item] }, { body: answer }, { request: { input: [item] } }, { response: answer }],
    ...[
      { object: 'list', data: [item] },
      { $schemaVersion: '1.0', generated_items: [] },
    ],
  ],
  'anthropic-messages': [
    block,
    ...[{ messages: [block] }, { request: { messages: [block] }, response: { type: 'message' } }],
    ...[
      { custom_id: '1', params: asked },
      { custom_id: '1', result: { type: 'succeeded', message: block } },
    ],
  ],
  langchain: [
    ...[human, { role: 'user', content: 'Hi', additional_kwargs: {} }],
    { lc: 1, id: ['HumanMessage'], kwargs: { content: 'Hi' } },
    ...['values', 'channel_values', 'output', 'state'].map((field) => ({ [field]: { messages: [human] } })),
    ...[{ messages: [human] }, { checkpoint: { channel_values: { messages: [human] } } }],
  ],
  'ui-messages': [part, { messages: [part] }],
  sharegpt: [
    ...[shared, { conversations: [shared] }, { conversation: [shared] }, { messages: [shared] }],
    { role: 'user', content: [{ type: 'text', value: 'Hi' }] },
  ],
  dialogues: [spoken, { dialogue: [spoken] }, { log: [spoken] }, { author: 'agent', body: 'Hello' }],
}

const bare = Object.entries(barely).flatMap(([id, values]) => values.map((value) => ({ id, value })))

it.each(bare)('$id is asked about $value', ({ id, value }) => {
  expect(rankFormats([{ value, record: 1, offset: 0 }]).map(({ format }) => format)).toContain(id)
})

it('knows a mark however it is spelled', () => {
  const messages = [
    { 'Sender-Type': 'customer', 'Message ': 'hello' },
    { 'Sender-Type': 'agent', 'Message ': 'how can I help?' },
  ]
  expect(detect(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))?.format).toBe('dialogues')
})

it('has a bit for each format', () => {
  expect(readers.length).toBeLessThanOrEqual(32)
})
