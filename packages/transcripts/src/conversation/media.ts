import { isObject, type JsonObject, textOf, wordsOf } from '../json/index.js'
import type { Losses } from '../model/index.js'

/** A part that is not text. `bytes` is the decoded size; the base64 itself is never kept. */
export interface Media {
  kind: 'image' | 'audio' | 'video' | 'file'
  mime_type?: string
  bytes?: number
  url?: string
  name?: string
}

/** The media in a part. The texts that say so are noted; others in the part are audited. */
export function mediaOf(part: unknown, losses?: Losses): Media | undefined {
  if (!isObject(part)) return undefined
  const described = isObject(part.inlineData) || isObject(part.fileData)
  const kind = kindOf(part, described)
  if (kind === undefined) return undefined
  const facts: Facts = {}
  collect(part, facts, losses, 0)
  const { mime_type: mime, ...rest } = facts
  const type = mime !== undefined && kind === 'audio' && !mime.includes('/') ? `audio/${mime}` : mime
  return { kind: kindOfMime(type) ?? kind, ...(type !== undefined && { mime_type: type }), ...rest }
}

/** `[image: image/png, 34 KB]` */
export function placeholder({ kind, name, url, mime_type, bytes }: Media): string {
  const facts = [name, url, mime_type, bytes === undefined ? undefined : size(bytes)]
  const known = facts.filter((fact) => fact !== undefined)
  return known.length === 0 ? `[${kind}]` : `[${kind}: ${known.join(', ')}]`
}

type Facts = Omit<Media, 'kind'>

const kinds: readonly [RegExp, Media['kind']][] = [
  [/image|screenshot/, 'image'],
  [/audio/, 'audio'],
  [/video/, 'video'],
  [/file|document|blob|uri|data/, 'file'],
]

function kindOf({ type, content_type, modality }: JsonObject, described: boolean): Media['kind'] | undefined {
  for (const name of [modality, type, content_type]) {
    const found = typeof name === 'string' ? kinds.find(([pattern]) => pattern.test(name)) : undefined
    if (found) return found[1]
  }
  return described ? 'file' : undefined
}

function kindOfMime(mime = ''): Media['kind'] | undefined {
  return /^(image|audio|video)\//.exec(mime)?.[1] as Media['kind'] | undefined
}

const nested = wordsOf('source image_url video_url input_audio image audio video document file inlineData fileData')
const addresses = wordsOf('url uri fileUri file_url image_url video_url image audio video document asset_pointer value')
const encoded = wordsOf('data base64 bytes file_data image audio content value url image_url')
const types = wordsOf('mime_type media_type mimeType mediaType mime mimetype format')
const names = wordsOf('filename file_name name file_id path')

/** Collect the properties of the media from the part and the objects in it; the first value found wins. */
function collect(part: JsonObject, facts: Facts, losses: Losses | undefined, depth: number): void {
  const type = textIn(part, types, isSomething) ?? textIn(part, ['type'], isMime)
  if (type !== undefined) facts.mime_type ??= type
  const name = textIn(part, names, isSomething)
  if (name !== undefined) facts.name ??= name
  const address = textIn(part, addresses, isAddress) ?? textIn(part, encoded, isAddress)
  const data = address === undefined ? textIn(part, encoded, isEncoded) : undefined
  losses?.note(type, name, address, data)
  if (address?.startsWith('data:')) ofDataUrl(address, facts)
  else if (address !== undefined) facts.url ??= address.length > 500 ? `${address.slice(0, 500)}…` : address
  else if (data !== undefined) facts.bytes ??= decodedLength(data)
  const stated = part.size_bytes
  if (typeof stated === 'number') facts.bytes ??= stated
  if (depth < 2) for (const field of nested) if (isObject(part[field])) collect(part[field], facts, losses, depth + 1)
}

function textIn(part: JsonObject, fields: readonly string[], is: (value: string) => boolean): string | undefined {
  for (const field of fields) {
    const value = textOf(part[field])
    if (value !== undefined && is(value)) return value
  }
  return undefined
}

function isSomething(text: string): boolean {
  return text !== ''
}

function isMime(text: string): boolean {
  return text.includes('/')
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(text)
}

/** True for bytes as base64, which may be divided into lines. Words of a person have blanks. */
function isEncoded(text: string): boolean {
  return /^[\w+/=\r\n-]+$/.test(text)
}

function ofDataUrl(url: string, facts: Facts): void {
  const comma = url.indexOf(',')
  const type = /^[^;,]+/.exec(url.slice(5, comma + 1))?.[0]
  if (type !== undefined) facts.mime_type ??= type
  facts.bytes ??= decodedLength(url, comma + 1)
}

function decodedLength(base64: string, from = 0): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor(((base64.length - from) * 3) / 4) - padding)
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
