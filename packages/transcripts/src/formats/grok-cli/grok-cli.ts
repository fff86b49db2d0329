import { addBlocks, defineFormat, textPart } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { ofType, type Place, reasons } from '../../model/index.js'

/** Sessions of the Grok CLI and of its sub-agents: `chat_history.jsonl`, whose lines have no times. */
export const grokCli = defineFormat({
  id: 'grok-cli',
  title: 'Grok CLI session',
  accepts:
    'lines { "type": "system" | "user" | "assistant" | "reasoning" | "tool_result" | "backend_tool_call", "content" }',
  signature: {
    'type=assistant content model_id': 0.97,
    'type=user content[].type prompt_index': 0.97,
    'type=user content[].type synthetic_reason': 0.97,
    'type=tool_result tool_call_id': 0.95,
    'type=backend_tool_call kind.tool_type': 0.97,
    'type=reasoning summary[]': 0.3,
    'type=system content': 0.3,
    'type=user content[].type': 0.3,
  },
  header: 'type=system content',
  system: 'content',
  addMessage,
  structure: 'encrypted_content model_fingerprint reasoning_effort synthetic_reason status',
})

function addMessage(line: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type, content, model_id: model } = line
  const context = { place, model, message: line }
  const { losses } = conversation
  if (type === 'user') addUser(line, place, conversation)
  else if (type === 'assistant') {
    const thought = textOf(asObject(line.reasoning).text)
    if (thought !== undefined) conversation.addThinking(thought, context)
    const calls = objectsOf(line.tool_calls).map(({ id, name, arguments: args }) => ({ id, name, args }))
    if (calls.length === 0 || textOf(content) !== undefined) addBlocks('assistant', content, context, conversation)
    conversation.addToolCalls(calls, context)
    losses.addField('raw_output', line.raw_output, '', reasons.besideRead)
  } else if (type === 'reasoning') {
    for (const { text } of objectsOf(line.summary)) conversation.addThinking(textOf(text) ?? '', { place })
  } else if (type === 'tool_result') {
    const images = objectsOf(line.images)
    const output = images.length === 0 ? content : [...textPart(content), ...images]
    conversation.addToolResult({ id: line.tool_call_id, output }, { place })
  } else if (type === 'backend_tool_call') {
    const { id, tool_type: name, action } = asObject(line.kind)
    conversation.addToolCalls([{ id, name, args: action }], context)
  } else losses.dropValue(line, ofType('line', textOf(type) ?? ''), reasons.unknown)
}

/** A message of the user without the mark around it, or of the program, which says why it wrote it. */
function addUser(
  { content, synthetic_reason: why }: JsonObject,
  place: Place,
  conversation: ConversationBuilder,
): void {
  const isUser = why === undefined || why === null || why === 'interjection'
  const parts = Array.isArray(content)
    ? content.map((part) => {
        const text = isObject(part) ? textOf(part.text) : undefined
        if (text === undefined) return part
        conversation.losses.note(text)
        return { ...part, text: typedIn(text) }
      })
    : content
  const metadata = isUser ? undefined : { kind: 'injected', reason: textOf(why) }
  addBlocks(isUser ? 'user' : 'system', parts, { place, metadata }, conversation)
}

const typedIn = (text: string) => text.replace(/^\s*<user_query>\n?([\s\S]*?)\n?<\/user_query>\s*$/, '$1')
