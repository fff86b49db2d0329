import type { Format } from '../format.js'
import { anthropicManagedAgents } from './anthropic-managed-agents.js'
import { anthropicMessages } from './anthropic-messages.js'
import { atif } from './atif.js'
import { chatgptExport } from './chatgpt-export.js'
import { claudeAgentSdk } from './claude-agent-sdk.js'
import { claudeAiExport } from './claude-ai-export.js'
import { claudeCode } from './claude-code.js'
import { codex } from './codex.js'
import { codexExec } from './codex-exec.js'
import { dialogues } from './dialogues.js'
import { geminiCli } from './gemini-cli.js'
import { inspect } from './inspect.js'
import { intercom } from './intercom.js'
import { langchain } from './langchain.js'
import { langfuse } from './langfuse.js'
import { langsmith } from './langsmith.js'
import { oasst } from './oasst.js'
import { openaiChat } from './openai-chat.js'
import { openaiResponses } from './openai-responses.js'
import { otel } from './otel.js'
import { sharegpt } from './sharegpt.js'
import { sweAgent } from './swe-agent.js'
import { table } from './table.js'
import { tauBench } from './tau-bench.js'
import { turns } from './turns.js'
import { uiMessages } from './ui-messages.js'
import { upload } from './upload.js'
import { vapi } from './vapi.js'
import { weave } from './weave.js'
import { zendesk } from './zendesk.js'

/** Every format, in the order of messages and of the reference. None wins by its place: a file of two formats is refused. */
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
