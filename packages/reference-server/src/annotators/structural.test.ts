import { expect, test } from 'vitest'
import type { Judgement } from './annotator.js'
import { structural } from './structural.js'

type Line = [role: string, content: string, visible?: boolean]

async function judge(...lines: Line[]): Promise<Judgement> {
  const transcript = lines.map(([role, content, is_user_visible = true]) => ({ role, content, is_user_visible }))
  const context = { clock: { now: () => 0 }, signal: new AbortController().signal }
  return structural.annotate({ transcript, annotator: 'structural' }, context)
}

test('a question that is answered is strong', async () => {
  const { outcome, signals, summary } = await judge(
    ['user', 'Where is order 7?'],
    ['assistant', 'Order 7 has shipped.'],
  )
  expect({ outcome, signals }).toEqual({ outcome: 'strong', signals: {} })
  expect(summary).toEqual({
    title: 'Where is order 7?',
    keywords: ['order', 'shipped'],
    summary: '2 turns: 1 of the user, 1 replies, 0 of tools. It begins: Where is order 7?',
    quality_concerns: 'none',
    user_intent: 'Where is order 7?',
    domain: 'general',
  })
})

test('an empty transcript, and one without a user, is indeterminate', async () => {
  expect(await judge()).toMatchObject({ outcome: 'indeterminate', signals: {} })
  expect(await judge(['assistant', 'Hello'])).toMatchObject({
    outcome: 'indeterminate',
    signals: { no_user_turn: { evidence: '0 of 1 turns', turn: null } },
  })
})

test('rates a last request without reply as poor, and none replied as critical', async () => {
  const asked: Line[] = [
    ['user', 'Hi'],
    ['assistant', 'Hello'],
    ['user', 'And my refund? Please hurry.'],
  ]
  expect(await judge(...asked)).toMatchObject({
    outcome: 'poor',
    signals: { unanswered_user_turn: { evidence: 'And my refund? Please hurry.', turn: 3 } },
  })
  expect((await judge(['user', 'Is anybody there?'])).outcome).toBe('critical')
})

test('counts a hidden message as no reply, and thanks as no request', async () => {
  expect((await judge(['user', 'Is it there?'], ['assistant', 'thinking', false])).outcome).toBe('critical')
  expect((await judge(['user', 'Is it there?'], ['assistant', 'Yes.'], ['user', 'Thanks, bye'])).outcome).toBe('strong')
})

test('rates one repeated request as mixed, two as poor', async () => {
  const round: Line[] = [
    ['user', 'Cancel my flight to Rome'],
    ['assistant', 'Hm.'],
  ]
  expect(await judge(...round, ...round)).toMatchObject({
    outcome: 'mixed',
    signals: { repeated_user_request: { turn: 3 } },
  })
  expect((await judge(...round, ...round, ...round)).outcome).toBe('poor')
})

test('rates a tool error as poor if it is the last result, else as mixed', async () => {
  const failing: Line[] = [
    ['user', 'Book it'],
    ['assistant', '[tool_call book] {}', false],
    ['tool', 'Error: no seats'],
  ]
  const retried: Line[] = [
    ['assistant', '[tool_call book] {}', false],
    ['tool', '{"ok":true}'],
  ]
  const done: Line = ['assistant', 'Done.']
  expect(await judge(...failing, done)).toMatchObject({
    outcome: 'poor',
    signals: { tool_error: { evidence: 'Error: no seats', turn: 3 } },
  })
  expect((await judge(...failing, ...retried, done)).outcome).toBe('mixed')
})

test('a call without a result fires, several calls in a row with their results do not', async () => {
  const call: Line = ['assistant', 'Let me look.\n[tool_call find] {"q":1}\nmore', false]
  expect((await judge(['user', 'Find'], call, ['assistant', 'Well.'])).signals).toEqual({
    unanswered_tool_call: { evidence: '[tool_call find] {"q":1}', turn: 2 },
  })
  const results: Line[] = [
    ['tool', 'one'],
    ['tool', 'two'],
  ]
  expect((await judge(['user', 'Find'], call, call, ...results, ['assistant', 'Found.'])).signals).toEqual({})
})

test('the first of several calls without a result is reported', async () => {
  const call = (name: string): Line => ['assistant', `[tool_call ${name}]`]
  const lines = [call('one'), ['tool', 'ok'], call('two'), ['assistant', 'Well.'], call('three')] satisfies Line[]
  expect((await judge(['user', 'Find'], ...lines)).signals).toMatchObject({
    unanswered_tool_call: { evidence: '[tool_call two]', turn: 4 },
  })
})

