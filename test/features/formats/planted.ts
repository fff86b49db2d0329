import { type FormatId, type Loss, type Parsed, parse, type Transcript, TranscriptFileError } from '@svc/transcripts'
import { formatNamed } from '../../../packages/transcripts/src/formats/index.js'

/** The steps to a value: keys and indices; `JSON` goes into the text of a JSON. */
export type Path = readonly (string | number)[]

/** Every text of a value and the steps to it; also those inside the text of a JSON. */
export function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') {
    const inner = jsonIn(value)
    return inner === undefined ? [path] : textsIn(inner, [...path, 'JSON'])
  }
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, each]) => textsIn(each, [...path, key]))
}

/** The steps to every object of a value. */
export function objectsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') {
    const inner = jsonIn(value)
    return inner === undefined ? [] : objectsIn(inner, [...path, 'JSON'])
  }
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  const below = entries.flatMap(([key, each]) => objectsIn(each, [...path, key]))
  return Array.isArray(value) ? below : [path, ...below]
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A copy of a value in which what stands at some steps is another. */
export function changed(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (step === 'JSON' && typeof value === 'string') return JSON.stringify(changed(jsonIn(value), rest, change))
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? changed(each, rest, change) : each))
  const object = value as Record<string, unknown>
  return { ...object, [step]: changed(object[step], rest, change) }
}

/** What stands at some steps, through texts of JSON. */
export function valueAt(value: unknown, path: Path): unknown {
  let found: unknown
  changed(value, path, (old) => {
    found = old
    return old
  })
  return found
}

/** The result for a text of a file: a transcript has it, a loss names it, the file was refused; or none of these. */
export type Outcome = 'kept' | 'lost' | 'refused' | 'vanished'

export function outcomeOf(
  marker: string,
  path: Path,
  file: string,
  names: (loss: Loss, path: Path) => boolean,
): Outcome {
  const found = read(file)
  if (found === undefined) return 'refused'
  if (found.transcripts.some((transcript) => isKept(marker, transcript))) return 'kept'
  const all = [...found.transcripts, ...found.skipped]
  return all.some(({ losses = [] }) => losses.some((loss) => names(loss, path))) ? 'lost' : 'vanished'
}

function read(file: string): Parsed | undefined {
  try {
    return parse(file, { thinking: true, branches: true, subagents: true })
  } catch (error) {
    if (error instanceof TranscriptFileError) return undefined
    throw error
  }
}

function isKept(marker: string, { losses: _, place: __, ...transcript }: Transcript): boolean {
  return JSON.stringify(transcript).includes(marker)
}

/**
 * A loss names a text when it names a field on the way to it, or when it is of a kind that is lost as a whole and the
 * text stands where that kind stands.
 */
export function names({ what }: Loss, path: Path): boolean {
  const field = /field "(.+)"$/.exec(what)?.[1]
  if (field !== undefined && `.${path.join('.')}.`.includes(`.${field}.`)) return true
  return kinds.some(([kind, where]) => kind.test(what) && where.test(path.join('/')))
}

