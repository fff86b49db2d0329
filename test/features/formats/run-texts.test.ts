import { parse, TranscriptFileError } from '@svc/transcripts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { observation, read, span, turnsOf } from './trace-records.js'

type Write = (input: unknown, output: unknown) => object

const run = (type: string, inputs: unknown, outputs: unknown) => ({
  id: 'r1',
  trace_id: 'r1',
  run_type: type,
  start_time: '2026-01-01T10:00:00Z',
  inputs,
  outputs,
})
const call = (inputs: unknown, output: unknown) => ({
  id: 'k1',
  op_name: 'weave:///team/app/op/answer:abc',
  trace_id: 'k1',
  started_at: '2026-01-01T10:00:00Z',
  inputs,
  output,
})
const trace = (input: unknown, output: unknown) => ({
  trace: { id: 't', timestamp: '2026-01-01T10:00:00Z', input, output },
  observations: [],
})
const openInference = (kind: string, input: unknown, output: unknown) =>
  span('work', { 'openinference.span.kind': kind, 'input.value': input, 'output.value': output })
const traceloop = (kind: string, input: unknown, output: unknown) =>
  span('work', { 'traceloop.span.kind': kind, 'traceloop.entity.input': input, 'traceloop.entity.output': output })

/** A run that was given an input and gave an output, as each tool writes it; those of a model keep an answer in JSON. */
const tools: readonly (readonly [string, Write])[] = [
  ['a trace of Langfuse', trace],
  ['a trace of Langfuse with texts of JSON', (input, output) => trace(JSON.stringify(input), JSON.stringify(output))],
  ['a span of Langfuse', (input, output) => observation(input, output, { type: 'SPAN' })],
  ['a chain of LangSmith', (input, output) => run('chain', input, output)],
  ['an operation of Weave', call],
  ['a chain of OpenInference', (input, output) => openInference('CHAIN', input, output)],
  ['an agent of OpenInference', (input, output) => openInference('AGENT', input, output)],
  ['a workflow of Traceloop', (input, output) => traceloop('workflow', input, output)],
  ['a task of Traceloop', (input, output) => traceloop('task', input, output)],
  [
    'an agent of OpenTelemetry',
    (input, output) =>
      span('work', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.prompt': input, 'gen_ai.completion': output }),
  ],
]
const models: readonly (readonly [string, Write])[] = [
  ['a generation of Langfuse', (input, output) => observation(input, output)],
  ['a model of LangSmith', (input, output) => run('llm', input, output)],
  ['a model of OpenInference', (input, output) => openInference('LLM', input, output)],
]

const wordsOf = (words: string): string[] => words.split(' ')

const name = fc.oneof(
  fc.stringMatching(/^[a-z][a-z_]{2,11}$/),
  fc.constantFrom(...wordsOf('user_query final_answer args kwargs state text input output id type self __proto__')),
)
const word = fc.stringMatching(/^[A-Za-z]{1,8}$/)
const text = fc.array(word, { minLength: 2, maxLength: 5 }).map((words) => `${words.join(' ')}?`)
const id = fc.constantFrom('user-7', 'en-US', '0a1b', 'https://svc.test/a', 7, true, null, '')

type Form = (text: string, name: string, id: unknown) => unknown
const object = (...fields: (readonly [string, unknown])[]): object => Object.fromEntries(fields)
/** The forms in which programs wrap the one text that they are given or give. */
const forms: Readonly<Record<string, Form>> = {
  alone: (each) => each,
  'in a list': (each) => [each],
  'under a name': (each, key) => object([key, each]),
  'beside ids': (each, key, other) => object(['user', other], [key, each], ['extra', { tags: [other] }]),
  'under two names': (each, key) => ({ inputs: object([key, each]) }),
  'under names of no tool': (each, key) => ({ state: object([key, [each]]) }),
  'as an argument': (each) => ({ args: [each], kwargs: {} }),
  'as an argument with a name': (each, key) => ({ args: [], kwargs: object([key, each]) }),
  'as an argument of a method': (each, _, other) => ({ args: ['<app.Bot object at 0x7f>', each], kwargs: { other } }),
  'beside the object of a method': (each) => ({ self: '<App>', query_str: each }),
  'as JSON': (each, key) => JSON.stringify(object([key, each])),
  'as a text of JSON': (each) => JSON.stringify(each),
  'as JSON in an object': (each, key) => ({ payload: JSON.stringify(object([key, each])) }),
}
const form = fc.constantFrom(...Object.keys(forms))

describe.each(tools)('%s', (_, write) => {
  it('has its one text as the turn of the user and its one answer as that of the assistant, whatever their form', () => {
    fc.assert(
      fc.property(form, form, name, name, text, text, id, (asked, given, key, other, question, answer, mark) => {
        const input = forms[asked]?.(question, key, mark)
        const output = forms[given]?.(answer, other, mark)
        expect(turnsOf(write(input, output))).toEqual([[`user: ${question}`, `assistant: ${answer}`]])
      }),
    )
  })

  it('keeps several texts as JSON, as the file has it', () => {
    const input = { topic: 'My account', wish: 'Cancel it' }
    const output = { verdict: 'It is done', reason: 'You asked', count: 2 }
    expect(turnsOf(write(input, output))).toEqual([
      [`user: ${JSON.stringify(input)}`, `assistant: ${JSON.stringify(output)}`],
    ])
  })

  it('finds the messages in a field of any name, and names the others as losses', () => {
    const messages = [{ role: 'user', content: 'Where is it?' }]
    const found = read(write({ state: { messages }, topic: 'A lamp' }, { state: { messages } }))
    expect(found).toMatchObject([{ turns: ['user: Where is it?'], losses: expect.stringContaining('field "topic"') }])
  })

  it('keeps the history before a question of any name', () => {
    const history = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello.' },
    ]
    expect(turnsOf(write({ user_query: 'Where is it?', chat_history: history }, { reply: 'On the table.' }))).toEqual([
      ['user: Hi', 'assistant: Hello.', 'user: Where is it?', 'assistant: On the table.'],
    ])
  })

  it('keeps the history before a question of several texts, and names the object of a method as a loss', () => {
    const history = [{ role: 'assistant', content: 'Hello.' }]
    const asked = { topic: 'A lamp', wish: 'Find it' }
    expect(turnsOf(write({ ...asked, history }, 'On the table.'))).toEqual([
      ['assistant: Hello.', `user: ${JSON.stringify(asked)}`, 'assistant: On the table.'],
    ])
    expect(read(write({ self: '<App>', wish: 'Find it' }, 'On the table.'))).toMatchObject([
      { turns: ['user: Find it', 'assistant: On the table.'], losses: expect.stringContaining('field "self"') },
    ])
  })

  it('keeps a number as an answer, and joins the parts of a streamed one', () => {
    expect(turnsOf(write({ sum: 'Six times seven' }, { total: 42 }))).toEqual([
      ['user: Six times seven', 'assistant: {"total":42}'],
    ])
    expect(turnsOf(write({ sum: 'Six times seven' }, { parts_read: ['It', ' is', ' 42.'] }))).toEqual([
      ['user: Six times seven', 'assistant: It is 42.'],
    ])
  })

  it('never makes one turn of messages of an unknown shape', () => {
    const talk = [
      { author: 'Ada', words: 'Where is it?' },
      { author: 'bot', words: 'On the table.' },
    ]
    expect(read(write({ thread: talk }, { reply: 'Done, it is there.' }))).toMatchObject([
      { turns: ['assistant: Done, it is there.'], losses: expect.stringContaining('list of messages') },
    ])
  })
})

