import { countSentences } from './facts.js'
import { isObject, type JsonObject } from './json.js'
import { type Losses, noPlace } from './losses.js'
import { mapped } from './mapped.js'
import { type Media, mediaOf, placeholder } from './media.js'

/** What a message says: its words, what stands in them for media, and what the model thought meanwhile. */
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
    if (thought !== undefined) found.thinking.push(thought)
    else if (text !== undefined) {
      texts.push(text)
      if (isObject(part)) countSentences(part, textFields, 'part ', losses)
    } else if (medium) {
      texts.push(placeholder(medium))
      found.media.push(medium)
      losses.add('dropped', `${medium.kind} part`, 'the service stores text; a placeholder stands for it')
    } else losses.add('dropped', `${typeName(part)} part`, noPlace)
  }
  found.text = texts.join('\n')
  return found
}

function listOf(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) return [content]
  return content.some(Array.isArray) ? content.flat() : content
}

/** What is read of a part that is text, and what only points into it. */
export const textFields = new Set('type text refusal content value annotations citations logprobs'.split(' '))

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

/** What the model thought, where a part is that: empty where it is hidden. */
function thoughtOf(part: unknown): string | undefined {
  if (!isObject(part)) return undefined
  if (part.thought !== true && !(typeof part.type === 'string' && thinkingTypes.has(part.type))) return undefined
  for (const field of ['thinking', 'reasoning', 'text', 'content', 'value', 'summary']) {
    const text = part[field]
    if (typeof text === 'string') return text
    if (Array.isArray(text)) return mapped(text, (each) => textOf(each) ?? '').join('\n')
  }
  return ''
}

function typeName(part: unknown): string {
  return isObject(part) && typeof part.type === 'string' ? part.type.slice(0, 40) : 'unknown'
}
