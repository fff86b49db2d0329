import { describeLosses, parse } from '@svc/transcripts'

/** Reads a file of JSON lines: its format, its turns with their calls and results, and its losses. */
export function read(...records: object[]) {
  const { format, transcripts } = parse(records.map((record) => JSON.stringify(record)).join('\n'))
  return transcripts.map(({ turns, losses }) => ({
    format,
    turns: turns.map(({ role, content, toolCalls, toolResults }) => {
      const calls = toolCalls?.map(({ name, args }) => `${name}(${JSON.stringify(args)})`)
      if (calls) return `${role}: ${calls.join(', ')}`
      return toolResults
        ? `${role}: ${toolResults[0]?.name} = ${JSON.stringify(toolResults[0]?.result)}`
        : `${role}: ${content}`
    }),
    losses: describeLosses(losses),
  }))
}
export const turnsOf = (...records: object[]) => read(...records).map(({ turns }) => turns)

/** A row of Langfuse, a run of LangSmith and a span of OTLP that were given and gave the same. */
export const observation = (input: unknown, output: unknown, more: object = {}) => ({
  id: 'o1',
  traceId: 't',
  type: 'GENERATION',
  name: 'call',
  startTime: '2026-01-01T10:00:00Z',
  input,
  output,
  ...more,
})
const run = (inputs: unknown, outputs: unknown) => ({
  id: 'r1',
  trace_id: 'r1',
  run_type: 'llm',
  start_time: '2026-01-01T10:00:00Z',
  inputs,
  outputs,
})
export const span = (name: string, attributes: Record<string, unknown>, second = 0) => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: 't',
              spanId: `${name}-${second}`.replaceAll(' ', '-'),
              name,
              startTimeUnixNano: `17672620${10 + second}000000000`,
              endTimeUnixNano: `17672620${10 + second}500000000`,
              attributes: Object.entries(attributes).map(([key, value]) => ({
                key,
                value: { stringValue: typeof value === 'string' ? value : JSON.stringify(value) },
              })),
            },
          ],
        },
      ],
    },
  ],
})
export const modelSpan = (input: unknown, output: unknown, second?: number) =>
  span('chat', { 'openinference.span.kind': 'LLM', 'input.value': input, 'output.value': output }, second)

export const writers: [string, (input: unknown, output: unknown) => object][] = [
  ['Langfuse', (input, output) => observation(input, output)],
  ['Langfuse, as the text of JSON', (input, output) => observation(JSON.stringify(input), JSON.stringify(output))],
  ['LangSmith', run],
  ['OpenTelemetry', modelSpan],
  [
    'OpenLLMetry',
    (input, output) =>
      span('chat', { 'gen_ai.operation.name': 'chat', 'gen_ai.prompt': input, 'gen_ai.completion': output }),
  ],
]
