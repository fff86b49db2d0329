import { addBlocks, countUnknownRole, defineFormat, openaiMessage } from '../../contract/index.js'
import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf, wordSet } from '../../json/index.js'
import { type Place, reasons, within } from '../../model/index.js'

/** Sessions of the Kimi CLI: the records of `wire.jsonl`, or the messages of the older `context.jsonl`. */
export const kimi = defineFormat({
  id: 'kimi',
  title: 'Kimi session',
  accepts:
    'lines { "type": "context.append_message" | "context.append_loop_event" | …, "time" }, or { "role", "content" }',
  signature: {
    'type=metadata protocol_version': 0.98,
    'type=context.* time': 0.95,
    'type=context.append_message message': 0.95,
    'type=context.append_loop_event event': 0.95,
    'type=turn.*|llm.*|config.*|profile.*|tools.*|usage.*|permission.*|plugin.*|runtime.* time': 0.9,
    'type=token_counting.*|goal.*|cron.*|forked|file_history.*|full_compaction.* time': 0.9,
    'role=_checkpoint|_usage|_system_prompt': 0.97,
    // The messages of an older session are as those of OpenAI, which a file without a checkpoint is.
    'role=user|assistant|tool content': 0.2,
  },
  header: 'type=metadata protocol_version',
  conversation: { sourceTimestamp: 'created_at' },
  addMessage: addRecord,
  structure: `protocol_version profileName thinkingEffort uuid turnId stepUuid parentUuid toolCallId finishReason kind agentId hash
    messageId provider maxTokens systemPromptHash toolsHash attempt turnStep operation usageScope names modelAlias`,
})

/** The model of the records that follow, and the parts of prompts whose messages did not come yet, each by its JSON. */
interface Progress {
  model?: unknown
  prompts: Map<string, number>
}

const progressOf = new WeakMap<ConversationBuilder, Progress>()

function addRecord(record: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type, role, time: at, message, event, summary } = record
  const progress: Progress = progressOf.get(conversation) ?? { prompts: new Map() }
  progressOf.set(conversation, progress)
  progress.model = record.model ?? record.modelAlias ?? progress.model
  // A record may name its model twice.
  conversation.losses.noteWord(record.model)
  conversation.losses.noteWord(record.modelAlias)
  const context = { place, at, model: progress.model }
  if (role !== undefined) addOlder(record, place, conversation)
  else if (type === 'turn.prompt' || type === 'turn.steer') {
    addMessage({ role: 'user', content: record.input, origin: record.origin }, context, conversation)
    for (const key of partsOf(record.input).map(keyOf)) progress.prompts.set(key, (progress.prompts.get(key) ?? 0) + 1)
  } else if (type === 'context.append_message')
    addMessage(withoutPrompt(asObject(message), progress.prompts, conversation), context, conversation)
  else if (type === 'context.append_loop_event') addEvent(asObject(event), context, conversation)
  else if (type === 'context.apply_compaction' && textOf(summary) !== undefined)
    conversation.addMessage('system', summary, { place, at, metadata: { kind: 'compaction' } })
  else if (type === 'context.undo' || type === 'context.clear')
    conversation.losses.drop(`record of type "${type}"`, 'the messages before it are kept')
  else if (textOf(record.systemPrompt) !== undefined && conversation.size === 0)
    conversation.addMessage('system', record.systemPrompt, { place, at })
  else if (record.tools !== undefined) conversation.losses.addField('tools', record.tools)
}

const partsOf = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : [content])

const contentOf = (part: unknown) => asObject(part).text ?? part
const keyOf = (part: unknown) => JSON.stringify(contentOf(part))

/** A message of the user without the parts that it repeats of a prompt. Versions before 1.5 have only the prompt. */
function withoutPrompt(
  message: JsonObject,
  prompts: Progress['prompts'],
  { losses }: ConversationBuilder,
): JsonObject | undefined {
  if (message.role !== 'user') return message
  const parts = partsOf(message.content)
  const added = parts.filter((part) => {
    const count = prompts.get(keyOf(part)) ?? 0
    if (count > 0) prompts.set(keyOf(part), count - 1)
    return count === 0
  })
  if (added.length === parts.length) return message
  losses.noteEach(parts.filter((part) => !added.includes(part)).map(contentOf))
  losses.add('merged', 'prompt', reasons.repeated)
  return added.length === 0 ? undefined : { ...message, content: added }
}

/** Whom the user is; other origins are texts of the program. */
const users = wordSet('user skill_activation plugin_command')

function addMessage(message: JsonObject | undefined, context: MessageContext, conversation: ConversationBuilder): void {
  if (message === undefined) return
  const { role, content, origin, toolCalls } = message
  const { kind, name } = asObject(origin)
  const own = { ...context, message }
  if (role === 'tool') {
    return conversation.addToolResult(
      { id: message.toolCallId, output: content, error: message.isError === true },
      context,
    )
  }
  if (role === 'assistant') {
    addBlocks('assistant', content, own, conversation)
    const calls = objectsOf(toolCalls).map((call) => {
      const { name: called = call.name, arguments: args = call.arguments } = asObject(call.function)
      return { id: call.id, name: called, args }
    })
    return conversation.addToolCalls(calls, own)
  }
  if ((role !== 'user' && role !== 'system') || (kind !== undefined && typeof kind !== 'string'))
    countUnknownRole('system', conversation.losses)
  const isUser =
    role === 'user' && (kind === undefined || users.has(kind) || name === 'subagent') && !isInjected(content)
  if (isUser) addBlocks('user', content, own, conversation)
  else addBlocks('system', content, { ...own, metadata: { kind: 'injected' } }, conversation)
}

/** True for a text that the program says as the user. */
function isInjected(content: unknown): boolean {
  const [first] = Array.isArray(content) ? content : [content]
  const text = isObject(first) ? first.text : first
  return typeof text === 'string' && /^\s*<system(?:-reminder)?>/.test(text)
}

/** A part of an answer, a call or its result. The parts of a step are one message. */
function addEvent(event: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const { type, part, toolCallId: id, name, args, display } = event
  const own = { ...context, message: event.stepUuid ?? JSON.stringify([event.turnId, event.step]) }
  const { type: kind, think } = asObject(part)
  if (type === 'content.part' && kind === 'think') conversation.addThinking(textOf(think) ?? '', own)
  else if (type === 'content.part') conversation.addMessage('assistant', [part], own)
  else if (type === 'tool.call') {
    conversation.addToolCalls([{ id, name, args }], own)
    conversation.losses.addField('display', display, '', reasons.besideRead)
  } else if (type === 'tool.result') {
    const { output, isError } = asObject(event.result)
    const { place, at } = context
    conversation.addToolResult({ id, output: output ?? event.result, error: isError === true }, { place, at })
  }
}

/** A line of an older session: a message of OpenAI, or a mark of the program. */
function addOlder(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { role, content } = message
  if (role === '_system_prompt') conversation.addMessage('system', content, { place: within(place, 'content') })
  else if (typeof role === 'string' && role.startsWith('_')) return
  else if (role === 'user' && isInjected(content))
    conversation.addMessage('system', content, { place, metadata: { kind: 'injected' } })
  else {
    const parts = Array.isArray(content)
      ? content.map((part) => (asObject(part).type === 'think' ? thinkingPart(part) : part))
      : content
    openaiMessage.add({ ...message, content: parts }, place, conversation)
  }
}

const thinkingPart = (part: unknown) => ({ type: 'thinking', thinking: asObject(part).think })
