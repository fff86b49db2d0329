/** The roles of an uploaded turn, in the interface's words. */
export const roles = ['user', 'assistant', 'system', 'tool', 'human_agent'] as const

/** The speaker of a turn. */
export type Role = (typeof roles)[number]

/** A tool call of an assistant turn. */
export interface ToolCall {
  /** The name of the tool; `unknown` if the file has none. */
  name: string
  /** The parsed JSON, or the text itself if it is not JSON. */
  args: unknown
}

/** A tool's response. */
export interface ToolResult {
  /** The name of the call with the same id, else the name in the response. */
  name: string
  /** The object or array if the text is the JSON of one, else the text. */
  result: unknown
}

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

/** A message, or another value of a file, with its place. */
export interface Placed {
  value: unknown
  place: Place
}

/** The elements of the list at a place; empty if it is not a list. */
export function elementsOf(list: unknown, place: Place): Placed[] {
  return Array.isArray(list) ? list.map((value, index) => ({ value, place: within(place, index) })) : []
}

function escaped(step: string): string {
  return step.includes('/') || step.includes('~') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step
}

/** One turn of a transcript. All fields but `visible` and `place` are uploaded. */
export interface Turn {
  /** The speaker. */
  role: Role
  /** The text; for a turn without text a marker such as `[tool call: get_order]`, and `metadata.synthetic_content`. */
  content: string
  /** The tools that an assistant calls in this turn. */
  toolCalls?: ToolCall[]
  /** The results of tools, usually one. */
  toolResults?: ToolResult[]
  /** Facts beside the content, such as `kind`, `media` or `is_error`. */
  metadata?: Record<string, unknown>
  /** ISO 8601. */
  createdAt?: string
  /** `is_user_visible` of the annotation message. */
  visible: boolean
  /** Its place in the file. */
  place: Place
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
}

/** A conversation as a format reads it. The fields are named as in the upload body. */
export interface ConversationDraft {
  /** The title in the file. At most 500 characters; all lengths are in code points (interface: Limits › Surface B). */
  name?: string
  /** In the order of the file. */
  turns: Turn[]
  /** The model with most messages. At most 100 characters. */
  modelName?: string
  /** Language code. At most 10 characters. */
  language?: string
  /** The system that wrote the file. Default: the id of the format. At most 100 characters. */
  sourceSystem?: string
  /** The id of the conversation in its file. At most 500 characters. */
  externalId?: string
  /** The id of the user. At most 500 characters. */
  externalUserId?: string
  /** Facts of the whole conversation. */
  metadata?: Record<string, unknown>
  /** ISO 8601: the time of the conversation. */
  sourceTimestamp?: string
  /** False uploads without analysis; the service's default is true. */
  process?: boolean
  /** The losses, one entry for each kind. */
  losses: Loss[]
  /** The place in the file at which it begins. */
  place: Place
}

/** True if a text has at most this many characters (code points). */
export function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || [...text].length <= most
}

/** Cut a text to at most this many characters (code points), including `ending`. */
export function shortened(text: string, most: number, ending = ''): string {
  const room = most - [...ending].length
  return (hasAtMost(text, room) ? text : [...text].slice(0, room).join('')) + ending
}

const encoder = new TextEncoder()

/** The length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length
}
