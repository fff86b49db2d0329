import { callsOf, defineFormat } from '../../contract/index.js'
import { type ConversationBuilder, parseJsonText } from '../../conversation/index.js'
import {
  asList,
  asObject,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  sampleOf,
  textOf,
  textsAt,
  wordMap,
  wordSet,
} from '../../json/index.js'
import { type Losses, type Place, type Placed, type Role, reasons } from '../../model/index.js'

export const sweAgent = defineFormat({
  id: 'swe-agent',
  title: 'SWE-agent trajectory',
  accepts: '{ "history": [{ "role", "content" }], "info" }, or the { "messages", "info" } of mini-SWE-agent',
  fields: ['history', 'trajectory', 'info', 'messages', 'trajectory_format', 'replay_config'],
  signature(value) {
    if (Array.isArray(value)) return scoreOfMini(value)
    if (!isObject(value)) return 0
    if (Array.isArray(value.history)) return isHistory(value) ? 0.95 : 0
    if (Array.isArray(value.trajectory)) return sampleOf(value.trajectory).some(isStep) ? 0.9 : 0
    if (!Array.isArray(value.messages)) return 0
    if (typeof value.trajectory_format === 'string') return value.trajectory_format.startsWith('mini-swe') ? 0.97 : 0
    const info = asObject(value.info)
    return 'exit_status' in info || 'mini_version' in info || 'model_stats' in info ? 0.93 : scoreOfMini(value.messages)
  },
  rows: {},
  messages: ['history', 'messages', 'trajectory'],
  addMessages,
  conversation: {
    modelName: (head) => modelOf(configOf(head)) ?? modelOf(asObject(head.info).config),
    externalId: (head) => textOf(head.instance_id) ?? asObject(configOf(head).problem_statement).id,
    metadata: factsOf,
  },
  structure: 'agent trajectory_format',
})

function isHistory(value: JsonObject): boolean {
  if ('trajectory' in value || 'info' in value || 'replay_config' in value) return true
  return objectsOf(sampleOf(value.history)).some((message) => 'message_type' in message || 'thought' in message)
}

function isStep(step: unknown): boolean {
  return isObject(step) && 'action' in step && 'observation' in step
}

