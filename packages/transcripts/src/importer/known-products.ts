import type { FileRecord, Format } from '../contract/index.js'
import { isObject } from '../json/index.js'
import type { Place, Problem } from '../model/index.js'

/**
 * The shape of a JSON value: its kind, a pattern of its text, an element of a list, or fields of an object (`*`: of any
 * name).
 */
export type Shape =
  | 'text'
  | 'number'
  | 'boolean'
  | 'list'
  | 'object'
  | RegExp
  | readonly [Shape]
  | { readonly [field: string]: Shape }

/** A kind of file that is refused by its name, because there is something else to do. */
export interface KnownProduct {
  title: string
  /** The reason why it is not read. Default: it is not supported yet. */
  why?: string
  /** The advice to the user. Default: convert the file. */
  advice?: string
  /** The shape of one of the first records. */
  record?: Shape
  /** The beginning of a text. */
  text?: RegExp
  /** Bytes at the start, or at an offset, as Latin-1. */
  bytes?: string
  at?: number
  /** Bytes somewhere in the beginning. */
  holds?: string
  /** True if a format for any messages recognizes it but would lose content. Default: such a format may read it. */
  isReadInPart?: boolean
}

const role = /^(user|assistant)$/
const convertTable = 'Convert it to CSV or JSONL'
const exportJson = 'Export the conversations as JSON'
const givePath = 'Give its path, or export the conversations as JSON'
const unpackFirst = 'Unpack it first'
const noAnswers = 'it holds no answers, so there is no conversation to read'
const summaryOnly = 'it holds no messages'
const slackDays = 'Give the folder of the export, or the files of its days'
const ofRun = 'Give the log of a run instead'
const transcribe = 'Transcribe it to JSON, WebVTT or text'
const opencodePart = {
  title: 'a part of an opencode session',
  why: 'a session is stored in several files',
  advice: 'Name its file in the folder session, or the folder storage',
}

