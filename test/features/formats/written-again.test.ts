import { roles } from '@svc/client'
import { parse, type Transcript, toFormat, writtenFormats } from '@svc/transcripts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLong, runs } from '../../helpers/long.js'
import { transcriptsOfCases } from './cases.js'

/** The long form, which test:full runs: each case in each format, instead of in one of them in turn. */

/** JSON without its blanks, for a result may be JSON or its text; any other text as it is. */
function resultText(value: unknown): string {
  try {
    const data: unknown = typeof value === 'string' ? JSON.parse(value) : value
    if (typeof data === 'object') return JSON.stringify(data ?? '')
  } catch {}
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Who says what, and what tools answer: markers in the place of a text are none. */
const saidIn = ({ turns }: Transcript) =>
  turns.flatMap(({ role, content, visible, toolCalls = [], toolResults = [], metadata }) => {
    const text = metadata?.synthetic_content === true ? '' : content
    const results = toolResults.map(({ name, result }) => ({ role: 'tool', name, text: resultText(result) }))
    const isAnswer = role === 'tool' && toolCalls.length === 0
    if (isAnswer && results.length === 0) return [{ role, name: 'none', text: resultText(text), visible }]
    const isRepeated = role === 'tool' && results.length === 1 && results[0]?.text === resultText(text)
    const own = { role, text, visible: visible && text !== '', calls: toolCalls }
    const isTurn = toolCalls.length > 0 || (text !== '' && !isRepeated)
    return [...(isTurn ? [own] : []), ...results.map((each) => (isRepeated ? { ...each, visible } : each))]
  })

/** For each result the number of its call. */
function joinsIn(transcript: Transcript): number[] {
  const { messages } = toFormat(transcript, 'openai-chat').body as {
    messages: { tool_call_id?: string; tool_calls?: { id: string }[] }[]
  }
  const ids = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id))
  return messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [ids.indexOf(id)]))
}

/** What may differ, with the losses that name it. */
const views: Record<string, { of(transcript: Transcript): unknown; losses: readonly string[] }> = {
  texts: {
    of: (transcript) =>
      saidIn(transcript)
        .flatMap(({ text }) => (text === '' ? [] : [text]))
        .join('\n'),
    losses: ['place of a result', 'text of a tool beside its results', 'result without a call'],
  },
  roles: {
    of: (transcript) => saidIn(transcript).map(({ role }) => role),
    losses: [
      ...['system message', 'role of a system message', 'role of a human agent', 'role of a message with calls'],
      ...['place of a result', 'text of a tool beside its results', 'result without a call'],
    ],
  },
  marks: {
    of: (transcript) => saidIn(transcript).map((each) => 'visible' in each && each.visible),
    losses: [
      ...['mark of a hidden message', 'mark of a visible message', 'system message', 'role of a system message'],
      ...['role of a message with calls', 'place of a result', 'text of a tool beside its results'],
      'result without a call',
    ],
  },
  calls: {
    of: (transcript) => saidIn(transcript).flatMap((each) => ('calls' in each ? (each.calls ?? []) : [])),
    losses: ['arguments that are no object'],
  },
  tools: {
    of: (transcript) => saidIn(transcript).flatMap((each) => ('name' in each ? [each.name] : [])),
    losses: [
      ...['tool name of a result without a call', 'tool name "unknown" of a result without one'],
      ...['place of a result', 'result without a call'],
    ],
  },
  joins: { of: joinsIn, losses: ['call of a result', 'place of a result', 'result without a call'] },
}

function expectNamed(transcript: Transcript, format: (typeof writtenFormats)[number]): void {
  if (saidIn(transcript).length === 0) return
  const { body, losses } = toFormat(transcript, format)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { transcripts } = parse(text, { format: format === 'otlp' ? 'otel-genai' : format })
  expect(transcripts).toHaveLength(1)
  const again = transcripts[0] ?? expect.fail()
  const names = losses.map(({ what }) => what)
  for (const [view, { of, losses: allowed }] of Object.entries(views)) {
    if (!allowed.some((what) => names.includes(what))) expect([view, of(again)]).toEqual([view, of(transcript)])
  }
}

const blank = fc.constantFrom('', '', ' ', '\n', '\n\n', '\t')
const text = fc
  .tuple(blank, fc.constantFrom('x', 'a\n\nb', '{"a": 1}', '# A', '```\nx\n```', '## User', '---', '> q'), blank)
  .map((parts) => parts.join(''))
const name = fc.constantFrom('look', 'find')
const data = fc.oneof(text, fc.constantFrom({}, { a: ' b\n' }, [1], 7, true, '{"a":', '"x"'))
const listOf = <Each>(each: fc.Arbitrary<Each>) =>
  fc.option(fc.array(each, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 1 })
/** A turn that a program may upload, of whatever role. */
const turn = fc.record({
  role: fc.constantFrom(...roles),
  content: text,
  toolCalls: listOf(fc.record({ name, args: data })),
  toolResults: listOf(fc.record({ name, result: data })),
  is_user_visible: fc.option(fc.boolean(), { nil: undefined }),
})

describe.each(writtenFormats)('a transcript written as %s and read again', (format) => {
  it('is the same for each case of a format, or a loss names what differs', () => {
    const transcripts = transcriptsOfCases()
    expect(transcripts.length).toBeGreaterThan(1000)
    const first = isLong ? 0 : writtenFormats.indexOf(format)
    for (let at = first; at < transcripts.length; at += isLong ? 1 : writtenFormats.length)
      expectNamed(transcripts[at] ?? expect.fail(), format)
  })

  it('is the same for any turns of an upload, or a loss names what differs', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 6 }), (some) => {
        const turns = [...some, { role: 'user', content: 'Bye' }]
        const [transcript] = parse(JSON.stringify({ name: 't', turns }), { format: 'upload' }).transcripts
        expectNamed(transcript ?? expect.fail(), format)
      }),
      { numRuns: runs(30) },
    )
  })
})