/** Only mini-SWE-agent writes such commands and such answers to them. */
function scoreOfMini(messages: readonly unknown[]): number {
  const sample = objectsOf(sampleOf(messages))
  const hasText = (of: string, pattern: RegExp) =>
    sample.some(({ role, content }) => role === of && pattern.test(textOf(content) ?? ''))
  return hasText('assistant', /```(mswea_bash_command|bash)\n/) && hasText('user', /^<returncode>/) ? 0.92 : 0
}

const sweAgentRole = wordMap({ system: 'system exit', user: 'user human', assistant: 'assistant ai', tool: 'tool' })

function addMessages(messages: readonly Placed[], conversation: ConversationBuilder): void {
  // After the agent has acted, user messages without calls are observations.
  let hasActed = false
  for (const { value, place } of messages) {
    if (isObject(value) && sweAgentRole.has(value.role)) {
      addMessage(value, place, conversation, hasActed)
      hasActed ||= value.is_demo !== true && sweAgentRole.get(value.role) === 'assistant'
    } else if (isObject(value) && isStep(value)) addStep(value, place, conversation)
    else
      conversation.report(
        `expected a message with a role of ${[...sweAgentRole.keys()].join(', ')}; found ${describe(value)}`,
        place,
      )
  }
}

function addMessage(message: JsonObject, place: Place, conversation: ConversationBuilder, hasActed: boolean): void {
  if (message.is_demo === true) {
    return conversation.losses.dropValue(message, 'demonstration message', reasons.notConversation)
  }
  conversation.losses.addFields(message, sweAgentFields, 'message ')
  const role = sweAgentRole.get(message.role) ?? 'user'
  const extra = asObject(message.extra)
  const context = {
    place,
    at: message.timestamp ?? extra.timestamp,
    message,
    metadata: markOf(message, role, hasActed),
  }
  if (role === 'tool') {
    const id = message.tool_call_id ?? asList(message.tool_call_ids)[0]
    return conversation.addToolResult({ id, name: message.name, output: message.content }, context)
  }
  const blocks = objectsOf(message.thinking_blocks).map(({ thinking }) => thinking)
  const thoughts = typeof message.reasoning_content === 'string' ? [message.reasoning_content] : blocks
  for (const thought of thoughts) if (typeof thought === 'string') conversation.addThinking(thought, context)
  const calls = callsOf(message)
  const visible = context.metadata.kind === 'observation' ? false : undefined
  if (message.content) noteRepeated(message, ['thought'], message.content, conversation.losses)
  // Thought and action, if the content does not repeat them.
  const steps = [textOf(message.thought), calls.length > 0 ? undefined : textOf(message.action)]
  if (!message.content) conversation.losses.noteEach(steps)
  const content = message.content || steps.filter((text) => text !== undefined).join('\n')
  if (calls.length > 0 && textOf(message.action)) {
    conversation.losses.dropValue(message.action, 'action of a call', reasons.besideRead)
  }
  if (content || calls.length === 0) conversation.addMessage(role, content, { ...context, visible })
  conversation.addToolCalls(calls, context)
}

/** The fields that are read, that content or calls repeat, or that have no content. */
const sweAgentFields =
  wordSet(`role content agent message_type is_demo thought action tool_call_ids tool_call_id name timestamp reasoning_content
  cache_control tags`)
const headFields = wordSet('history messages trajectory environment instance_id trajectory_format replay_config')
function markOf(message: JsonObject, role: Role, hasActed: boolean): JsonObject {
  if (message.role === 'exit') return { kind: 'exit' }
  const isObservation = role === 'user' && hasActed && (message.message_type ?? 'observation') === 'observation'
  return {
    ...(isObservation && { kind: 'observation' }),
    ...(textOf(message.agent) && !mainAgents.has(message.agent) && { agent: message.agent }),
  }
}

const mainAgents = new Set<unknown>(['main', 'primary'])

/** Note the fields whose text the content repeats. */
function noteRepeated(from: JsonObject, fields: readonly string[], content: unknown, losses: Losses): void {
  const text = JSON.stringify(content)
  for (const field of fields) {
    const own = textOf(from[field])?.trim()
    if (own !== undefined && text.includes(JSON.stringify(own).slice(1, -1))) losses.note(own)
  }
}

function addStep(step: JsonObject, place: Place, conversation: ConversationBuilder): void {
  if (textOf(step.response)) noteRepeated(step, ['thought', 'action'], step.response, conversation.losses)
  const { response, thought, action, observation } = step
  const steps = [textOf(thought), textOf(action)].filter((text) => text !== undefined)
  conversation.addMessage('assistant', textOf(response) ?? steps.join('\n'), { place })
  if (!textOf(response)) conversation.losses.noteEach(steps)
  if ((observation ?? undefined) === undefined) return
  conversation.addMessage('user', observation, { place, visible: false, metadata: { kind: 'observation' } })
}

const longest = 1000

/** The settings of the run, an object or its JSON text. */
const configOf = (head: JsonObject) => asObject(parseJsonText(head.replay_config, 1))

function factsOf(head: JsonObject, losses: Losses): JsonObject {
  const info = asObject(head.info)
  losses.addFields(head, headFields)
  if (Array.isArray(head.trajectory) && (Array.isArray(head.history) || Array.isArray(head.messages))) {
    losses.drop('step of the trajectory', reasons.othersRead, head.trajectory.length)
    losses.noteAll(head.trajectory)
  }
  const numbers = Object.entries(asObject(info.model_stats)).filter(([, value]) => typeof value === 'number')
  const submission = textOf(info.submission)
  const isLong = submission !== undefined && submission.length > longest
  if (isLong) losses.dropValue(submission, 'submission', reasons.shortMetadata)
  return {
    ...textsAt(head, ['environment']),
    ...textsAt(info, ['exit_status']),
    ...(submission !== undefined && !isLong && { submission }),
    ...(numbers.length > 0 && { model_stats: Object.fromEntries(numbers) }),
  }
}

/** `{ agent: { model: { name } } }`, or `{ model: { model_name } }` of mini-SWE-agent. */
function modelOf(config: unknown): string | undefined {
  if (!isObject(config)) return undefined
  const agent = asObject(config.agent)
  const model = isObject(agent.model) ? agent.model : asObject(config.model)
  return textOf(model.name) ?? textOf(model.model_name)
}
