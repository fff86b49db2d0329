import {
  defineFormat,
  type FileRecord,
  type Format,
  inspectMessage,
  messagesOfInput,
  placeIn,
  type Reader,
  type ReaderContext,
  unlessFailed,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { asList, asObject, describe, isObject, type JsonObject, textOf } from '../../json/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Losses,
  type Place,
  type Placed,
  reasons,
  startOfFile,
  within,
} from '../../model/index.js'

/** Inspect logs: one JSON document, or the header and the samples of an `.eval` archive one after the other. */
export const inspect: Format<'inspect'> = defineFormat({
  id: 'inspect',
  title: 'Inspect evaluation log',
  accepts: '{ "version", "status", "eval": { "task" }, "samples": [{ "id", "epoch", "messages": […] }] }',
  fields: ['version', 'status', 'eval', 'plan', 'samples', 'epoch', 'messages', 'scores'],
  // The messages repeat the input and the output.
  recordsRepeat: true,
  structure: 'source location stop_reason',
  signature(value) {
    if (!isObject(value)) return 0
    if (isLog(value)) return 0.97
    return isSample(value) ? 0.95 : 0
  },
  reader: readerOf,
})

function isLog(value: JsonObject): boolean {
  return isObject(value.eval) && typeof value.eval.task === 'string' && ('status' in value || 'version' in value)
}

function isSample({ id, epoch, messages, input }: JsonObject): boolean {
  const named = typeof id === 'string' || typeof id === 'number'
  return named && typeof epoch === 'number' && (Array.isArray(messages) || input !== undefined)
}

interface Header {
  facts: JsonObject
  status: string
  created: unknown
  place: Place
  samples: number
}

function readerOf(context: ReaderContext): Reader {
  let header: Header | undefined

  const flush = () => {
    if (header && header.samples === 0) {
      const hint = header.status === 'success' ? 'It may have been read or written as a header only' : 'Nothing was run'
      context.report(`the log has 0 samples, its status is "${header.status}". ${hint}`, header.place)
    }
    header = undefined
  }

  const sample = (value: unknown, place: Place): ConversationDraft[] => {
    if (header) header.samples++
    if (isObject(value) && isSample(value)) {
      const { error } = value
      const draft = readSample(value, place, context, header)
      return unlessFailed(draft, isObject(error) ? error.message : error, context)
    }
    context.report(`expected a sample with id, epoch and messages; found ${describe(value)}`, place)
    return []
  }

  return {
    read(record) {
      const { value } = record
      const place = placeIn(record)
      if (!isObject(value) || !isLog(value)) return sample(value, place)
      flush()
      header = headerOf(value, record)
      return elementsOf(value.samples, within(place, 'samples')).flatMap((each) => sample(each.value, each.place))
    },
    end() {
      flush()
      return []
    },
    isPerRecord: true,
  }
}

function headerOf(log: JsonObject, record: FileRecord): Header {
  const context = asObject(log.eval)
  const { task, task_id: taskId, run_id: runId, eval_id: evalId, model } = context
  return {
    facts: { task, task_id: taskId, run_id: runId, eval_id: evalId, model },
    status: textOf(log.status) ?? 'unknown',
    // A log of many conversations has no time of its own, and Inspect requires one.
    created: Date.parse(textOf(context.created) ?? '') === 0 ? undefined : context.created,
    place: placeIn(record),
    samples: 0,
  }
}

function readSample(sample: JsonObject, place: Place, context: ReaderContext, header?: Header): ConversationDraft {
  const conversation = new ConversationBuilder(context)
  const { attachments } = sample
  // Most samples have no attachments and need no search for pointers to them.
  const hasAttachments = isObject(attachments) && Object.keys(attachments).length > 0
  const attach: Attach = (value) => (hasAttachments ? withAttachments(value, attachments, conversation.losses) : value)
  for (const message of messagesOf(sample, place)) {
    inspectMessage.add(attach(message.value), message.place, conversation)
  }
  addUnread(sample, attach, conversation.losses)
  for (const event of eventsOf(sample)) conversation.losses.dropValue(event, 'event of the log', reasons.othersRead)
  // Those that no message points to are of events.
  conversation.losses.noteEach(Object.values(asObject(attachments)))
  const others = answersOf(sample, place).length - 1
  if (others > 0) conversation.losses.drop('other answer of a model', reasons.firstKept, others)
  conversation.losses.noteAll(
    answersOf(sample, place)
      .slice(1)
      .map(({ value }) => value),
  )
  const facts = header?.facts ?? {}
  const { id, epoch } = sample
  const run = textOf(facts.eval_id) ?? textOf(facts.run_id)
  return conversation.build({
    name: [facts.task, id, epoch].filter((part) => part !== undefined && part !== null).join(' / '),
    modelName: textOf(facts.model === 'none/none' ? asObject(sample.output).model : facts.model),
    externalId: run === undefined ? textOf(sample.uuid) : `${run}:${id}:${epoch}`,
    metadata: {
      ...withoutEmpty(facts),
      status: header?.status,
      ...sampleMetadata(sample, attach, conversation.losses),
    },
    sourceTimestamp: conversation.time(sample.started_at ?? header?.created),
    place,
  })
}

