import { eachRecord, type Format, type ReaderContext } from '../../contract/index.js'
import { ConversationBuilder, type MessageContext } from '../../conversation/index.js'
import {
  asList,
  asObject,
  defined,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  sampleOf,
  textOf,
  wordMap,
  wordSet,
} from '../../json/index.js'
import { type ConversationDraft, elementsOf, type Place, type Role, reasons, within } from '../../model/index.js'

export const atif: Format<'atif'> = {
  id: 'atif',
  title: 'ATIF trajectory (Harbor)',
  accepts: '{ "schema_version": "ATIF-v1.x", "agent", "steps": [{ "step_id", "source", "message" }] }',
  structure: 'source schema_version reasoning_effort',
  fields: ['schema_version', 'session_id', 'agent', 'steps', 'final_metrics'],
  detect(value) {
    if (!isObject(value) || !Array.isArray(value.steps)) return 0
    if (typeof value.schema_version === 'string' && value.schema_version.startsWith('ATIF')) return 0.99
    const sample = objectsOf(sampleOf(value.steps))
    return sample.some((step) => roleOf.has(step.source) && 'step_id' in step) ? 0.8 : 0
  },
  reader: (notes) =>
    eachRecord(atif, notes, (value, place) =>
      Array.isArray(value.steps) ? trajectories(value, place, notes) : undefined,
    ),
}

const roleOf = wordMap({ system: 'system', user: 'user', assistant: 'agent' })

/** The trajectory, with those of its sub-agents on request. A sub-agent may have its own. */
function trajectories(value: JsonObject, place: Place, notes: ReaderContext, parent?: string): ConversationDraft[] {
  const nested = objectsOf(value.subagent_trajectories)
  const id = textOf(value.session_id) ?? textOf(value.trajectory_id)
  const draft = readTrajectory(value, place, notes, parent)
  if (notes.options.subagents) {
    const at = (index: number) => within(place, 'subagent_trajectories', index)
    return [draft, ...nested.flatMap((inner, index) => trajectories(inner, at(index), notes, parent ?? id))]
  }
  const loss = { code: 'dropped', what: 'conversation of a sub-agent', why: reasons.subagents } as const
  notes.account.note(nested)
  if (nested.length > 0) draft.losses.push({ ...loss, count: nested.length })
  return [draft]
}

function readTrajectory(value: JsonObject, place: Place, notes: ReaderContext, parent?: string): ConversationDraft {
  const conversation = new ConversationBuilder(notes)
  for (const { value: step, place: at } of elementsOf(value.steps, within(place, 'steps'))) {
    if (isObject(step) && roleOf.has(step.source)) addStep(step, at, conversation)
    else notes.report(`expected a step with a source of system, user or agent; found ${describe(step)}`, at)
  }
  const agent = asObject(value.agent)
  const id = textOf(value.session_id) ?? textOf(value.trajectory_id)
  const own = textOf(value.trajectory_id) ?? textOf(agent.name) ?? id
  countFields(value, headFields, '', conversation)
  countFields(agent, agentFields, 'agent ', conversation)
  if (value.notes !== undefined && typeof value.notes !== 'string') conversation.losses.dropValue(value.notes, 'notes')
  return conversation.build({
    modelName: textOf(agent.model_name),
    externalId: parent === undefined ? id : `${parent}/${own}`,
    metadata: factsOf(value, agent, parent),
    place,
  })
}

const headFields = wordSet(
  'schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref subagent_trajectories',
)
const agentFields = wordSet('name version model_name')
const stepFields = wordSet(
  'step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics is_copied_context llm_call_count',
)
const callFields = wordSet('tool_call_id function_name arguments')
const resultFields = wordSet('source_call_id content subagent_trajectory_ref')

/** Many files have an `extra` without fields. */
function countFields(
  fields: JsonObject,
  known: ReadonlySet<string>,
  where: string,
  conversation: ConversationBuilder,
): void {
  const { extra, ...rest } = fields
  conversation.losses.addFields(isObject(extra) && Object.keys(extra).length === 0 ? rest : fields, known, where)
}

function factsOf(value: JsonObject, agent: JsonObject, parent: string | undefined): JsonObject {
  const metrics = asObject(value.final_metrics)
  const numbers = Object.entries(metrics).filter(([, metric]) => typeof metric === 'number')
  return defined<JsonObject>({
    schema_version: textOf(value.schema_version),
    agent: textOf(agent.name),
    agent_version: textOf(agent.version),
    notes: textOf(value.notes)?.slice(0, 1000),
    continued_in: textOf(value.continued_trajectory_ref),
    final_metrics: numbers.length > 0 ? Object.fromEntries(numbers) : undefined,
    parent_session: parent,
  })
}

function addStep(step: JsonObject, place: Place, conversation: ConversationBuilder): void {
  if (step.is_copied_context === true) return conversation.losses.dropValue(step, 'copied step', reasons.repeated)
  const role = roleOf.get(step.source) ?? 'system'
  countFields(step, stepFields, 'step ', conversation)
  const context: MessageContext = { place, at: step.timestamp, model: step.model_name, message: step }
  if (typeof step.reasoning_content === 'string') conversation.addThinking(step.reasoning_content, context)
  const calls = objectsOf(step.tool_calls)
  // Added first, so that an empty message beside calls does not become a turn.
  if (step.message || calls.length === 0) conversation.addMessage(role, step.message, context)
  const read = calls.map((call) => ({ id: call.tool_call_id, name: call.function_name, args: call.arguments }))
  conversation.addToolCalls(read, context)
  for (const call of calls) countFields(call, callFields, 'tool call ', conversation)
  const observation = asObject(step.observation)
  for (const result of objectsOf(observation.results)) {
    countFields(result, resultFields, 'tool result ', conversation)
    answer(result, role, context, conversation)
  }
}

/** An observation without a call comes from the environment: a result if the agent acts, else a notice. */
function answer(result: JsonObject, role: Role, context: MessageContext, conversation: ConversationBuilder): void {
  const { source_call_id: id, content, subagent_trajectory_ref: refs } = result
  const ids = asList(refs).map((ref) => (isObject(ref) ? (ref.session_id ?? ref.trajectory_id) : ref))
  const metadata = ids.length > 0 ? { subagents: ids.slice(0, 50) } : undefined
  const resultContext = { place: context.place, at: context.at, metadata }
  if (typeof id === 'string') conversation.addToolResult({ id, output: content ?? '' }, resultContext)
  else if (content !== undefined && content !== null) {
    const kind = role === 'assistant' ? 'observation' : 'notice'
    conversation.addMessage('system', content, { ...resultContext, metadata: { ...metadata, kind } })
  }
}
