import fc from 'fast-check'
import { expect, test } from 'vitest'
import { B, type Json, setUp } from '../../test/fixtures/server.js'
import { patterns } from './patterns.js'
import { structural } from './structural.js'

const conversations: Record<string, readonly { role: string; content: string }[]> = {
  'a short conversation': [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: 'On its way.' },
    { role: 'user', content: 'Thanks' },
  ],
  'nobody but an assistant': [{ role: 'assistant', content: "I'm unable to help." }],
  'all that can go wrong': [
    { role: 'user', content: 'Where is order 7 of mine? This is useless.' },
    { role: 'assistant', content: 'Sorry about that. [tool_call find] {}' },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: `I am sorry. ${'so '.repeat(1_500)}` },
    { role: 'tool', content: 'Error: no such order' },
    { role: 'user', content: 'Where is order 7 of mine? This is useless!' },
    { role: 'assistant', content: 'My apologies, I cannot help. Look into `main.ts` and run `npm test`.' },
    { role: 'user', content: 'That is wrong, it is still not working. Let me talk to a human' },
  ],
}

const keys = [
  'structure no_user_turn unanswered_user_turn repeated_user_request tool_error unanswered_tool_call',
  'empty_assistant_turn long_monologue outcome title keywords user_intent domain quality_concerns patterns',
  'user_frustration user_correction escalation_request unresolved_request refusal apology_loop user_thanks signals',
].flatMap((line) => line.split(' '))

const { send, newProject } = setUp()

async function uploaded(turns: readonly object[]) {
  const path = `${B}/projects/${newProject()}/transcripts`
  const { id } = (await send(path, { body: { name: 't', turns } })).body.data as { id: string }
  const annotations = ((await send(`${B}/transcripts/${id}`)).body.data as Json).annotations as Json
  const finds = async (key: string, value: unknown) => {
    const { body } = await send(`${path}?annotation=${encodeURIComponent(`${key}:${value}`)}`)
    return (body.pagination as { total: number }).total === 1
  }
  return { annotations, finds }
}

test.each(Object.entries(conversations))('a search of %s finds each annotation that a read shows', async (_, turns) => {
  const { annotations, finds } = await uploaded(turns)
  for (const key of keys) {
    const value = annotations[key]
    const isSearchable = ['string', 'number', 'boolean'].includes(typeof value)
    expect(await finds(key, value), key).toBe(isSearchable)
    expect(await finds(key, 'something else'), key).toBe(false)
  }
})

test('fires every rule in one of these conversations', async () => {
  const annotations = await Promise.all(
    Object.values(conversations).map(async (turns) => (await uploaded(turns)).annotations),
  )
  expect([...new Set(annotations.flatMap(Object.keys))].sort()).toEqual([...keys].sort())
})

const parts = [
  ...Object.values(conversations).flatMap((turns) => turns.map(({ content }) => content)),
  'This is useless. ',
  '\n[tool_call find] {"q": 1}\r\n',
  '[tool result] Error: none',
  '{"error": "no seats"}',
  ' \t\n',
  '😀'.repeat(150),
  '',
]
const message = fc.record({
  role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
  content: fc
    .array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary' })), { maxLength: 4 })
    .map((each) => each.join('')),
  is_user_visible: fc.boolean(),
})

test('the evidence of every signal is a part of its turn, and only no_user_turn has none', async () => {
  const context = { clock: { now: () => 0 }, signal: new AbortController().signal }
  const fired = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 8 }), async (transcript) => {
      for (const annotator of [structural, patterns]) {
        const { signals } = await annotator.annotate({ transcript, annotator: annotator.id }, context)
        for (const [name, { evidence, turn }] of Object.entries(signals)) {
          fired.add(name)
          expect(turn === null).toBe(name === 'no_user_turn')
          if (turn) expect(transcript[turn - 1]?.content).toContain(evidence)
        }
      }
    }),
    { numRuns: 500 },
  )
  expect(fired.size).toBeGreaterThan(10)
})
