import type { MessageShape, Report } from '../format.js'
import { isObject } from '../json.js'
import type { Talk } from '../talk.js'
import type { Place } from '../turn.js'
import { anthropicMessage } from './anthropic.js'
import { geminiMessage } from './gemini.js'
import { genAiMessage } from './gen-ai.js'
import { inspectMessage } from './inspect.js'
import { langchainMessage } from './langchain.js'
import { openaiMessage } from './openai.js'
import { responsesItem } from './responses.js'
import { uiMessage } from './ui-message.js'

/** Of two that know a message equally well the earlier wins. */
const shapes: readonly MessageShape[] = [
  openaiMessage,
  anthropicMessage,
  langchainMessage,
  genAiMessage,
  geminiMessage,
  inspectMessage,
  responsesItem,
  uiMessage,
]

const sampled = 50

/** The lead in score that another shape needs over the one that knows the whole list best. */
const lead = 0.25

/** True if any shape takes a value for a message. */
export function isMessage(value: unknown): boolean {
  // Without any of these no shape takes an object for one.
  if (isObject(value) && value.role === undefined && value.type === undefined && value.lc === undefined) return false
  for (const shape of shapes) if (shape.score(value) > 0) return true
  return false
}

/**
 * Says messages of whatever provider: each in the shape that knows the list best, unless another is clearly surer of
 * it. One that no shape knows is reported.
 */
export function sayMessages(messages: readonly { value: unknown; place: Place }[], talk: Talk, report: Report): void {
  const scores: Scores[] = []
  for (let index = 0; index < messages.length && index < sampled; index++) scores.push(scoresOf(messages[index]?.value))
  const usual = usualShape(scores)
  for (let index = 0; index < messages.length; index++) {
    const { value, place } = messages[index] as { value: unknown; place: Place }
    if (isToolDefinition(value)) talk.losses.add('dropped', 'definition of a tool', 'it is no message')
    else shapeOf(scores[index] ?? scoresOf(value), usual).say(value, place, talk, report)
  }
}

/** The score of each shape for a message. */
type Scores = readonly number[]

function scoresOf(value: unknown): Scores {
  const scores: number[] = []
  for (let index = 0; index < shapes.length; index++) scores.push((shapes[index] as MessageShape).score(value))
  return scores
}

/** The definition of a tool that a logger wrote among the messages, as an answer of the tool. */
export function isToolDefinition(value: unknown): boolean {
  if (!isObject(value) || value.role !== 'tool' || !isObject(value.content)) return false
  const { type, function: definition } = value.content
  return type === 'function' && isObject(definition) && !('tool_call_id' in value)
}

/** The index of the shape that knows a list best. */
function usualShape(list: readonly Scores[]): number {
  let usual = 0
  let most = 0
  for (let index = 0; index < shapes.length; index++) {
    let sum = 0
    for (const scores of list) sum += scores[index] as number
    if (sum > most) [usual, most] = [index, sum]
  }
  return usual
}

function shapeOf(scores: Scores, usual: number): MessageShape {
  let best = usual
  let most = (scores[usual] as number) + lead
  for (let index = 0; index < shapes.length; index++) {
    const score = scores[index] as number
    if (score > most || (most === lead && score > 0)) {
      best = index
      most = score
    }
  }
  return shapes[best] ?? openaiMessage
}
