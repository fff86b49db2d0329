import { asObject, isObject, type JsonObject } from '../json/index.js'
import { type Losses, reasons } from '../model/index.js'
import { type Media, mediaOf, placeholder } from './media.js'

export interface Content {
  text: string
  media: Media[]
  thinking: string[]
}

/**
 * The content of a message of any provider: a text, an array of parts (one line each), one part, or nothing. Media
 * become placeholders such as `[image: image/png, 34 KB]`. A value in the place of a text is its text (see `textOfValue`).
 * A part of any other type is dropped and counted, so a format removes calls and results first.
 */
export function contentOf(content: unknown, losses: Losses): Content {
  if (typeof content === 'string') {
    losses.note(content)
    return { text: content, media: [], thinking: [] }
  }
  if (content === undefined || content === null) return { text: '', media: [], thinking: [] }
  const found: Content = { text: '', media: [], thinking: [] }
  const texts: string[] = []
  for (const part of listOf(content)) {
    const thought = thoughtOf(part)
    const text = thought === undefined ? partText(part) : undefined
    const medium = text === undefined && thought === undefined ? mediaOf(part, losses) : undefined
    if (thought !== undefined) {
      found.thinking.push(thought)
      noteSame(part, thoughtTextFields, thoughtTextOf, thought, losses)
    } else if (text !== undefined) {
      texts.push(text)
      if (!isObject(part) || isData(part)) losses.noteAll(part)
      noteSame(part, textPartFields, textOfValue, text, losses)
    } else if (medium) {
      texts.push(placeholder(medium))
      found.media.push(medium)
      losses.drop(`${medium.kind} part`, reasons.placeholder)
    } else losses.dropValue(part, `${typeName(part)} part`)
  }
  found.text = texts.join('\n')
  return found
}

/** Note each field that says the same: the format of a part may repeat its text. */
function noteSame(
  part: unknown,
  fields: readonly string[],
  read: (value: unknown) => string | undefined,
  text: string,
  losses: Losses,
): void {
  if (!isObject(part)) return
  for (const field of fields) {
    const value = part[field]
    if (read(value) !== text) continue
    if (typeof value !== 'object' || JSON.stringify(value) === text) losses.noteAll(value)
    else losses.noteEach(Array.isArray(value) ? value.map(partText) : [asObject(value).value])
  }
}

function listOf(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) return [content]
  return content.some(Array.isArray) ? content.flat() : content
}

/** In the order of preference. */
const textPartFields = ['text', 'refusal', 'content', 'value']

function partText(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  if (!isObject(part)) return textOfValue(part)
  if (typeof part.text === 'string') return part.text
  if (typeof part.refusal === 'string') return part.refusal
  const isText = part.type === 'text' || part.type === 'input_text' || part.type === 'output_text'
  const own = part.text ?? (isText ? (part.content ?? part.value) : undefined)
  if (own !== undefined && own !== null) return textOfValue(own)
  return isData(part) && mediaOf(part) === undefined ? textOfValue(part) : undefined
}

/** True for an object without a type and a text. */
const isData = (part: JsonObject) =>
  typeof part.type !== 'string' && textPartFields.every((field) => (part[field] ?? undefined) === undefined)

/**
 * The text of a value that stands in the place of a text: a number or a truth value as it is written, an object that has a
 * text as its `value`, any other object or list as JSON. Undefined for nothing, and for bytes.
 */
export function textOfValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return undefined
  if (isObject(value) && typeof value.value === 'string') return value.value
  const text = JSON.stringify(value)
  return bytes.test(text) ? undefined : text
}

/** Base64 of more than a few words. */
const bytes = /[\w+/]{400}/

const thinkingTypes = new Set(['thinking', 'redacted_thinking', 'reasoning', 'reasoning_text', 'thoughts', 'thought'])

const thoughtTextFields = ['thinking', 'reasoning', 'text', 'content', 'value', 'summary']
/** The thought in a part; empty if it is redacted, undefined if the part is not a thought. */
function thoughtOf(part: unknown): string | undefined {
  if (!isObject(part)) return undefined
  if (part.thought !== true && !(typeof part.type === 'string' && thinkingTypes.has(part.type))) return undefined
  for (const field of thoughtTextFields) {
    const text = thoughtTextOf(part[field])
    if (text !== undefined) return text
  }
  return ''
}

function thoughtTextOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return textOfValue(value)
  const texts = value.map(partText).filter((text) => text !== undefined)
  return texts.length === 0 ? undefined : texts.join('\n')
}

function typeName(part: unknown): string {
  return isObject(part) && typeof part.type === 'string' ? part.type.slice(0, 40) : 'unknown'
}
