import type { ConversationBuilder } from '../../conversation/index.js'
import { isObject } from '../../json/index.js'
import { type Placed, reasons } from '../../model/index.js'
import type { MessageShape } from '../format.js'
import { anthropicMessage } from './anthropic.js'
import { converseMessage } from './converse.js'
import { geminiMessage } from './gemini.js'
import { genAiMessage } from './gen-ai.js'
import { inspectMessage } from './inspect.js'
import { langchainMessage } from './langchain.js'
import { openaiMessage } from './openai.js'
import { responsesItem } from './responses.js'
import { uiMessage } from './ui-message.js'

/** On equal scores the earlier shape wins. */
const shapes: readonly MessageShape[] = [
  openaiMessage,
  anthropicMessage,
  converseMessage,
  langchainMessage,
  genAiMessage,
  geminiMessage,
  inspectMessage,
  responsesItem,
  uiMessage,
]

const sampled = 50

/** The lead that another shape needs over the best one for the whole list. */
const lead = 0.25

export function isMessage(value: unknown): boolean {
  return shapes.some((shape) => shape.score(value) > 0)
}

/**
 * Add messages of any provider: each in the shape that fits the list best, unless another fits the message clearly
 * better. Unknown messages are reported.
 */
export function addMessages(messages: readonly Placed[], conversation: ConversationBuilder): void {
  const scores = messages.slice(0, sampled).map(({ value }) => scoresOf(value))
  const sums = shapes.map((_, index) => scores.reduce((sum, each) => sum + (each[index] ?? 0), 0))
  const usual = sums.indexOf(Math.max(...sums))
  for (const [index, { value, place }] of messages.entries()) {
    if (isToolDefinition(value)) conversation.losses.drop('definition of a tool', reasons.notConversation)
    else shapeOf(scores[index] ?? scoresOf(value), usual).add(value, place, conversation)
  }
}

function scoresOf(value: unknown): readonly number[] {
  return shapes.map((shape) => shape.score(value))
}

/** True for a tool definition that a logger wrote among the messages. */
export function isToolDefinition(value: unknown): boolean {
  if (!isObject(value) || value.role !== 'tool' || !isObject(value.content)) return false
  const { type, function: definition } = value.content
  return type === 'function' && isObject(definition) && !('tool_call_id' in value)
}

function shapeOf(scores: readonly number[], usual: number): MessageShape {
  let best = usual
  let most = (scores[usual] ?? 0) + lead
  for (const [index, score] of scores.entries()) {
    if (score > most || (most === lead && score > 0)) {
      best = index
      most = score
    }
  }
  return shapes[best] ?? openaiMessage
}