type Attach = (value: unknown) => unknown

/** A sample without messages has its input and, unless it failed before, the answer of the model. */
function messagesOf(sample: JsonObject, place: Place): Placed[] {
  const list = sample.messages
  if (Array.isArray(list) && list.length > 0) return elementsOf(list, within(place, 'messages'))
  return [...messagesOfInput(sample.input, within(place, 'input')), ...answersOf(sample, place).slice(0, 1)]
}

/** The messages repeat the input and the answer, unless a solver changed them. */
function addUnread(sample: JsonObject, attach: Attach, losses: Losses): void {
  const { input, messages } = sample
  if (Array.isArray(messages) && messages.length > 0) {
    const text = JSON.stringify(attach(messages))
    const isIncluded = (content: unknown) => text.includes(JSON.stringify(content).replace(/^"(.*)"$/s, '$1'))
    const texts = Array.isArray(input) ? input.map((each) => (isObject(each) ? each.content : each)) : [input]
    if (!texts.every((each) => isIncluded(attach(each) ?? ''))) losses.addField('input', input, '', reasons.othersRead)
    const [first] = answersOf(sample, startOfFile)
    const answer = asObject(first?.value).content
    const { completion } = asObject(sample.output)
    if (!isIncluded(attach(answer) ?? '')) losses.addField('output', answer, '', reasons.othersRead)
    else if (!isIncluded(attach(completion) ?? ''))
      losses.addField('completion', completion, 'output ', reasons.othersRead)
  }
}

/** In old logs, the events are in a transcript. */
function eventsOf({ events, transcript }: JsonObject): readonly unknown[] {
  return [...asList(events), ...asList(asObject(transcript).events)]
}

/** The choices; the first is the last message of the sample. */
function answersOf({ output }: JsonObject, place: Place): Placed[] {
  const choices = asList(asObject(output).choices)
  return choices.flatMap((choice, at) => {
    const { message } = asObject(choice)
    return isObject(message) ? [{ value: message, place: within(place, 'output', 'choices', at, 'message') }] : []
  })
}

const longest = 500

function sampleMetadata(sample: JsonObject, attach: Attach, losses: Losses): JsonObject {
  const error = isObject(sample.error) ? sample.error.message : sample.error
  const limit = isObject(sample.limit) ? sample.limit.type : sample.limit
  const context: JsonObject = { sample_id: sample.id, epoch: sample.epoch }
  const note = (field: string, value: unknown, name = field) => {
    const short = value === undefined ? undefined : shortened(attach(value), losses, name)
    if (short !== undefined) context[field] = short
  }
  note('target', sample.target)
  note('sample_metadata', sample.metadata, 'metadata')
  note('limit', limit)
  note('error', error)
  note('scores', scoresOf(sample))
  return context
}

function scoresOf({ scores, score }: JsonObject): JsonObject | undefined {
  const named = isObject(scores) ? scores : isObject(score) ? { score } : {}
  const short = Object.entries(named).map(([name, each]) => {
    const { value, answer, explanation } = isObject(each) ? each : { value: each }
    return [name, withoutEmpty({ value, answer, explanation })] as const
  })
  return short.length === 0 ? undefined : Object.fromEntries(short)
}

/** The value with long texts cut and empty values removed. */
function shortened(value: unknown, losses: Losses, what: string, depth = 0): unknown {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string' && value.length > longest) {
    losses.note(value)
    losses.add('cut', `${what} over ${longest} characters`, reasons.shortMetadata)
    return `${value.slice(0, longest)}…`
  }
  if (typeof value !== 'object') return value
  const fields = Object.entries(value)
  if (fields.length === 0) return undefined
  if (depth >= 3 || fields.length > 50) {
    losses.dropValue(value, `large ${what}`, reasons.shortMetadata)
    return undefined
  }
  if (Array.isArray(value)) return value.map((each) => shortened(each, losses, what, depth + 1) ?? null)
  return withoutEmpty(Object.fromEntries(fields.map(([key, each]) => [key, shortened(each, losses, what, depth + 1)])))
}

function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}

const prefixes = ['attachment://', 'tc://']
const deepest = 12

/** The value with each pointer to an attachment (`attachment://<hash>`, in old logs `tc://<hash>`) replaced by it. */
function withAttachments(value: unknown, attachments: JsonObject, losses: Losses, depth = 0): unknown {
  if (typeof value === 'string') return attached(value, attachments, losses)
  if (typeof value !== 'object' || value === null || depth > deepest) return value
  const each = (inner: unknown) => withAttachments(inner, attachments, losses, depth + 1)
  if (Array.isArray(value)) return value.map(each)
  // fromEntries defines fields, so that a key `__proto__` stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, each(inner)]))
}

function attached(text: string, attachments: JsonObject, losses: Losses): string {
  const prefix = prefixes.find((each) => text.startsWith(each))
  if (prefix === undefined) return text
  losses.note(text)
  const hash = text.slice(prefix.length)
  const found = Object.hasOwn(attachments, hash) ? textOf(attachments[hash]) : undefined
  return typeof found === 'string' ? found : text
}
