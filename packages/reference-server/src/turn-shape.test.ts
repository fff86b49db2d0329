import { expect, test } from 'vitest'
import { isClosing, isToolError, similar, toolCallOf, wordsOf } from './turn-shape.js'

test.each(['Thank you for your help! ###STOP###', '###STOP###', "That's all for now.", 'ok great, bye'])(
  '%j closes',
  (text) => {
    expect(isClosing(text)).toBe(true)
  },
)

test.each([
  'Please transfer me. Thank you!',
  'Thanks, but can you check again',
  'Great! What is next?',
  'And my refund',
])('%j asks on', (text) => {
  expect(isClosing(text)).toBe(false)
})

test.each([
  'Error: no seats',
  'TypeError: x is not a function',
  '[tool_result book] Error: no',
  'Traceback (most recent call last):\n…',
  '{"error":"nope"}',
  '{"is_error":true}',
  '{"status":"failed"}',
])('%j is an error', (text) => {
  expect(isToolError(text)).toBe(true)
})

test.each([
  '',
  '[]',
  '299.0',
  '{"error":null,"ok":1}',
  '{"status":"available"}',
  '{broken',
  'No errors found',
  'Errors: 0',
])('%j is no error', (text) => {
  expect(isToolError(text)).toBe(false)
})

test('similar texts share most of their words', () => {
  expect(similar(wordsOf('Where is my order?'), wordsOf('where is my ORDER!!'))).toBe(true)
  expect(similar(wordsOf('Where is my order?'), wordsOf('Where is my refund?'))).toBe(false)
  expect(similar(wordsOf('yes'), wordsOf('yes'))).toBe(false)
})

test('a written tool call is found', () => {
  expect(toolCallOf('Let me look.\n[tool_call find] {"a":1}\nmore')).toBe('[tool_call find] {"a":1}')
  expect(toolCallOf('no call')).toBeUndefined()
})
