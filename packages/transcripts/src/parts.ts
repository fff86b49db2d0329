import { isObject } from './json.js'
import type { Losses } from './losses.js'

/** A part that is no text. Sizes are of the decoded bytes; base64 itself is never kept. */
export interface Media {
  kind: 'image' | 'audio' | 'video' | 'file'
  mime_type?: string
  bytes?: number
  url?: string
  name?: string
}

/** Content parts as text, one part a line; media as placeholders such as `[image: image/png, 34 KB]`. */
export function partsToText(parts: readonly unknown[], losses: Losses): { text: string; media: Media[] } {
  const texts: string[] = []
  const media: Media[] = []
  for (const part of parts) {
    const text = textOf(part)
    const medium = text === undefined ? mediaOf(part) : undefined
    if (text !== undefined) texts.push(text)
    else if (medium) {
      texts.push(placeholder(medium))
      media.push(medium)
      losses.add('dropped', `${medium.kind} part`)
    } else losses.add('dropped', `${typeName(part)} part`)
  }
  return { text: texts.join('\n'), media }
}

function textOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  if (!isObject(part)) return undefined
  if (typeof part.text === 'string') return part.text
  return typeof part.refusal === 'string' ? part.refusal : undefined
}

function typeName(part: unknown): string {
  return isObject(part) && typeof part.type === 'string' ? part.type.slice(0, 40) : 'unknown'
}

function mediaOf(part: unknown): Media | undefined {
  if (!isObject(part)) return undefined
  const inner = isObject(part.file) ? part.file : part
  switch (part.type) {
    case 'image_url':
    case 'input_image':
      return { kind: 'image', ...source(part.image_url) }
    case 'video_url':
      return { kind: 'video', ...source(part.video_url) }
    case 'input_audio':
      return { kind: 'audio', ...audio(part.input_audio) }
    case 'file':
    case 'input_file': {
      const name = inner.filename ?? inner.file_id
      const named = typeof name === 'string' ? { name } : {}
      return { kind: 'file', ...named, ...source(inner.file_data ?? inner.file_url) }
    }
    default:
      return undefined
  }
}

function audio(value: unknown): Omit<Media, 'kind'> {
  if (!isObject(value)) return {}
  const type = typeof value.format === 'string' ? { mime_type: `audio/${value.format}` } : {}
  return typeof value.data === 'string' ? { ...type, bytes: decodedLength(value.data) } : type
}

/** A URL, a data URL, or bare base64, given as a string or as `{ url }`. */
function source(value: unknown): Omit<Media, 'kind'> {
  const url = isObject(value) ? value.url : value
  if (typeof url !== 'string') return {}
  if (url.startsWith('data:')) {
    const head = url.slice(5, url.indexOf(',') + 1)
    const type = /^[^;,]+/.exec(head)?.[0]
    const bytes = decodedLength(url, url.indexOf(',') + 1)
    return type === undefined ? { bytes } : { mime_type: type, bytes }
  }
  if (!/^[a-z][a-z\d+.-]*:/i.test(url)) return { bytes: decodedLength(url) }
  return { url: url.length > 500 ? `${url.slice(0, 500)}…` : url }
}

function decodedLength(base64: string, from = 0): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor(((base64.length - from) * 3) / 4) - padding)
}

function placeholder({ kind, name, url, mime_type, bytes }: Media): string {
  const facts = [name, url, mime_type, bytes === undefined ? undefined : size(bytes)].filter(
    (fact) => fact !== undefined,
  )
  return facts.length === 0 ? `[${kind}]` : `[${kind}: ${facts.join(', ')}]`
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
