import type { Report } from '../format.js'
import { describe, isObject, type JsonObject, textOf } from '../json.js'
import { fieldsOf } from '../losses.js'
import type { About, Call, Talk } from '../talk.js'
import { toolOutput } from '../tool-values.js'
import type { Place } from '../turn.js'
import { usualMessage, usualMessageFields } from '../usual-fields.js'
import { callFields, callsOf, thoughtFields, thoughtIn } from './openai.js'

type Speaker = 'user' | 'assistant' | 'system' | 'call' | 'result' | 'tool'

const roleOf = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  call: 'assistant',
  result: 'tool',
  tool: 'tool',
} as const

const speakerOf = new Map<string, Speaker>(
  (
    [
      ['user', 'human user'],
      ['assistant', 'gpt chatgpt assistant bot model bing bard claude gemini ai'],
      ['system', 'system'],
      ['call', 'function_call tool_call'],
      ['result', 'observation function_response tool_response tool_result function_result function'],
      ['tool', 'tool'],
    ] satisfies [Speaker, string][]
  ).flatMap(([speaker, words]) => words.split(' ').map((word): [string, Speaker] => [word, speaker])),
)

/** Who speaks in a message, by `from` or `role`, in any case; undefined where nobody known does. */
export function speakerIn(message: JsonObject): Speaker | undefined {
  const from = message.from ?? message.role
  return typeof from === 'string' ? (speakerOf.get(from) ?? speakerOf.get(from.trim().toLowerCase())) : undefined
}

/** Those of a data set, and those of chat completions, which some data sets have as well. */
const messageFields = fieldsOf(
  `from role value content text weight loss_weight loss name id index tool_call_id reasoning_content reasoning
  reasoning_details ${usualMessageFields.join(' ')}`,
  { tool_calls: callFields, function_call: fieldsOf('name arguments') },
)
const none: ReadonlySet<string> = new Set()

/** One talk of a data set while its messages are said: results take the names of the calls before them, in order. */
export class ShareGptSaying {
  readonly #talk: Talk
  readonly #media: (text: string) => unknown
  #waiting: string[] = []

  /** @param media a text as it is, or its parts where tokens such as `<image>` stand for media */
  constructor(talk: Talk, media: (text: string) => unknown) {
    this.#talk = talk
    this.#media = media
  }

  message(message: unknown, place: Place, report: Report): void {
    const speaker = isObject(message) ? speakerIn(message) : undefined
    if (!isObject(message) || speaker === undefined) {
      const found = isObject(message) ? describe(message.from ?? message.role) : describe(message)
      report(`expected a message from one of ${[...speakerOf.keys()].join(', ')}; found ${found}`, place)
      return
    }
    const weight = message.weight ?? message.loss_weight ?? message.loss
    const name = speaker === 'result' || speaker === 'tool' ? undefined : textOf(message.name)
    const metadata: JsonObject = {}
    if (typeof weight === 'number') metadata.weight = weight
    if (name !== undefined) metadata.name = name
    const { at, model } = usualMessage(message, roleOf[speaker], this.#talk.losses)
    const about = { place, at, model, message, metadata }
    this.#talk.losses.addFields(message, messageFields, 'message ')
    this.#talk.losses.addOthers(message, ['value', 'content', 'text'], 'message ')
    if (speaker !== 'assistant' || thoughtIn(message) === undefined) {
      for (const field of thoughtFields) this.#talk.losses.addTexts({ [field]: message[field] }, none, 'message ')
    }
    const value = message.value ?? message.content ?? message.text
    const asCalls = speaker === 'call' || speaker === 'tool' ? callsIn(value) : []
    if (speaker === 'call' || asCalls.some((call) => call.name !== undefined)) this.#call(asCalls, about)
    else if (speaker === 'result' || speaker === 'tool') this.#result(textOfParts(value), message, about)
    else this.#say(speaker, message, value, about)
  }

  #say(role: 'user' | 'assistant' | 'system', message: JsonObject, value: unknown, about: About): void {
    const thought = role === 'assistant' ? thoughtIn(message) : undefined
    if (thought !== undefined) this.#talk.think(thought, about)
    const beside = callsOf(message)
    if (Array.isArray(value)) this.#sayParts(role, value, about)
    else if (value || beside.length === 0) {
      this.#talk.say(role, typeof value === 'string' ? this.#media(value) : value, about)
    }
    this.#call(beside, about)
  }

  #sayParts(role: 'user' | 'assistant' | 'system', parts: readonly unknown[], about: About): void {
    const calls = parts.filter(isCall)
    const said = parts.filter((part) => !isCall(part))
    const content = said.flatMap((part) => (typeof part === 'string' ? this.#media(part) : part))
    if (content.length > 0 || calls.length === 0) this.#talk.say(role, content, about)
    this.#call(
      calls.flatMap((part) => callsIn(isObject(part) ? part.value : part)),
      about,
    )
  }

  #call(calls: readonly Call[], about: About): void {
    if (calls.length === 0) return
    this.#talk.call(calls, about)
    this.#waiting = calls.map(({ name }) => (typeof name === 'string' ? name : ''))
  }

  /** Answers to several calls may stand in one message, as a list with as many elements. */
  #result(value: unknown, { tool_call_id: id, name: given }: JsonObject, about: About): void {
    if (id !== undefined && id !== null) {
      this.#waiting.shift()
      this.#talk.result({ id, name: given, output: value }, about)
      return
    }
    const outputs: unknown = this.#waiting.length > 1 ? toolOutput(value) : undefined
    const all = Array.isArray(outputs) && outputs.length === this.#waiting.length ? outputs : [value]
    for (const output of all) {
      const own = namedOutput(output)
      const waiting = this.#waiting.shift()
      const name = own?.name ?? textOf(given) ?? waiting
      this.#talk.result({ name, output: own ? own.output : output }, { ...about, message: undefined })
    }
  }
}

function isCall(part: unknown): boolean {
  return isObject(part) && part.type === 'tool_call'
}

/** A call is a text in JSON (`{ name, arguments }`, or a list of such), or that object itself. */
function callsIn(value: unknown): Call[] {
  const read = toolOutput(value)
  return (Array.isArray(read) ? read : [read]).map((call) => {
    if (!isObject(call)) return { name: undefined, args: value, raw: true }
    const inner = isObject(call.function) ? call.function : call
    return { name: inner.name, args: inner.arguments ?? inner.parameters ?? inner.args }
  })
}

/** `{ name, content }`, as lists of answers have it. */
function namedOutput(output: unknown): { name: string; output: unknown } | undefined {
  if (!isObject(output) || typeof output.name !== 'string' || !('content' in output)) return undefined
  return { name: output.name, output: output.content }
}

function textOfParts(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? ''
  return value.map((part) => (isObject(part) ? (part.value ?? part.text ?? '') : part)).join('\n')
}
