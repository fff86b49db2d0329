import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { defineFormat } from '../../declared/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf, wordSet } from '../../json/index.js'
import { addBlocks, openaiMessage } from '../../messages/index.js'
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

/** The model of the records that follow, and the prompts whose messages did not come yet. */
interface Progress {
  model?: unknown
  prompts: Map<string, number>
}

const progressOf = new WeakMap<ConversationBuilder, Progress>()

/** Count a prompt up or down. */
function count(prompts: Progress['prompts'], prompt: string, by: number): void {
  prompts.set(prompt, (prompts.get(prompt) ?? 0) + by)
}

function addRecord(record: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type, role, time: at, message, event, summary } = record
  const progress: Progress = progressOf.get(conversation) ?? { prompts: new Map() }
  progressOf.set(conversation, progress)
  progress.model = record.model ?? record.modelAlias ?? progress.model
  const context = { place, at, model: progress.model }
  if (role !== undefined) addOlder(record, place, conversation)
  else if (type === 'turn.prompt' || type === 'turn.steer') count(progress.prompts, JSON.stringify(record.input), 1)
  else if (type === 'context.append_message') {
    const { content } = asObject(message)
    const prompt = JSON.stringify(content)
    if ((progress.prompts.get(prompt) ?? 0) > 0) {
      count(progress.prompts, prompt, -1)
      conversation.losses.note(content)
      conversation.losses.add('merged', 'prompt', reasons.repeated)
    }
    addMessage(asObject(message), context, conversation)
  } else if (type === 'context.append_loop_event') addEvent(asObject(event), context, conversation)
  else if (type === 'context.apply_compaction' && textOf(summary) !== undefined)
    conversation.addMessage('system', summary, { place, at, metadata: { kind: 'compaction' } })
  else if (type === 'context.undo' || type === 'context.clear')
    conversation.losses.drop(`record of type "${type}"`, 'the messages before it are kept')
  else if (typeof record.systemPrompt === 'string' && conversation.size === 0)
    conversation.addMessage('system', record.systemPrompt, { place, at })
  else if (record.tools !== undefined) conversation.losses.addField('tools', record.tools)
}

/** Whom the user is; other origins are texts of the program. */
const users = wordSet('user skill_activation plugin_command')

function addMessage(message: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
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
  const own = { ...context, message: event.stepUuid ?? event.turnId }
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
