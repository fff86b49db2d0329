import { toolOutput, unknownTool } from '../conversation/index.js'
import { isObject, textsAt } from '../json/index.js'
import { joinedCalls, type Losses, reasons, type Turn } from '../model/index.js'
import type { Transcript } from '../transcript.js'

/** A call with an id, which a transcript does not have. */
export interface StepCall {
  id: string
  name: string
  args: unknown
}

/** A message, with calls if it is of the assistant. */
export interface MessageStep {
  kind: 'message'
  turn: Turn
  role: Exclude<Turn['role'], 'tool' | 'human_agent'>
  text: string
  calls: StepCall[]
}

/** The result of a call. */
export interface ResultStep {
  kind: 'result'
  turn: Turn
  /** That of its call, else one that no call has. */
  id: string
  hasCall: boolean
  name: string
  output: string
}

export type Step = MessageStep | ResultStep

/** The steps of a transcript, with an id for each call. Parts that no other format has a field for are counted as lost. */
export function stepsOf({ turns }: Transcript, losses: Losses): Step[] {
  const joined = joinedCalls(turns)
  let count = joined.reduce((sum, { callIds }) => sum + callIds.length, 0)
  return turns.flatMap((turn, at): Step[] => {
    const { callIds = [], resultIds = [] } = joined[at] ?? {}
    const { role, visible, toolCalls = [], toolResults = [] } = turn
    const { synthetic_content: isMarker, ...metadata } = turn.metadata ?? {}
    if (Object.keys(metadata).length > 0) losses.drop('metadata of a message', noPlace)
    const text = isMarker === true ? '' : turn.content
    if (text !== '' && visible === (role === 'system' || role === 'tool'))
      losses.drop(`mark of a ${visible ? 'visible' : 'hidden'} message`, noPlace)
    const resultOf = (name: string, output: string, id?: string): ResultStep => {
      return { kind: 'result', turn, id: id ?? `call_${++count}`, hasCall: id !== undefined, name, output }
    }
    if (role === 'tool' && toolCalls.length === 0 && toolResults.length === 0) {
      losses.add('invented', `tool name "${unknownTool}" of a result without one`, reasons.required)
      return [resultOf(unknownTool, text)]
    }
    // The text of a tool is that of its result.
    const own = role === 'tool' && toolResults.length === 1 && isTextOf(text, toolResults[0]?.result)
    const results = toolResults.map(({ name, result }, i) => resultOf(name, own ? text : textOf(result), resultIds[i]))
    if (role === 'tool' && text !== '' && !own) losses.drop('text of a tool beside its results', noPlace)
    const calls = toolCalls.map(({ name, args }, i) => ({ id: callIds[i] ?? '', name, args }))
    const messages = messagesOf(turn, role === 'tool' ? '' : text, calls, losses)
    if (messages.length === 0 && results.length === 0) losses.drop('message without content', noPlace)
    return [...messages, ...results]
  })
}

/** The message of a turn; calls of anybody but the assistant become one of their own. */
function messagesOf(turn: Turn, text: string, calls: StepCall[], losses: Losses): MessageStep[] {
  if (text === '' && calls.length === 0) return []
  const isHuman = turn.role === 'human_agent'
  if (isHuman) losses.add('changed', 'role of a human agent', 'written as that of the assistant')
  const role = turn.role === 'human_agent' || turn.role === 'tool' ? 'assistant' : turn.role
  if (isHuman || turn.role === 'assistant' || calls.length === 0) return [{ kind: 'message', turn, role, text, calls }]
  losses.add('changed', 'role of a message with calls', 'only an assistant calls tools')
  const called: MessageStep = { kind: 'message', turn, role: 'assistant', text: '', calls }
  return text === '' ? [called] : [{ kind: 'message', turn, role, text, calls: [] }, called]
}

/** The id of a result, which the format requires. */
export function callIdOf({ id, hasCall }: ResultStep, losses: Losses): string {
  if (!hasCall) losses.add('invented', 'id of a result without a call', 'required by the format')
  return id
}

/** The reason for what a format has no place for. */
export const noPlace = 'the format has no place for it'

/** A text as it is, nothing as an empty one, any other value as JSON. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value ?? undefined) ?? '')

/** True if a value is what a text holds, which may be JSON. */
const isTextOf = (text: string, value: unknown): boolean =>
  typeof value === 'string' ? text === value : JSON.stringify(toolOutput(text)) === JSON.stringify(value)

/** Arguments as an object, which the format requires. */
export function objectOfArgs(args: unknown, losses: Losses): object {
  if (isObject(args)) return args
  losses.add('changed', 'arguments that are no object', 'written as the field "value"')
  return { value: args }
}

/** Those metadata of a transcript that are texts, of these names, and all others. */
export function metadataOf<Name extends string>({ metadata = {} }: Transcript, names: readonly Name[]) {
  const texts = textsAt(metadata, names) as { [Each in Name]?: string }
  const others = Object.fromEntries(Object.entries(metadata).filter(([name]) => !(name in texts)))
  return { texts, others }
}

/** Count the facts of a transcript that are not written. */
export function dropFacts(transcript: Transcript, written: readonly (keyof Transcript)[], losses: Losses): void {
  const facts = [
    'name',
    'modelName',
    'language',
    'externalId',
    'externalUserId',
    'sourceTimestamp',
    'metadata',
  ] as const
  for (const fact of facts) {
    const value = transcript[fact]
    const isEmpty = value === undefined || (isObject(value) && Object.keys(value).length === 0)
    if (!isEmpty && !written.includes(fact)) losses.drop(`field "${fact}"`, noPlace)
  }
}

/** Count the times of messages, for formats that have none. */
export function dropTimes(turns: readonly Turn[], losses: Losses): void {
  const count = turns.filter(({ createdAt }) => createdAt !== undefined).length
  if (count > 0) losses.drop('time of a message', noPlace, count)
}
