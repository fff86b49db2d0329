import { defineFormat, type Note, textPart } from '../../contract/index.js'
import { asList, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'

export const claudeAiExport = defineFormat({
  id: 'claude-ai-export',
  title: 'claude.ai data export',
  accepts: '{ "uuid", "name", "chat_messages": [{ "uuid", "sender", "text", "content"? }] }, or an array of these',
  signature: { 'chat_messages[]': 0.97 },
  // A conversation that was opened and left.
  empty: 'uuid created_at account.uuid',
  conversation: {
    name: 'name',
    externalId: 'uuid',
    externalUserId: 'account.uuid',
    modelName: 'model',
    sourceTimestamp: 'created_at',
    metadata: { summary: 'summary', project: 'project.name' },
  },
  messages: 'chat_messages',
  tree: { id: 'uuid', parent: 'parent_message_uuid', last: 'current_leaf_message_uuid' },
  role: 'sender',
  roles: { user: 'human', assistant: 'assistant' },
  text: partsIn,
  time: 'created_at',
  structure: 'file_kind platform',
})

/** The text that stands in place of tool calls and results. */
const unsupported = '```\nThis block is not supported on your current device yet.\n```'

/** The content, which the text repeats; older exports have only the text. Files stand in three lists. */
function partsIn(message: JsonObject, note: Note): unknown[] {
  const { content, text, attachments, files, files_v2: more } = message
  const hasBlocks = objectsOf(content).some((block) => block.type !== 'text' || textOf(block.text) !== undefined)
  const blocks = hasBlocks ? asList(content) : textPart(text)
  const texts = objectsOf(blocks).flatMap((block) => textOf(block.text)?.trim() ?? [])
  const rest = texts.reduce(
    (left, each) => left.replace(each, () => ''),
    (textOf(text) ?? '').replaceAll(unsupported, ''),
  )
  if (hasBlocks && rest.trim() === '') note(text)
  const ids = new Set<unknown>()
  const listed = [attachments, files, more].flatMap((list) => asList(list))
  return [...blocks, ...listed.flatMap((file) => (isObject(file) && isRepeated(file, ids) ? [] : [partOf(file, note)]))]
}

function isRepeated(file: JsonObject, ids: Set<unknown>): boolean {
  const id = file.file_uuid ?? file.uuid ?? file.id
  const isRepeated = id !== undefined && ids.has(id)
  ids.add(id)
  return isRepeated
}

function partOf(file: unknown, note: Note): unknown {
  if (!isObject(file)) return file
  const { file_name: name, extracted_content: extracted, file_kind: kind } = file
  note(textOf(name))
  if (textOf(extracted) === undefined)
    return { type: kind === 'image' ? 'image' : 'file', ...(textOf(name) && { file_name: name }) }
  note(extracted)
  return { type: 'text', text: `[file: ${textOf(name) ?? 'pasted text'}]\n${extracted}` }
}
