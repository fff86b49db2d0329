import { expect, it } from 'vitest'
import { parse } from './parse.js'

type Flag = Record<string, unknown>

/** A question, an answer and a message of the assistant with a flag, in the shapes of several formats. */
const shapes: [string, (flag: Flag) => unknown][] = [
  [
    'turns',
    (flag) => ({
      turns: [
        { role: 'user', content: 'a' },
        { role: 'human_agent', content: 'b', ...flag },
      ],
    }),
  ],
  [
    'openai-chat',
    (flag) => [
      { role: 'developer', content: 's' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', ...flag },
    ],
  ],
  [
    'openai-chat',
    (flag) => ({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', ...flag },
      ],
    }),
  ],
  [
    'sharegpt',
    (flag) => ({
      conversations: [
        { from: 'human', value: 'a' },
        { from: 'gpt', value: 'b', ...flag },
      ],
    }),
  ],
  [
    'ui-messages',
    (flag) => [
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'a' }] },
      { id: '2', role: 'assistant', parts: [{ type: 'text', text: 'b' }], ...flag },
    ],
  ],
  [
    'langchain',
    (flag) => [
      { type: 'human', content: 'a' },
      { type: 'ai', content: 'b', ...flag },
    ],
  ],
  [
    'dialogues',
    (flag) => [
      { speaker: 'customer', text: 'a' },
      { speaker: 'agent', text: 'b', ...flag },
    ],
  ],
]

const visibleTexts = (flag: Flag, shape: (flag: Flag) => unknown) => {
  const [transcript] = parse(JSON.stringify(shape(flag))).transcripts
  const texts = transcript?.turns.filter(({ visible }) => visible).map(({ content }) => content)
  return { format: transcript?.format, texts, losses: transcript?.losses }
}

it.each(shapes)('a private note of %s is not visible, and its flag is no loss', (format, shape) => {
  for (const flag of [
    { is_private: true },
    { internal: 1 },
    { isHidden: 'yes' },
    { public: false },
    { visibility: 'internal' },
    { message_type: 'private note' },
  ]) {
    expect(visibleTexts(flag, shape), JSON.stringify(flag)).toEqual({ format, texts: ['a'], losses: [] })
  }
})

it.each(shapes)('a message of %s that is said to be public is visible, and its flag is no loss', (format, shape) => {
  for (const flag of [{ is_private: false }, { internal: null }, { public: 'true' }, { visibility: 'public' }]) {
    expect(visibleTexts(flag, shape), JSON.stringify(flag)).toEqual({ format, texts: ['a', 'b'], losses: [] })
  }
})
