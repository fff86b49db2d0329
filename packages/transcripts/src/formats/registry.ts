import type { Format } from '../contract/index.js'
import { anthropicManagedAgents, anthropicMessages, claudeAiExport } from './anthropic/index.js'
import { claudeAgentSdk, claudeCode } from './claude-code/index.js'
import { codex, codexExec } from './codex/index.js'
import { dialogues, oasst, sharegpt, table } from './datasets/index.js'
import { atif, inspect, sweAgent, tauBench } from './evaluations/index.js'
import { langchain, uiMessages } from './frameworks/index.js'
import { geminiCli } from './gemini-cli.js'
import { intercom, zendesk } from './help-desk/index.js'
import { turns, upload } from './native.js'
import { chatgptExport, openaiChat, openaiResponses } from './openai/index.js'
import { srt, webvtt } from './subtitles/index.js'
import { langfuse, langsmith, otel, weave } from './tracing/index.js'
import { vapi } from './vapi.js'

/**
 * Every format, in the order of messages and of the reference. The order gives no priority: a file of two formats is
 * refused.
 */
export const readers = [
  upload,
  turns,
  openaiChat,
  openaiResponses,
  tauBench,
  chatgptExport,
  claudeAiExport,
  claudeCode,
  claudeAgentSdk,
  anthropicManagedAgents,
  codex,
  codexExec,
  anthropicMessages,
  table,
  geminiCli,
  langchain,
  inspect,
  uiMessages,
  langfuse,
  langsmith,
  weave,
  otel,
  atif,
  sweAgent,
  sharegpt,
  oasst,
  dialogues,
  intercom,
  vapi,
  zendesk,
  webvtt,
  srt,
] as const

/** The name of a format, as in `parse(text, { format })`. */
export type FormatId = (typeof readers)[number]['id']

/** The formats that can be read. */
export const formats: readonly { id: FormatId; title: string }[] = readers.map(({ id, title }) => ({ id, title }))

/**
 * A format by its id.
 *
 * @throws {RangeError} naming all formats, when there is none with that id
 */
export function formatOf(id: string): Format<FormatId> {
  const format = readers.find((known) => known.id === id)
  if (format) return format
  throw new RangeError(`unknown format "${id}"; known are ${readers.map((known) => known.id).join(', ')}`)
}
