import { defined, type JsonObject } from '../json/index.js'
import type { Losses } from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { dropFacts, dropTimes, objectOfArgs, type Step } from './steps.js'

/** An Inspect log with one sample. */
export function inspectLog(transcript: Transcript, steps: readonly Step[], losses: Losses): object {
  dropFacts(transcript, ['modelName', 'externalId', 'sourceTimestamp'], losses)
  dropTimes(transcript.turns, losses)
  const { externalId, modelName = 'none/none', sourceTimestamp, place } = transcript
  const id = externalId ?? `${place.record}`
  const messages = steps.map((step): JsonObject => {
    if (step.kind === 'result')
      return { role: 'tool', content: step.output, tool_call_id: step.id, function: step.name }
    const { role, text, calls } = step
    const toolCalls = calls.map((call) => {
      return { id: call.id, function: call.name, arguments: objectOfArgs(call.args, losses), type: 'function' }
    })
    if (role !== 'assistant') return { role, content: text }
    return defined<JsonObject>({
      role,
      content: text,
      source: 'generate',
      model: transcript.modelName,
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
    started_at: sourceTimestamp,
  })
  const run = { task: 'svc', created: sourceTimestamp ?? '', dataset: {}, model: modelName, config: {} }
  return { version: 2, status: 'success', eval: run, samples: [sample] }
}