// With work that grows with the square of the turns, this takes minutes.
test('judges tens of thousands of calls with results', async () => {
  const answered: Line[] = [
    ['assistant', '[tool_call find]'],
    ['tool', 'ok'],
  ]
  const lines = Array.from({ length: 60_000 }, () => answered).flat()
  expect((await judge(['user', 'Find'], ...lines, ['assistant', 'Found.'])).signals).toEqual({})
})

test('an empty reply fires unless a tool answers it', async () => {
  const blank: Line = ['assistant', ' ']
  expect((await judge(['user', 'Hi'], blank, ['assistant', 'Hello'])).signals).toHaveProperty(
    'empty_assistant_turn.turn',
    2,
  )
  expect((await judge(['user', 'Hi'], blank, ['tool', 'ok'], ['assistant', 'Hello'])).signals).toEqual({})
})

test('a reply of more than a thousand words fires', async () => {
  const { signals } = await judge(['user', 'Tell me'], ['assistant', 'Once. '.repeat(1001)])
  expect(signals).toEqual({ long_monologue: { evidence: 'Once.', turn: 2 } })
})

test('roles are free strings', async () => {
  expect((await judge(['Human', 'Hi there'], ['AI', 'Hello'], ['narrator', 'aside'])).outcome).toBe('strong')
})

test('detects the domain ai_coding from code', async () => {
  const { summary } = await judge(['user', 'Refactor main.py please'], ['assistant', '```py\ndef f(): pass\n```'])
  expect(summary.domain).toBe('ai_coding')
})

/** The turns of a user whose requests are these, each of them answered. */
const asking = (requests: readonly string[]) =>
  judge(
    ...requests.flatMap((request): Line[] => [
      ['user', request],
      ['assistant', 'Hm.'],
    ]),
  )

test('a request is compared with the twenty before it', async () => {
  const request = 'where is my order'
  const others = Array.from({ length: 20 }, (_, i) => `nothing like it ${i} times`.repeat(i + 1))
  expect((await asking([request, ...others.slice(1), request])).signals).toMatchObject({
    repeated_user_request: { turn: 41 },
  })
  const { repeated_user_request: repeated } = (await asking([request, ...others, request])).signals
  expect(repeated?.turn).not.toBe(43)
})

test('the words of a request count once, in any case and order', async () => {
  const { signals } = await asking(['Where is my order?', 'ORDER is my where, is my order'])
  expect(signals).toMatchObject({ repeated_user_request: { turn: 3 } })
  expect((await asking(['yes', 'yes'])).signals).toEqual({})
})

test.each([
  ['Thank you for your help! ###STOP###', 'strong'],
  ['###STOP###', 'strong'],
  ["That's all for now.", 'strong'],
  ['ok great, bye', 'strong'],
  ['Please transfer me. Thank you!', 'poor'],
  ['Thanks, but can you check again', 'poor'],
  ['Great! What is next?', 'poor'],
  ['And my refund', 'poor'],
])('a conversation whose last turn is %j is %s', async (content, outcome) => {
  expect((await judge(['user', 'Hi'], ['assistant', 'Hello'], ['user', content])).outcome).toBe(outcome)
})

test.each([
  ['Error: no seats', true],
  ['TypeError: x is not a function', true],
  ['[tool_result book] Error: no', true],
  ['Traceback (most recent call last):\n…', true],
  ['{"error":"nope"}', true],
  ['{"is_error":true}', true],
  ['{"status":"failed"}', true],
  ['', false],
  ['[]', false],
  ['299.0', false],
  ['{"error":null,"ok":1}', false],
  ['{"status":"available"}', false],
  ['{broken', false],
  ['No errors found', false],
  ['Errors: 0', false],
])('the result %j of a tool is an error: %s', async (content, isError) => {
  const { signals } = await judge(['user', 'Book it'], ['tool', content], ['assistant', 'Done.'])
  expect('tool_error' in signals).toBe(isError)
})

test('requests that differ in one word of four are two requests', async () => {
  expect((await asking(['Where is my order?', 'where is my ORDER!!'])).outcome).toBe('mixed')
  expect((await asking(['Where is my order?', 'Where is my refund?'])).outcome).toBe('strong')
})

test('a title is one line, cut at a word', async () => {
  const title = async (content: string) => (await judge(['user', content])).summary.title
  expect(await title('one\n two')).toBe('one two')
  expect(await title(`${'one '.repeat(30)}`)).toBe(`${'one '.repeat(19).trimEnd()}…`)
})
