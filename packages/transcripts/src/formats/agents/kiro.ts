import type { FileRecord, Format } from '../../contract/index.js'
import { defineFormat, type FormatDeclaration, type Note } from '../../declared/index.js'
import { asList, asObject, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'

/** Sessions of the Kiro CLI. The id of a session is the name of its file. */
export const kiro = joined({
  id: 'kiro',
  title: 'Kiro session',
  accepts:
    'lines { "version", "kind": "Prompt" | "AssistantMessage" | "ToolResults", "data": { "content": [{ "kind", "data" }] } }',
  signature: {
    'kind=Prompt|AssistantMessage|ToolResults data.content[].kind': 0.97,
    'version=v* kind data': 0.6,
  },
  role: 'kind',
  roles: { user: 'Prompt ToolResults', assistant: 'AssistantMessage', omitted: '*' },
  text: ({ data }, note) => {
    const { content } = asObject(data)
    return Array.isArray(content) ? objectsOf(content).map((block) => blockOf(block, note)) : content
  },
  time: 'data.meta.timestamp',
  structure: 'version kind message_id toolUseId status signature format',
})

/** The format, in which the pieces of an answer are one record: lines with the same id continue the text. */
function joined(declaration: FormatDeclaration<'kiro'>): Format<'kiro'> {
  const ofLines = defineFormat(declaration)
  return {
    ...ofLines,
    reader(context) {
      const inner = ofLines.reader(context)
      let held: FileRecord | undefined
      const flush = () => (held === undefined ? [] : inner.read(held))
      return {
        read(record) {
          const value =
            held && continued(asObject(held.value), asObject(record.value), (text) => context.account.note(text))
          if (held && value) {
            held = { ...held, value }
            return []
          }
          const drafts = flush()
          held = record
          return drafts
        },
        *end() {
          yield* flush()
          yield* inner.end()
        },
      }
    },
  }
}

/** A record with the content of the next one, if that is the next piece of the same answer. */
function continued(record: JsonObject, next: JsonObject, note: Note): JsonObject | undefined {
  const [data, more] = [asObject(record.data), asObject(next.data)]
  if (next.kind !== 'AssistantMessage' || record.kind !== next.kind) return undefined
  if (textOf(more.message_id) === undefined || more.message_id !== data.message_id) return undefined
  const content = objectsOf(data.content)
  for (const block of objectsOf(more.content)) {
    const last = content.at(-1)
    const isText = typeof block.data === 'string' && typeof last?.data === 'string' && block.kind === 'text'
    if (isText && last?.kind === 'text') {
      note([last.data, block.data])
      content[content.length - 1] = { ...last, data: `${last.data}${block.data}` }
    } else content.push(block)
  }
  return { ...record, data: { ...data, content } }
}

/** A block as Anthropic has it. */
function blockOf({ kind, data }: JsonObject, note: Note): JsonObject {
  const { toolUseId, name, input, status, content, text } = asObject(data)
  if (kind === 'text') return { type: 'text', text: data }
  if (kind === 'thinking') return { type: 'thinking', thinking: text }
  if (kind === 'toolUse') return { type: 'tool_use', id: toolUseId, name, input }
  if (kind === 'toolResult') {
    return {
      type: 'tool_result',
      tool_use_id: toolUseId,
      content: resultOf(content, note),
      is_error: status === 'error',
    }
  }
  return { type: textOf(kind) ?? 'unknown' }
}

/** A result is a list of texts and of data. */
function resultOf(content: unknown, note: Note): unknown {
  if (!Array.isArray(content)) return content ?? ''
  return asList(content).map((part) => {
    const { data = part } = isObject(part) ? part : {}
    note(data)
    return { type: 'text', text: typeof data === 'string' ? data : JSON.stringify(data) }
  })
}