/** Kinds of files that hold no conversation to read, by their first bytes or lines. The first that fits counts. */
const files: readonly KnownProduct[] = [
  { title: 'a Cursor database', bytes: 'SQLite format 3\0', holds: 'cursorDiskKV', advice: givePath },
  { title: 'a Cursor database', bytes: 'SQLite format 3\0', holds: 'CREATE TABLE blobs (id', advice: exportJson },
  { title: 'a SQLite database', bytes: 'SQLite format 3\0', advice: `${exportJson}, as with sqlite3 -json` },
  { title: 'a Parquet file', bytes: 'PAR1', advice: convertTable },
  { title: 'an Arrow file', bytes: 'ARROW1', advice: convertTable },
  { title: 'an Avro file', bytes: 'Obj\x01', advice: convertTable },
  { title: 'an Office file', bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', advice: 'Save it as CSV' },
  { title: 'a PDF', bytes: '%PDF-' },
  { title: 'an image', bytes: '\x89PNG\r\n' },
  { title: 'an image', bytes: '\xff\xd8\xff' },
  { title: 'an image', bytes: 'GIF8' },
  { title: 'an image', bytes: 'WEBP', at: 8 },
  { title: 'an audio or video file', bytes: 'WAVE', at: 8, advice: transcribe },
  { title: 'an audio or video file', bytes: 'ftyp', at: 4, advice: transcribe },
  { title: 'an audio or video file', bytes: 'ID3', advice: transcribe },
  { title: 'an audio or video file', bytes: 'OggS', advice: transcribe },
  { title: 'an audio or video file', bytes: 'fLaC', advice: transcribe },
  { title: 'a binary property list', bytes: 'bplist00', advice: 'Convert it to JSON, as with plutil -convert json' },
  { title: 'a tar archive', bytes: 'ustar', at: 257, advice: unpackFirst },
  { title: 'a bzip2 file', bytes: 'BZh', holds: '1AY&SY', advice: unpackFirst },
  { title: 'an xz file', bytes: '\xfd7zXZ\0', advice: unpackFirst },
  { title: 'a 7z archive', bytes: "7z\xbc\xaf'\x1c", advice: unpackFirst },
  { title: 'a RAR archive', bytes: 'Rar!\x1a\x07', advice: unpackFirst },
  { title: 'a Parquet file', bytes: 'PAR1', advice: 'Open it with @svc/transcripts/containers' },
  { title: 'a zip archive', bytes: 'PK\x03\x04', advice: 'Open it with @svc/transcripts/containers' },
  { title: 'a gzip file', bytes: '\x1f\x8b', advice: 'Open it with @svc/transcripts/containers' },
  { title: 'a Git LFS pointer', text: /^version https:\/\/git-lfs/, advice: 'Get the file with git lfs pull' },
  { title: 'a git-annex pointer', text: /^\/annex\/objects\//, advice: 'Get the file with git annex get' },
  { title: 'a web page', text: /^<(?:!doctype html|html)\b/i, advice: `${exportJson}, or use the JSON beside it` },
  { title: 'an XML file', text: /^<\?xml\b/, advice: 'Convert it to JSON' },
  // UTF-16 has no two zero bytes in a row.
  { title: 'a binary file', holds: '\0\0' },
]

/** Kinds of JSON that hold no whole conversation, each with what to give instead. */
export const products: readonly KnownProduct[] = [
  {
    title: 'a summary of a Grok CLI session',
    why: summaryOnly,
    advice: 'Give the chat_history.jsonl beside it',
    record: { info: { id: 'text', cwd: 'text' }, num_chat_messages: 'number' },
  },
  {
    title: 'a summary of a Mistral Vibe session',
    why: summaryOnly,
    advice: 'Give the messages.jsonl beside it',
    record: { session_id: 'text', total_messages: 'number', stats: 'object' },
  },
  { ...opencodePart, record: { sessionID: 'text', role, time: 'object' } },
  { ...opencodePart, record: { sessionID: 'text', messageID: 'text', type: 'text' }, isReadInPart: true },
  { ...opencodePart, record: { id: /^(p|prt)_/, type: 'text', time: { start: 'number' } } },
  {
    title: 'a list of Slack users',
    why: summaryOnly,
    advice: slackDays,
    record: { id: /^[UW]/, team_id: /^T/, profile: 'object' },
  },
  {
    title: 'a list of Slack channels',
    why: summaryOnly,
    advice: slackDays,
    record: { id: /^[CGD]/, created: 'number', members: ['text'] },
  },

  {
    title: 'an MT-Bench file of questions',
    why: noAnswers,
    advice: 'Put it before the answers, in one file or in one archive',
    record: { question_id: 'number', turns: ['text'] },
  },
  {
    title: 'an Inspect data set',
    why: noAnswers,
    advice: ofRun,
    record: { input: 'list', target: 'text' },
    isReadInPart: true,
  },
  {
    title: 'a data set of inputs and targets',
    why: noAnswers,
    advice: ofRun,
    record: { input: 'text', target: 'text' },
  },
  {
    title: 'a list of tau-bench conversations that are printed as one text',
    why: 'that text has no tool calls and no reliable speakers',
    advice: 'Use the result files of the run, with "traj"',
    record: { messages_display: 'text' },
    isReadInPart: true,
  },
]

/** The bytes of the beginning that are kept. */
const headBytes = 1 << 14

/** The beginning of a file. */
export class FileHead {
  readonly #parts: Uint8Array[] = []
  #length = 0

  /** A chunk may be reused, so its beginning is copied. */
  add(chunk: Uint8Array | string): void {
    const missing = headBytes - this.#length
    if (missing <= 0) return
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk.slice(0, missing)) : chunk
    const part = bytes.slice(0, missing)
    this.#parts.push(part)
    this.#length += part.length
  }

  get #bytes(): Uint8Array {
    const bytes = new Uint8Array(this.#length)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.length
    }
    return bytes
  }

  get text(): string {
    return new TextDecoder().decode(this.#bytes)
  }

  get latin1(): string {
    return Array.from(this.#bytes, (byte) => String.fromCharCode(byte)).join('')
  }
}

/** The product of a file that no format reads, or only a generic one, and that in part. */
export function unreadProduct(
  records: readonly FileRecord[],
  format: Format | undefined,
  head?: FileHead,
): KnownProduct | undefined {
  if (format === undefined) return productOf(records) ?? (head && fileOf(head))
  return format.isGeneric ? productOf(records, inPart) : undefined
}

const inPart = products.filter(({ isReadInPart }) => isReadInPart)

const sampled = 10

/** The product that wrote one of the first records. */
export function productOf(records: readonly FileRecord[], among = products): KnownProduct | undefined {
  const values = records.slice(0, sampled).map(({ value }) => value)
  return among.find(({ record }) => record !== undefined && values.some((value) => fits(value, record)))
}

function fileOf(head: FileHead): KnownProduct | undefined {
  const { text, latin1 } = head
  const start = text.trimStart()
  return files.find(({ text: pattern, bytes = '', at = 0, holds = '' }) =>
    pattern ? pattern.test(start) : latin1.startsWith(bytes, at) && latin1.includes(holds),
  )
}

function fits(value: unknown, shape: Shape): boolean {
  if (shape instanceof RegExp) return typeof value === 'string' && shape.test(value)
  if (shape === 'text') return typeof value === 'string'
  if (shape === 'list') return Array.isArray(value)
  if (shape === 'object') return isObject(value)
  if (typeof shape === 'string') return typeof value === shape
  if (isElement(shape)) return Array.isArray(value) && value.slice(0, sampled).some((each) => fits(each, shape[0]))
  return isObject(value) && Object.entries(shape).every(([field, inner]) => fitsField(value, field, inner))
}

const isElement = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

function fitsField(value: Readonly<Record<string, unknown>>, field: string, shape: Shape): boolean {
  if (field !== '*') return fits(value[field], shape)
  let remaining = sampled
  for (const name in value) {
    if (fits(value[name], shape)) return true
    if (--remaining === 0) return false
  }
  return false
}

/** The message that refuses a file of a known product. */
export function productMessage(product: KnownProduct): string {
  const { title, advice = 'Convert it to JSON such as { "turns": [{ "role", "content" }] }' } = product
  const { why = files.includes(product) ? 'it cannot be read' : 'not supported yet' } = product
  return `This is ${title}; ${why}. ${advice}.`
}

/** Only JSON of a product is left out of a folder without a problem; a binary file may be a transcript that is packed. */
export function refusalOf(
  product: KnownProduct,
  place: Place,
): [message: string, place: Place, Pick<Problem, 'code' | 'product'>] {
  const { title, record } = product
  return [productMessage(product), place, { product: title, ...(record && { code: 'unsupported_product' as const }) }]
}
