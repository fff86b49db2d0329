import { isObject, textsAt } from '../json/index.js'
import { joinedCalls, type Losses, reasons, type Turn } from '../model/index.js'
import type { Transcript } from '../transcript.js'

/** A call with an id, which a transcript does not have. */
export interface StepCall {
  id: string
  name: string
  args: unknown
}

/** A message with its calls, or the result of a call. */
export type Step =
  | {
      kind: 'message'
      turn: Turn
      role: Exclude<Turn['role'], 'tool' | 'human_agent'>
      text: string
      calls: StepCall[]
    }
  | { kind: 'result'; turn: Turn; id: string; name: string; output: string }

/**
 * The steps of a transcript, with an id for each call. A result without a call gets one of its own, which is a loss.
 * Parts that no other format has a field for are counted as lost.
 */
export function stepsOf({ turns }: Transcript, losses: Losses): Step[] {
  const joined = joinedCalls(turns)
  let count = joined.reduce((sum, { callIds }) => sum + callIds.length, 0)
  const ownId = () => {
    losses.add('invented', 'id of a result without a call', reasons.required)
    return `call_${++count}`
  }
  return turns.flatMap((turn, at): Step[] => {
    const { callIds = [], resultIds = [] } = joined[at] ?? {}
    const { toolCalls = [], toolResults = [] } = turn
    const { synthetic_content: isPlaceholder, ...metadata } = turn.metadata ?? {}
    if (Object.keys(metadata).length > 0) losses.drop('metadata of a message', noPlace)
    const text = isPlaceholder === true ? '' : turn.content
    const calls = toolCalls.map(({ name, args }, i) => ({ id: callIds[i] ?? '', name, args }))
    const results = toolResults.map(({ name, result }, i): Step => {
      const id = resultIds[i] ?? ownId()
      return { kind: 'result', turn, id, name, output: textOfData(result) }
    })
    if (turn.role === 'tool') {
      if (results.length > 0) return results
      return [{ kind: 'result', turn, id: ownId(), name: 'unknown', output: text }]
    }
    if (text === '' && calls.length === 0) {
      if (results.length === 0) losses.drop('message without content', noPlace)
      return results
    }
    return [{ kind: 'message', turn, role: stepRole(turn, losses), text, calls }, ...results]
  })
}

function stepRole({ role, visible }: Turn, losses: Losses): 'system' | 'user' | 'assistant' {
  if (!visible && (role === 'user' || role === 'human_agent')) losses.drop('mark of a hidden message', noPlace)
  if (role === 'user' || role === 'system') return role
  if (role === 'human_agent') losses.add('changed', 'role of a human agent', 'written as that of the assistant')
  return 'assistant'
}

/** The reason for what a format has no place for. */
export const noPlace = 'the format has no place for it'

/** A text as it is, any other value as JSON. */
export const textOfData = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

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
