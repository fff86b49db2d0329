import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Findings } from './findings.js'
import { FirstLook } from './first-look.js'
import { Sketches } from './sketch.js'
import type { Turn } from './types.js'
import { verdictOf, verdictReader } from './verdict.js'

const keys = [
  'structure no_user_turn unanswered_user_turn repeated_user_request tool_error unanswered_tool_call',
  'empty_assistant_turn long_monologue outcome patterns',
  'user_frustration user_correction escalation_request unresolved_request refusal apology_loop user_thanks',
].flatMap((line) => line.split(' '))

const told = (turns: readonly Turn[]) => {
  const verdict = verdictOf(turns, new Sketches().of(turns))
  return Object.fromEntries(keys.map((key) => [key, verdictReader(key)?.(verdict)]))
}
const found = (turns: readonly Turn[]) => {
  const findings = new Findings(turns)
  return Object.fromEntries(keys.map((key) => [key, findings.one(key)]))
}

const said = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\n',
      '?',
      'Where is order 7 of mine?',
      'WHERE is order 7 of mine!',
      'Thanks a lot',
      'thx',
      'WTF',
      'ok',
    ],
    ...['I am sorry', 'I’m TRULY sorry ß', 'My apologies 🙂', 'you’re wrong', "that's not what I asked", 'I give up'],
    ...['let me talk to a real human person', 'I can’t help', 'I am unable to', 'ſtill broken', 'still not working'],
    ...['[tool_call find] {}', '[TOOL CALL find]', '[tool] call', 'Error: no', '{"error":"x"}', '{"status":"failed"}'],
    ...['so '.repeat(1_500), 'x'.repeat(4_001), 'Iﬁ apologise', 'İ apologise', 'apologies for Σ'],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const content = fc.array(said, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '))
const role = fc.constantFrom('user', 'assistant', 'system', 'tool', 'human_agent') as fc.Arbitrary<Turn['role']>
const turn = fc.record({ role, content, is_user_visible: fc.boolean() }, { requiredKeys: ['role', 'content'] })

test('what is noted at the upload is what the rules find in the same turns', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 12 }), (turns) => {
      expect(told(turns)).toEqual(found(turns))
    }),
    { numRuns: 500 },
  )
})

test('also of a talk in which no word is of use', () => {
  const turns: Turn[] = [{ role: 'user', content: 'q' }]
  expect(told(turns)).toEqual(found(turns))
  expect(told(turns)).toMatchObject({ structure: 'critical', patterns: 'strong', outcome: 'critical' })
})

test('a verdict does not tell what is no flag and no outcome', () => {
  for (const key of ['title', 'keywords', 'domain', 'signals', 'mood', 'toString']) {
    expect(verdictReader(key)).toBeUndefined()
  }
})

test('a look counts those who say something', () => {
  const turns: Turn[] = [
    { role: 'user', content: 'Hi' },
    { role: 'user', content: ' ' },
    { role: 'assistant', content: 'Hello' },
    { role: 'system', content: 'x' },
  ]
  const look = new FirstLook(turns, new Sketches().of(turns))
  expect(look).toMatchObject({ users: 1, replies: 1, isOpen: false, hasResults: false, hasEmptyReply: false })
})
