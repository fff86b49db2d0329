import { defineFormat, type Piece } from '../../contract/index.js'
import { asList, asObject, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import type { Losses, Placed } from '../../model/index.js'

/** Sessions of the Kiro CLI. The id of a session is the name of its file. */
export const kiro = defineFormat({
  id: 'kiro',
  title: 'Kiro session',
  accepts:
    'lines { "version", "kind": "Prompt" | "AssistantMessage" | "ToolResults", "data": { "content": [{ "kind", "data" }] } }',
  signature: {
    'kind=Prompt|AssistantMessage|ToolResults data.content[].kind': 0.97,
    'version=v* kind data': 0.6,
  },
  log: true,
  join: (records) => [{ value: {}, messages: (losses) => answersOf(records, losses) }],
  role: 'kind',
  roles: { user: 'Prompt ToolResults', assistant: 'AssistantMessage', omitted: '*' },
  text: ({ data }) => {
    const { content } = asObject(data)
    return Array.isArray(content) ? objectsOf(content).map(blockOf) : content
  },
  time: 'data.meta.timestamp',
  structure: 'version kind message_id toolUseId status signature format',
})

/** The messages of the records. Records of one answer that follow each other are its pieces, whose texts continue. */
function answersOf(records: readonly Piece[], losses: Losses): Placed[] {
  const messages: Piece[] = []
  for (const { value, place } of records) {
    const last = messages.at(-1)
    const [data, before] = [asObject(value.data), asObject(last?.value.data)]
    const id = textOf(data.message_id)
    const isPiece = value.kind === 'AssistantMessage' && id !== undefined && id === before.message_id
    if (last === undefined || !isPiece || last.value.kind !== value.kind) messages.push({ value, place })
    else {
      const content = objectsOf(data.content).reduce(withBlock(losses), objectsOf(before.content))
      last.value = { ...last.value, data: { ...before, content } }
    }
  }
  return messages
}

/** Texts that were put together of several. */
const joinedTexts = new WeakSet<JsonObject>()

/** Add a block, or its text to the text before it. Both texts are noted, each once. */
const withBlock =
  (losses: Losses) =>
  (blocks: readonly JsonObject[], block: JsonObject): JsonObject[] => {
    const last = blocks.at(-1)
    const isText = block.kind === 'text' && last?.kind === 'text'
    if (!isText || typeof block.data !== 'string' || typeof last.data !== 'string') return [...blocks, block]
    if (!joinedTexts.has(last)) losses.note(last.data)
    losses.note(block.data)
    const both = { ...last, data: `${last.data}${block.data}` }
    joinedTexts.add(both)
    return [...blocks.slice(0, -1), both]
  }

/** A block as Anthropic has it. */
function blockOf({ kind, data }: JsonObject): JsonObject {
  const { toolUseId, name, input, status, content, text } = asObject(data)
  if (kind === 'text') return { type: 'text', text: data }
  if (kind === 'thinking') return { type: 'thinking', thinking: text }
  if (kind === 'toolUse') return { type: 'tool_use', id: toolUseId, name, input }
  if (kind === 'toolResult') {
    return {
      type: 'tool_result',
      tool_use_id: toolUseId,
      content: resultOf(content),
      is_error: status === 'error',
    }
  }
  return { type: textOf(kind) ?? 'unknown' }
}

/** A result is a list of texts and of data. */
function resultOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? ''
  return asList(content).map((part) => {
    const { data = part } = isObject(part) ? part : {}
    return { type: 'text', text: data }
  })
}
