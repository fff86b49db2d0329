import { addBlocks } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject } from '../../json/index.js'
import type { Place } from '../../model/index.js'

/** A message to the model: the blocks of Anthropic, among which the program puts its own texts and results. */
export function addApiMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { role, content, ts: at, modelInfo } = message
  if (role !== 'user' && role !== 'assistant') return conversation.report('expected a role of user or assistant', place)
  const { modelId, id: model = modelId } = asObject(modelInfo)
  const context = { place, at, model, message }
  const blocks = Array.isArray(content) ? content.map(asBlock) : content
  if (role === 'assistant' || !Array.isArray(blocks)) return addBlocks(role, blocks, context, conversation)
  const own: unknown[] = []
  const injected: string[] = []
  const results: { name: string; texts: string[] }[] = []
  let isInResult = false
  for (const block of blocks) {
    const text = isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : undefined
    if (text === undefined) {
      own.push(block)
      continue
    }
    conversation.losses.note(text)
    const said = wrapped(text)
    const found = /^\[(\w+)(?:[^\w\]][^\]]*)?\] Result:\n?/.exec(text)
    if (text.trimStart().startsWith('<environment_details>')) injected.push(text)
    else if (found) {
      results.push({ name: found[1] ?? '', texts: [text.slice(found[0].length)].filter(Boolean) })
      isInResult = results.at(-1)?.texts.length === 0
    } else if (isInResult && said === undefined) {
      results.at(-1)?.texts.push(text)
      isInResult = false
    } else {
      const end = said?.startsWith('<mode_notice>') ? said.indexOf(noticeEnd) + noticeEnd.length : 0
      if (said !== undefined && end >= noticeEnd.length) injected.push(said.slice(0, end))
      own.push({ type: 'text', text: end >= noticeEnd.length ? said?.slice(end).trim() : (said ?? text) })
    }
  }
  for (const { name, texts } of results) conversation.addToolResult({ name, output: texts.join('\n') }, { place, at })
  if (own.length > 0) addBlocks('user', own, context, conversation)
  for (const text of injected) conversation.addMessage('system', text, { place, at, metadata: { kind: 'injected' } })
}

/** The end of a text of the program at the beginning of that of the user. */
const noticeEnd = '</mode_notice>'

/** A file or an image of the SDK as a block of Anthropic; results may hold them, too. */
function asBlock(block: unknown): unknown {
  if (!isObject(block)) return block
  const { type, path, content, data, mediaType } = block
  if (type === 'file' && typeof content === 'string')
    return { type: 'document', title: path, source: { type: 'text', data: content } }
  if (type === 'image' && data !== undefined)
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
  return type === 'tool_result' && Array.isArray(content) ? { ...block, content: content.map(asBlock) } : block
}

const tags = ['task', 'feedback', 'user_message', 'answer']

/** The text of the user, without the tag around it. */
function wrapped(text: string): string | undefined {
  const trimmed = text.trim()
  const input = /^<user_input mode="\w+">/.exec(trimmed)?.[0]
  if (input && trimmed.endsWith('</user_input>')) return trimmed.slice(input.length, -'</user_input>'.length).trim()
  const tag = tags.find((name) => trimmed.startsWith(`<${name}>`) && trimmed.endsWith(`</${name}>`))
  return tag === undefined ? undefined : trimmed.slice(tag.length + 2, -tag.length - 3).trim()
}
