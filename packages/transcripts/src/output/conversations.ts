import { defined, type JsonObject } from '../json/index.js'
import { type Loss, Losses } from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { atifTrajectory, joinedTrajectories, type Trajectory } from './atif.js'
import { type InspectLog, inspectLog, joinedLogs } from './inspect.js'
import { markdownOf } from './markdown.js'
import { otlpTrace } from './otlp.js'
import { callIdOf, dropFacts, dropTimes, noPlace, objectOfArgs, type Step, stepsOf } from './steps.js'

/** The formats that a transcript can be written in; `parse` reads them under the same names, `otlp` as `otel-genai`. */
export const writtenFormats = ['openai-chat', 'anthropic-messages', 'atif', 'inspect', 'otlp', 'markdown-chat'] as const

/** One of `writtenFormats`. */
export type WrittenFormat = (typeof writtenFormats)[number]

/** A transcript in another format. */
export interface WrittenTranscript {
  /** The conversation: one document of JSON, or the text of Markdown. */
  body: object | string
  /** The parts that the format has no place for, and those that were changed. */
  losses: Loss[]
}

/**
 * Write a transcript in another format: OpenAI messages, Anthropic messages, an ATIF trajectory, an Inspect log, a trace of
 * OTLP, or Markdown.
 * `parse` reads the same turns from it, with each result at its call. Calls get new ids.
 */
export function toFormat(transcript: Transcript, format: WrittenFormat): WrittenTranscript {
  const losses = new Losses()
  const body = writers[format](transcript, stepsOf(transcript, losses), losses)
  return { body, losses: losses.list() }
}

/** The text of a file, written one body after the other. */
export interface WrittenFile {
  /** The text of the next body. */
  add(body: object | string): string
  /** The text behind the last body. */
  end(): string
}

/**
 * Write bodies into one file: a line of JSON or a text for each. An Inspect log is one document with a sample for each, and a
 * trajectory of ATIF has those of its sub-agents that follow it.
 *
 * @param textOf the text of an object. Default: `JSON.stringify`
 */
export function fileIn(format: string, textOf: (body: object) => string = JSON.stringify): WrittenFile {
  if (format === ('inspect' satisfies WrittenFormat)) {
    const { add, end } = joinedLogs(textOf)
    return { add: (body) => add(body as InspectLog), end }
  }
  if (format === ('atif' satisfies WrittenFormat)) {
    const { add, end } = joinedTrajectories(textOf)
    return { add: (body) => add(body as Trajectory), end }
  }
  return { add: (body) => (typeof body === 'string' ? body : `${textOf(body)}\n`), end: () => '' }
}

type Writer = (transcript: Transcript, steps: readonly Step[], losses: Losses) => object | string

const writers: Readonly<Record<WrittenFormat, Writer>> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  atif: atifTrajectory,
  inspect: inspectLog,
  otlp: otlpTrace,
  'markdown-chat': markdownOf,
}

function openaiChat(transcript: Transcript, steps: readonly Step[], losses: Losses): object {
  dropFacts(transcript, ['modelName'], losses)
  dropTimes(transcript.turns, losses)
  const messages = steps.map((step) => {
    if (step.kind === 'result')
      return { role: 'tool', tool_call_id: callIdOf(step, losses), name: step.name, content: step.output }
    const { role, text, calls } = step
    const toolCalls = calls.map(({ id, name, args }) => {
      return { id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } }
    })
    if (toolCalls.length === 0) return { role, content: text }
    return { role, content: text === '' ? null : text, tool_calls: toolCalls }
  })
  return defined<JsonObject>({ model: transcript.modelName, messages })
}

function anthropicMessages(transcript: Transcript, steps: readonly Step[], losses: Losses): object {
  dropFacts(transcript, ['modelName'], losses)
  dropTimes(transcript.turns, losses)
  const firstOther = steps.findIndex((step) => step.kind === 'result' || step.role !== 'system')
  const prompts = steps.slice(0, firstOther < 0 ? steps.length : firstOther)
  const messages: { role: string; content: unknown[] }[] = []
  for (const step of steps.slice(prompts.length)) {
    const last = messages.at(-1)
    if (step.kind === 'result') {
      const block = { type: 'tool_result', tool_use_id: callIdOf(step, losses), content: step.output }
      if (!step.hasCall) losses.drop('tool name of a result without a call', noPlace)
      const isOfResults = last?.role === 'user' && (last.content.at(-1) as { type?: string }).type === 'tool_result'
      if (isOfResults) last.content.push(block)
      else messages.push({ role: 'user', content: [block] })
      continue
    }
    const { role, text, calls } = step
    if (role === 'system') losses.add('changed', 'role of a system message', 'written as that of the user')
    const spoken = text === '' ? [] : [{ type: 'text', text }]
    const used = calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: objectOfArgs(args, losses) }))
    messages.push({ role: role === 'system' ? 'user' : role, content: [...spoken, ...used] })
  }
  if (prompts.length > 1) losses.add('merged', 'system message', 'the blocks of one system prompt', prompts.length - 1)
  const system = prompts.flatMap((step) => (step.kind === 'message' ? [{ type: 'text', text: step.text }] : []))
  return defined<JsonObject>({ model: transcript.modelName, system: system.length > 0 ? system : undefined, messages })
}
