import { parse, type Transcript, toFormat, toUpload } from '@svc/transcripts'
import fc from 'fast-check'
import { expect, it } from 'vitest'

interface Call {
  id: string
  name: string
  /** What is asked, which the result repeats. */
  city: string
  isAnswered: boolean
}

/** The calls of one message, and the order in which their results stand. */
interface Round {
  calls: Call[]
  results: Call[]
}

const drawn = fc.record({ name: fc.constantFrom('weather', 'time'), isAnswered: fc.boolean() })
const rounds = fc
  .array(fc.tuple(fc.array(drawn, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat(9))), {
    minLength: 1,
    maxLength: 4,
  })
  .map((all) =>
    all.map(([given, draws], at): Round => {
      const calls = given.map((each, nth) => ({ ...each, id: `id-${at}-${nth}`, city: `city-${at}-${nth}` }))
      const keyed = calls.filter(({ isAnswered }) => isAnswered).map((call) => ({ call, key: draws.next().value }))
      return { calls, results: keyed.sort((a, b) => a.key - b.key).map(({ call }) => call) }
    }),
  )

const argsOf = ({ city }: Call) => ({ city })
const resultOf = ({ city }: Call) => `It is fine in ${city}.`

const writers: Record<string, (rounds: readonly Round[]) => unknown> = {
  'openai-chat': (all) => ({
    messages: all.flatMap(({ calls, results }) => [
      { role: 'user', content: 'And now?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: calls.map((call) => {
          return {
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(argsOf(call)) },
          }
        }),
      },
      ...results.map((call) => ({ role: 'tool', tool_call_id: call.id, content: resultOf(call) })),
    ]),
  }),
  'anthropic-messages': (all) => ({
    messages: all.flatMap(({ calls, results }) => [
      { role: 'user', content: 'And now?' },
      {
        role: 'assistant',
        content: calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: argsOf(call) })),
      },
      ...(results.length === 0
        ? []
        : [
            {
              role: 'user',
              content: results.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: resultOf(call) })),
            },
          ]),
    ]),
  }),
  'openai-responses': (all) => ({
    input: all.flatMap(({ calls, results }) => [
      { role: 'user', content: 'And now?' },
      ...calls.map((call) => {
        return { type: 'function_call', call_id: call.id, name: call.name, arguments: JSON.stringify(argsOf(call)) }
      }),
      ...results.map((call) => ({ type: 'function_call_output', call_id: call.id, output: resultOf(call) })),
    ]),
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Fine.' }] }],
  }),
}

/** The objects in a body, and in the texts of messages in it. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value === 'string' && value.startsWith('[{"role"')) return objectsIn(JSON.parse(value))
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : [value as Record<string, unknown>]
  return [...own, ...Object.values(value).flatMap(objectsIn)]
}

const cityIn = (value: unknown): string => /city-\d+-\d+/.exec(JSON.stringify(value) ?? '')?.[0] ?? ''

const formats = ['openai-chat', 'anthropic-messages', 'atif', 'inspect', 'otlp'] as const

/** The calls of a written conversation, each with its results. */
function joinsIn(transcript: Transcript, format: (typeof formats)[number]) {
  const objects = objectsIn(toFormat(transcript, format).body)
  const idOf = (each: Record<string, unknown>, names: readonly string[]) =>
    names.map((name) => each[name]).find((id): id is string => typeof id === 'string')
  const calls = objects.flatMap((each) => {
    const args = (each.function as { arguments?: unknown } | undefined)?.arguments ?? each.arguments ?? each.input
    const id = idOf(each, ['id', 'tool_call_id'])
    return args === undefined || args === '' || id === undefined ? [] : [{ id, city: cityIn(args) }]
  })
  const results = objects.flatMap((each) => {
    const { content, response } = each
    const names = [...(content === undefined ? [] : ['tool_call_id']), ...(response === undefined ? [] : ['id'])]
    const id = idOf(each, ['tool_use_id', 'source_call_id', ...names])
    return id === undefined ? [] : [{ id, city: cityIn(content ?? response) }]
  })
  return calls.map(({ id, city }) => [city, ...results.filter((each) => each.id === id).map((each) => each.city)])
}

const cities = (all: readonly Round[]) =>
  all.flatMap(({ calls, results }) => calls.map((call) => [call.city, ...(results.includes(call) ? [call.city] : [])]))

it.each(Object.keys(writers))(
  'a result of %s is written at the call with its id, whatever else has no result',
  (name) => {
    fc.assert(
      fc.property(rounds, (all) => {
        const [transcript] = parse(JSON.stringify(writers[name]?.(all))).transcripts
        for (const format of formats) expect(joinsIn(transcript as Transcript, format)).toEqual(cities(all))
      }),
    )
  },
)

it('calls have no ids in an upload, in which a result belongs to a call of the same round', () => {
  fc.assert(
    fc.property(rounds, (all) => {
      // Of the calls of one name in one message, all or none have a result, in their order.
      const clear = all.map(({ calls }) => {
        const answered = calls.filter(({ name }) => calls.every((call) => call.name !== name || call.isAnswered))
        return { calls, results: answered }
      })
      const [transcript] = parse(JSON.stringify(writers['openai-chat']?.(clear))).transcripts
      const upload = JSON.parse(JSON.stringify(toUpload(transcript as Transcript)))
      expect(JSON.stringify(upload)).not.toMatch(/callIds|resultIds/)
      const [again] = parse(JSON.stringify(upload)).transcripts
      expect(joinsIn(again as Transcript, 'openai-chat')).toEqual(cities(clear))
    }),
  )
})

it('a result without a call gets an id of its own, which is named as a loss', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'tool', tool_call_id: 'lost', name: 'weather', content: 'wet' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    },
  ]
  const [transcript] = parse(JSON.stringify({ messages })).transcripts
  const { body, losses } = toFormat(transcript as Transcript, 'openai-chat')
  const ids = objectsIn(body).flatMap(({ id, tool_call_id }) => id ?? tool_call_id ?? [])
  expect(new Set(ids).size).toBe(2)
  expect(losses.map(({ what }) => what)).toContain('id of a result without a call')
})