/** The losses of whole kinds of content, and the paths at which these stand. */
const kinds: readonly [RegExp, RegExp][] = [
  [/^(unreadable )?time|number for a time/, /(time|timestamp|At|_at|created|Time)$/],
  // A list of content has an element of another kind.
  [/ part$/, /\/(content|parts|result|output)\/\d+\/content$/],
  [/^step of the trajectory$/, /\btrajectory\b/],
  [/^printed transcript$/, /transcript$/],
  [/^result text$/, /result$/],
  [/^language over/, /lang(uage)?$|LanguageCode$/],
  [/^large scores$/, /\bscores\b/],
  [/^tool name of a result$/, /(name|function)$/],
  [/^span of other work$/, /(input|output)|attributes/],
  [/^log record of other work$/, /logRecords/],
  // Of two accounts of the same the one that is changed may be left.
  [/ with other messages$|^rewritten message$|differs from the conversation$/, /(input|output)|attributes/],
  [/^message that cannot be read$/, /attributes/],
  // A message of the service, or of a role that nobody has, is lost as a whole.
  [
    /^message with the role /,
    /\b(messages|items|payload|results|_results|threads|transcripts|messageRecords|transcript_with_tool_calls|Transcript)\/\d+\/|(^|\/)\d+\/(data|message)\/|^\d+\/\d+\/|\bdata\/\d+\//,
  ],
  // The records of Slack and of the Bot Framework are messages.
  [/^message with the role the string "(event|conversationUpdate|typing)"$/, /^\d+\//],
  // A call that its round has, too.
  [/^shown form of a call$/, /response\/\d+\//],
  [/^HTML that differs from the text$/, /(body|body_html|description|richText)$/],
  [/^HTML without quoted replies$/, /stripped_html$/],
  [/^rejected answer/, /rejected$/],
  // The name of an attribute stands beside its value.
  [/^attribute field /, /\/attributes\/\d+\/value\//],
]

/** Keys of texts that say how a file is built, and hold no content: types, roles, ids that join records, versions. */
const structure: Partial<Record<FormatId, string>> = {
  'claude-code': 'type role id uuid parentUuid sessionId tool_use_id cwd version error',
  // The model and the tools of the first line are those that the messages name.
  'claude-agent-sdk': 'type subtype role id session_id tool_use_id model tools error',
  // The first of a pair is the method that was called.
  'anthropic-managed-agents': '*/* type id custom_tool_use_id',
  // The time of a line that says nothing; folders and branches of later lines repeat those of the first.
  codex: 'type role call_id timestamp cwd',
  'codex-exec': 'type id',
  'gemini-cli': 'type id projectHash lastUpdated status functionResponse',
  inspect: 'id tool_call_id model role stop_reason',
  langfuse: 'type role id traceId parentObservationId tool_call_id name level startTime endTime',
  langsmith: 'type role id name trace_id parent_run_id tool_call_id dotted_order run_type start_time end_time',
  // The model that was asked for; the one that answered is kept.
  weave: 'type role id parent_id tool_call_id op_name kind model started_at ended_at',
  'otel-genai':
    'type role traceId spanId parentSpanId span_id parent_span_id name eventName startTimeUnixNano endTimeUnixNano key',
  intercom: 'type part_type',
  vapi: 'type role id toolCallId',
  zendesk: 'type sender_type role',
  'openai-chat': 'type id tool_call_id finish_reason method',
  'openai-responses': 'type call_id',
  'tau-bench': 'type id tool_call_id',
  'chatgpt-export': 'content_type current_node parent',
  'claude-ai-export': 'type uuid',
  'anthropic-messages': 'type id tool_use_id stop_reason',
  langchain: 'id tool_call_id',
  'ui-messages': 'type id toolCallId sourceId state',
  'swe-agent': 'type id tool_call_ids message_type',
  amp: 'type toolUseID status',
  // The URL of a file, for which a placeholder stands.
  'bot-framework': 'id contentUrl',
  ccai: 'userId',
  // A data URL, for which a placeholder stands.
  cline: 'images',
  'copilot-chat': 'id',
  // A data URL, for which a placeholder stands.
  continue: 'type id url',
  'copilot-cli': 'type id',
  cursor: 'type tool_use_id',
  'cursor-chat': 'bubbleId toolCallId',
  // The model that was asked; the one that answers is kept.
  deepseek: 'model',
  discord: 'id',
  'qwen-code': 'id',
  // The bytes of an image, for which a placeholder stands.
  goose: 'type id data',
  genesys: 'organizationId communicationId transcriptId userId',
  hermes: 'type id call_id response_item_id tool_call_id',
  'mistral-vibe': 'type id tool_call_id message_id reasoning_message_id',
  'grok-cli': 'type id tool_call_id',
  // The facts of a conversation without messages, which is skipped; the model of the question.
  grok: 'id title create_time model $numberLong',
  openhands: 'id type parent_id sandbox_id action_id tool_call_id llm_response_id signature image_urls',
  opencode: 'id sessionID parentID modelID mime url',
  'opencode-run': 'id sessionID messageID callID',
  livechat: 'id user_ids template_id postback_id',
  // The bytes of an image, for which a placeholder stands.
  llamaindex: 'image',
  // The name of a tool; that of the call is kept.
  pi: 'type id parentId role toolName',
  slack: 'ts type',
  telegram: 'type actor_id',
  // The language of a reply; that of the first message is kept.
  oasst: 'lang',
}

/** The fields of a format that hold no content: those above, and those that the format itself names. */
export const structureOf = (format: FormatId): ReadonlySet<string> =>
  new Set(`${structure[format] ?? ''} ${formatNamed(format).structure ?? ''}`.split(/\s+/).filter(Boolean))

export const keyOf = (path: Path) => path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')

/** Records as lines of JSON. */
export const jsonLines = (records: unknown[]): string => records.map((record) => JSON.stringify(record)).join('\n')
