import { isObject, type JsonObject } from '../json/index.js'
import { type Losses, reasons } from '../model/index.js'
import { countUnreadSentences } from './facts.js'
import { type Media, mediaOf, placeholder } from './media.js'

/** The content of a message: its text, its media, and the model's thoughts. */
export interface Content {
  text: string
  media: Media[]
  thinking: string[]
}

/**
 * The content of a message of any provider: a text, an array of parts (one part a line), one part, or nothing. Media
 * become placeholders such as `[image: image/png, 34 KB]`. A part that is neither is dropped and counted; calls and
 * results are no content, and a format takes them out beforehand.
 */
export function contentOf(content: unknown, losses: Losses): Content {
  if (typeof content === 'string') return { text: content, media: [], thinking: [] }
  if (content === undefined || content === null) return { text: '', media: [], thinking: [] }
  const found: Content = { text: '', media: [], thinking: [] }
  const texts: string[] = []
  for (const part of listOf(content)) {
    const thought = thoughtOf(part)
    const text = thought === undefined ? textOf(part) : undefined
    const medium = text === undefined && thought === undefined ? mediaOf(part) : undefined
    if (thought !== undefined) {
      found.thinking.push(thought)
      if (isObject(part)) countUnreadSentences(part, thoughtFields, 'part ', losses)
      if (isObject(part)) countThoughts(part, losses)
    } else if (text !== undefined) {
      texts.push(text)
      countPart(part, losses)
    } else if (medium) {
      texts.push(placeholder(medium))
      found.media.push(medium)
      losses.drop(`${medium.kind} part`, reasons.placeholder)
    } else losses.drop(`${typeName(part)} part`)
  }
  found.text = texts.join('\n')
  return found
}

/** Counts what nobody reads of a part that is text. */
export function countPart(part: unknown, losses: Losses): void {
  if (!isObject(part) || textOf(part) === undefined) return
  countUnreadSentences(part, textFields, 'part ', losses)
  losses.addOthers(part, wordFields, 'part ')
  for (const field of wordFields)
    if (typeof part[field] === 'object') losses.addTexts({ [field]: part[field] }, none, 'part ')
}

function listOf(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) return [content]
  return content.some(Array.isArray) ? content.flat() : content
}

/** The fields of a text part that are read or only point into the text. */
const textFields = new Set('type text refusal content value annotations citations logprobs'.split(' '))

const none: ReadonlySet<string> = new Set()

/** In the order in which they are asked. */
const wordFields = ['text', 'refusal', 'content', 'value']

function textOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  if (!isObject(part)) return undefined
  if (typeof part.text === 'string') return part.text
  if (typeof part.refusal === 'string') return part.refusal
  if (!isText(part)) return undefined
  if (typeof part.content === 'string') return part.content
  return typeof part.value === 'string' ? part.value : undefined
}

function isText({ type }: JsonObject): boolean {
  return type === 'text' || type === 'input_text' || type === 'output_text'
}

const thinkingTypes = new Set(['thinking', 'redacted_thinking', 'reasoning', 'reasoning_text', 'thoughts', 'thought'])

const placesOfThoughts = ['thinking', 'reasoning', 'text', 'content', 'value', 'summary']
/** The fields that are read of a thought; its signature is no text. */
const thoughtFields = new Set([...placesOfThoughts, 'type', 'thought', 'signature', 'data', 'encrypted_content'])

/** Counts those that stand beside the one that is read. */
function countThoughts(part: JsonObject, losses: Losses): void {
  const readable = placesOfThoughts.filter((field) => thoughtAt(part[field]) !== undefined)
  losses.addOthers(part, readable, 'part ')
  for (const field of placesOfThoughts) {
    if (!readable.includes(field) && typeof part[field] === 'object') losses.addField(field, part[field], 'part ')
  }
}

/** The thought in a part; empty if it is hidden, undefined if the part is no thought. */
function thoughtOf(part: unknown): string | undefined {
  if (!isObject(part)) return undefined
  if (part.thought !== true && !(typeof part.type === 'string' && thinkingTypes.has(part.type))) return undefined
  for (const field of placesOfThoughts) {
    const text = thoughtAt(part[field])
    if (text !== undefined) return text
  }
  return ''
}

/** A text, or the texts of a list. */
function thoughtAt(value: unknown): string | undefined {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : undefined
  const texts = value.map(textOf).filter((text) => text !== undefined)
  return texts.length === 0 ? undefined : texts.join('\n')
}

function typeName(part: unknown): string {
  return isObject(part) && typeof part.type === 'string' ? part.type.slice(0, 40) : 'unknown'
}