describe.each(models)('%s', (_, write) => {
  it('has its one text as the turn of the user, whatever its form', () => {
    fc.assert(
      fc.property(form, name, text, id, (asked, key, question, mark) => {
        expect(turnsOf(write(forms[asked]?.(question, key, mark), 'On the table.'))).toEqual([
          [`user: ${question}`, 'assistant: On the table.'],
        ])
      }),
    )
  })

  it('keeps an answer in JSON as it is', () => {
    const answer = { intent: 'book_trip', destination: 'Tokyo' }
    expect(turnsOf(write('Book it.', answer))).toEqual([['user: Book it.', `assistant: ${JSON.stringify(answer)}`]])
  })
})

const anything = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, text, word, fc.integer(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(
    // Ids, types, states and times hold no content.
    name.filter((each) => !/^(?:id|type|state)$|_(?:ids?|uuid|type|at|time|timestamp|date|version|reason)$/.test(each)),
    tie('value'),
    { maxKeys: 4 },
  ),
})).value

describe.each(tools)('%s', (_, write) => {
  it('has every text of its input and output in a turn, or names its field as a loss, or is refused', () => {
    fc.assert(
      fc.property(anything, anything, (input, output) => {
        const found = readOrRefused(write(input, output))
        if (found === undefined) return
        const turns = JSON.stringify(found.turns)
        const fields = found.losses.flatMap(({ what }) => /field "(.+)"$/.exec(what)?.[1] ?? [])
        for (const { path, leaf } of [...leavesIn(input), ...leavesIn(output)]) {
          const isNamed =
            path.some((step) => fields.includes(step)) || found.losses.some(({ what }) => whole.test(what))
          expect(isNamed || turns.includes(leaf), `${path.join('/')}: ${leaf}`).toBe(true)
        }
      }),
      { numRuns: runs(80) },
    )
  })
})

/** A loss of all of an input or output, or of all that nothing but a single word was read of. */
const whole =
  /^(field "(?:trace|resourceSpans|(?:in|out)puts?)"|input or output without messages|list of messages of an unknown shape|list entry that is not a message|other list of a batch)$/

function readOrRefused(record: object) {
  try {
    return parse(JSON.stringify(record)).transcripts[0]
  } catch (error) {
    if (error instanceof TranscriptFileError) return undefined
    throw error
  }
}

function leavesIn(value: unknown, path: string[] = []): { path: string[]; leaf: string }[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ path, leaf: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => leavesIn(each, [...path, key]))
}
