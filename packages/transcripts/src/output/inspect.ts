import { defined, type JsonObject } from '../json/index.js'
import type { Losses } from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { callIdOf, dropFacts, dropTimes, objectOfArgs, type Step } from './steps.js'

/** An Inspect log with one sample. */
export interface InspectLog {
  samples: [sample: JsonObject]
}

/** The model and the time of a log that has none: Inspect requires both. */
const noModel = 'none/none'
const noTime = '1970-01-01T00:00:00+00:00'

/** The log around samples; Inspect reads the fields in this order, and samples last. */
const logOf = (samples: readonly object[], model: string = noModel, created: string = noTime) => {
  const run = { created, task: 'svc', dataset: {}, model, config: {} }
  return { version: 2, status: 'success', eval: run, plan: {}, stats: {}, samples }
}

/** Write an Inspect log with one sample. */
export function inspectLog(transcript: Transcript, steps: readonly Step[], losses: Losses): object {
  dropFacts(transcript, ['modelName', 'externalId', 'sourceTimestamp'], losses)
  dropTimes(transcript.turns, losses)
  const { externalId, modelName, sourceTimestamp, place } = transcript
  const id = externalId ?? `${place.record}`
  const messages = steps.map((step): JsonObject => {
    if (step.kind === 'result')
      return { role: 'tool', content: step.output, tool_call_id: callIdOf(step, losses), function: step.name }
    const { role, text, calls } = step
    const toolCalls = calls.map((call) => {
      return { id: call.id, function: call.name, arguments: objectOfArgs(call.args, losses), type: 'function' }
    })
    if (role !== 'assistant') return { role, content: text }
    return defined<JsonObject>({
      role,
      content: text,
      source: 'generate',
      model: modelName,
      tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    })
  })
  const sample = defined<JsonObject>({
    id,
    epoch: 1,
    uuid: externalId,
    input: '',
    target: '',
    messages,
    output: modelName === undefined ? undefined : { model: modelName },
    started_at: sourceTimestamp,
  })
  return logOf([sample], modelName, sourceTimestamp)
}

/** Text of one log that gets a sample of each log in turn, with its number as the id, for a log has each id once. */
export function joinedLogs(textOf: (body: object) => string): { add(log: InspectLog): string; end(): string } {
  let count = 0
  return {
    add({ samples: [sample] }) {
      const before = count === 0 ? textOf(logOf([])).slice(0, -2) : ','
      count++
      return `${before}\n${textOf({ ...sample, id: count })}`
    },
    end: () => (count === 0 ? '' : '\n]}\n'),
  }
}
