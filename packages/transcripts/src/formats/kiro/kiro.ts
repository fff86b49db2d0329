import { defineFormat, type FileRecord, type Format, type FormatDeclaration } from '../../contract/index.js'
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
  text: ({ data }) => {
    const { content } = asObject(data)
    return Array.isArray(content) ? objectsOf(content).map(blockOf) : content
  },
  time: 'data.meta.timestamp',
  structure: 'version kind message_id toolUseId status signature format',
})

/**
 * The format, in which the pieces of an answer are one record: lines with the same id continue the text. A declaration reads each
 * record by itself, so that they are put together before it.
 */
function joined(declaration: FormatDeclaration<'kiro'>): Format<'kiro'> {
  const ofLines = defineFormat(declaration)
  return {
    ...ofLines,
    reader(context) {
      const inner = ofLines.reader(context)
      let held: Held | undefined
      const flush = () => (held === undefined ? [] : inner.read(wholeOf(held)))
      return {
        ...inner,
        read(record) {
          if (held && continues(held.record.value, record.value)) {
            held.blocks ??= blocksIn(held.record)
            const note = (text: string) => context.account.note(text)
            for (const block of blocksIn(record)) addBlock(held.blocks, block, note)
            return []
          }
          const drafts = flush()
          held = { record }
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

/** An answer, with the blocks of its pieces if it has several. */
interface Held {
  record: FileRecord
  blocks?: JsonObject[]
}

const wholeOf = ({ record, blocks }: Held): FileRecord => {
  const value = asObject(record.value)
  return blocks ? { ...record, value: { ...value, data: { ...asObject(value.data), content: blocks } } } : record
}

/** True for a record that is the next piece of the same answer. */
function continues(record: unknown, next: unknown): boolean {
  const [one, other] = [asObject(record), asObject(next)]
  const id = textOf(asObject(other.data).message_id)
  if (other.kind !== 'AssistantMessage' || one.kind !== other.kind) return false
  return id !== undefined && id === asObject(one.data).message_id
}

const blocksIn = ({ value }: FileRecord) => objectsOf(asObject(asObject(value).data).content)

/** Texts that were put together of several. */
const joinedTexts = new WeakSet<JsonObject>()

/** Add a block, or its text to the text before it. Both texts are noted, each once. */
function addBlock(blocks: JsonObject[], block: JsonObject, note: (text: string) => void): void {
  const last = blocks.at(-1)
  const isText = block.kind === 'text' && last?.kind === 'text'
  if (!isText || typeof block.data !== 'string' || typeof last.data !== 'string') return void blocks.push(block)
  if (!joinedTexts.has(last)) note(last.data)
  note(block.data)
  const both = { ...last, data: `${last.data}${block.data}` }
  joinedTexts.add(both)
  blocks[blocks.length - 1] = both
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
