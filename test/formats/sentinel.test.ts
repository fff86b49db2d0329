import { type FormatId, type Loss, parse } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { changed, objectsIn, outcomeOf, type Path, textsIn } from './sentinel.js'
import { samples } from './sentinel-samples.js'

const marker = 'Kennwort 4711 hier'

/**
 * A loss names a text when it names a field on the way to it, or when it is of a kind that is lost as a whole and the
 * text stands where that kind stands.
 */
function names({ what }: Loss, path: Path): boolean {
  const field = /field "(.+)"$/.exec(what)?.[1]
  if (field !== undefined && path.includes(field)) return true
  return kinds.some(([kind, where]) => kind.test(what) && where.test(path.join('/')))
}

/** What is lost as a whole, and where it stands. */
const kinds: readonly [RegExp, RegExp][] = [
  [/^(unreadable )?time|number for a time/, /(time|timestamp|At|_at|created|Time)$/],
  // A list of content has an element of another kind.
  [/ part$/, /\/(content|parts|result|output)\/\d+\/content$/],
  [/^step of the trajectory$/, /\btrajectory\b/],
  [/^printed transcript$/, /transcript$/],
  [/^result text$/, /result$/],
  [/^language over/, /lang$/],
  [/^tool name of a result$/, /(name|function)$/],
  [/^span of other work$/, /(input|output)|attributes/],
  [/^log record of other work$/, /logRecords/],
  // Of two accounts of the same the one that is changed may be left.
  [/ with other messages$|^rewritten message$|differs from the conversation$/, /(input|output)|attributes/],
  [/^message that cannot be read$/, /attributes/],
  // The name of an attribute stands beside its value.
  [/^attribute field /, /\/attributes\/\d+\/value\//],
]

/** Keys of texts that say how a file is built, and hold no content: types, roles, ids that join records, versions. */
const structure: Partial<Record<FormatId, string>> = {
  'claude-code': 'type role id uuid parentUuid sessionId tool_use_id cwd version error',
  // The model and the tools of the first line are those that the messages name.
  'claude-agent-sdk': 'type subtype role id session_id tool_use_id model tools error',
  // The first of a pair is the method that was called.
  'anthropic-managed-agents': '*/* type id custom_tool_use_id',
  // The time of a line that says nothing; folders and branches of later lines repeat those of the first.
  codex: 'type role call_id timestamp cwd',
  'codex-exec': 'type id',
  'gemini-cli': 'type id projectHash lastUpdated status functionResponse',
  inspect: 'id tool_call_id model role stop_reason',
  langfuse: 'type role id traceId parentObservationId tool_call_id name level startTime endTime',
  langsmith: 'type role id name trace_id parent_run_id tool_call_id dotted_order run_type start_time end_time',
  // The model that was asked for; the one that answered is kept.
  weave: 'type role id parent_id tool_call_id op_name kind model started_at ended_at',
  'otel-genai': 'type role traceId spanId parentSpanId name eventName startTimeUnixNano endTimeUnixNano key',
  intercom: 'type part_type',
  vapi: 'type role id toolCallId',
  zendesk: 'type sender_type role',
  'openai-chat': 'type id tool_call_id finish_reason method',
  'openai-responses': 'type call_id',
  'tau-bench': 'type id tool_call_id',
  'chatgpt-export': 'content_type current_node parent',
  'claude-ai-export': 'type uuid',
  'anthropic-messages': 'type id tool_use_id stop_reason',
  langchain: 'id tool_call_id',
  'ui-messages': 'type id toolCallId sourceId state',
  'swe-agent': 'type id tool_call_ids message_type',
  // The language of a reply; that of the first message is kept.
  oasst: 'lang',
}

const keyOf = (path: Path) => path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')
const jsonLines = (records: unknown[]) => records.map((record) => JSON.stringify(record)).join('\n')

const named = samples.map((sample) => ({ ...sample, name: `${sample.format} as ${sample.shape}` }))

describe('a text in a file is kept in a transcript or named as a loss', () => {
  it.each(named)('detects the format of the sample: $name', ({ format, records, write = jsonLines }) => {
    expect(parse(write(records)).format).toBe(format)
  })

  it.each(named)(
    'a text in a file is kept in a transcript or named as a loss when it replaces or follows another text: $name',
    ({ format, records, write = jsonLines }) => {
      const known = new Set(structure[format]?.split(/\s+/))
      const vanished = textsIn(records)
        .filter((path) => !known.has(keyOf(path)) && !path.some((step) => known.has(String(step))))
        .filter((path) =>
          [(old: unknown) => `${old} ${marker}`, () => marker].some(
            (change) =>
              outcomeOf(marker, path, write(changed(records, path, change) as unknown[]), names) === 'vanished',
          ),
        )
      expect([...new Set(vanished.map(keyOf))]).toEqual([])
    },
  )

  it.each(named)(
    'a text in a file is kept in a transcript or named as a loss when it stands in a field that the sample has not: $name',
    ({ format, records, write = jsonLines }) => {
      const known = new Set(structure[format]?.split(/\s+/))
      const vanished = objectsIn(records).flatMap((path) =>
        added
          .filter(([field]) => !known.has(field))
          .filter(([field, value]) => {
            if (Object.hasOwn(valueAt(records, path) as object, field)) return false
            const file = write(changed(records, path, (old) => ({ ...(old as object), [field]: value })) as unknown[])
            const [within = []] = textsIn(value).filter((steps) => valueAt(value, steps) === marker)
            return outcomeOf(marker, [...path, field, ...within], file, names) === 'vanished'
          })
          .map(([field]) => keyOf([...path, field])),
      )
      expect([...new Set(vanished)]).toEqual([])
    },
  )
})

const message = { role: 'assistant', content: marker }
const speaking = 'mystery output response completion answer reply text content message result reasoning'
/** Fields in which programs put what is said, in the forms that it has. */
const added: readonly [string, unknown][] = [
  ...speaking
    .split(' ')
    .flatMap((field): [string, unknown][] =>
      [marker, message, [message], [{ type: 'text', text: marker }], [marker]].map((value) => [field, value]),
    ),
  ['title', marker],
  ['error', marker],
  ['metadata', marker],
]

function valueAt(value: unknown, path: Path): unknown {
  let found = value
  changed(value, path, (old) => {
    found = old
    return old
  })
  return found
}

it('a text that nothing carries and nothing names is noticed', () => {
  const file = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], model: 7, tools: [marker] })
  expect(outcomeOf(marker, ['tools', 0], file, names)).toBe('lost')
  expect(outcomeOf(marker, ['tools', 0], file, () => false)).toBe('vanished')
  expect(outcomeOf('Hi', ['messages', 0, 'content'], file, () => false)).toBe('kept')
})
