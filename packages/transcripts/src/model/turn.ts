import type { Turn as UploadedTurn } from '@svc/client'

export { type Role, roles, type ToolCall, type ToolResult } from '@svc/client'

/** A place in a file; `locate` gives its line and column. */
export interface Place {
  /** 1-based: the line of a JSONL file or table, the element of the file's array, 1 for a single document. */
  record: number
  /** The start of the record, in bytes of UTF-8 from the start of the file. */
  offset: number
  /** JSON pointer inside the record, such as `/messages/3`; empty for the record itself. */
  pointer: string
  /** The file inside a zip archive that holds the record. */
  member?: string
}

export const startOfFile: Place = { record: 1, offset: 0, pointer: '' }

/** The place of a field or element inside its parent. */
export function within(place: Place, ...steps: (string | number)[]): Place {
  let { pointer } = place
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as string | number
    pointer += typeof step === 'number' ? `/${step}` : `/${escaped(step)}`
  }
  const { record, offset, member } = place
  return member === undefined ? { record, offset, pointer } : { record, offset, pointer, member }
}

/** True if a place is inside another one, or equal to it. */
export function isWithin({ record, member, pointer }: Place, outer: Place): boolean {
  return record === outer.record && member === outer.member && `${pointer}/`.startsWith(`${outer.pointer}/`)
}

/** A message, or another value of a file, with its place. */
export interface Placed {
  value: unknown
  place: Place
  /** It is an alternative answer. Default: false. */
  isAlternative?: boolean
  /** It may be a message, if no other value is known to be one. Default: false. */
  isGuess?: boolean
}

export function elementsOf(list: unknown, place: Place): Placed[] {
  return Array.isArray(list) ? list.map((value, index) => ({ value, place: within(place, index) })) : []
}

function escaped(step: string): string {
  return step.includes('/') || step.includes('~') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step
}

/** The value at a pointer inside a value; undefined if there is none. */
export function valueIn(whole: unknown, pointer: string): unknown {
  let value = whole
  for (const step of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined
    const name = step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/**
 * One turn of a transcript. All fields but `visible`, `place`, `callIds` and `resultIds` are uploaded. The content of a turn without text is a
 * marker such as `[tool call: get_order]`, and `metadata.synthetic_content`; a tool without a name is `unknown`
 * (interface: Resources › Turn).
 */
export interface Turn extends UploadedTurn {
  /** `is_user_visible` of the annotation message. */
  visible: boolean
  /** Its place in the file. */
  place: Place
  /** An id for each of `toolCalls`, unique in the transcript. Default: the calls have none. */
  callIds?: readonly string[]
  /** For each of `toolResults`, the id of its call; null if it has none. Default: a result belongs to an open call of its name. */
  resultIds?: readonly (string | null)[]
}

/** What decides whether a turn is visible. */
interface Visibility {
  role: string
  content: string
  toolCalls?: readonly unknown[] | null | undefined
  toolResults?: readonly unknown[] | null | undefined
  metadata?: object | null | undefined
}

/**
 * True if the end user sees a turn: what `visible` says, or its metadata, else all but messages of the system and of tools.
 * Nobody sees a turn that has no text beside its calls and results.
 */
export function isVisible({ role, content, toolCalls, toolResults, metadata }: Visibility, visible?: boolean): boolean {
  const { synthetic_content: isMarker, is_user_visible: stored } = Object(metadata)
  const hasTools = (toolCalls ?? []).length + (toolResults ?? []).length > 0
  if (isMarker === true || (hasTools && isBlank(content))) return false
  return visible ?? (typeof stored === 'boolean' ? stored : role !== 'system' && role !== 'tool')
}

export const isBlank = (text: string): boolean => !/\S/.test(text)

/**
 * The fields of a turn that are uploaded. There is none for `visible`: the metadata says it where it could not be told from the
 * rest, as of an internal note.
 */
export function uploadedTurn(given: Turn): UploadedTurn {
  const { visible, place: _, callIds: __, resultIds: ___, ...turn } = given
  if (visible === isVisible(turn)) return turn
  return { ...turn, metadata: { ...turn.metadata, is_user_visible: visible } }
}

/** A part of the file that is missing or changed in the transcript. */
export interface Loss {
  /** The kind of loss. `invented`: required by the service and missing in the file. */
  code: 'dropped' | 'cut' | 'merged' | 'invented' | 'changed'
  /** A readable noun phrase, such as `image part`. */
  what: string
  /** The reason, such as `the upload schema has no field for it`. */
  why: string
  /** The number of times. */
  count: number
  /** The first places, if the audit found it. */
  places?: Place[]
}

export function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || [...text].length <= most
}

/** Cut a text to at most this many characters (code points), including `ending`. */
export function shortened(text: string, most: number, ending = ''): string {
  const room = most - [...ending].length
  return (hasAtMost(text, room) ? text : [...text].slice(0, room).join('')) + ending
}
