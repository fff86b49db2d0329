import type { ToolCall, ToolResult, TranscriptMessage } from '@svc/client'
import { toolOutput } from '../conversation/index.js'
import { isVisible } from '../model/index.js'

/**
 * Convert a transcript to the messages of an annotation request, one for each turn, so that the 1-indexed turn of a
 * signal refers to both. A message has no field for tools: its content is that of the turn, then each call as
 * `[tool_call name] args`; a result is `[tool_result name] text`, with the result below a text that is not its own (see `uploadLosses`)
 * The messages of an upload, and of what is stored of it, are those of the file that it was made of
 * (interface: Resources › TranscriptMessage).
 */
export function toAnnotationMessages(transcript: { turns: readonly AnnotatedTurn[] }): TranscriptMessage[] {
  return transcript.turns.map((turn) => ({
    role: turn.role,
    content: contentOf(turn),
    is_user_visible: isVisible(turn, turn.visible),
  }))
}

/** A turn of a transcript, of an upload, or of a transcript that was read, which has null in place of a missing list. */
export interface AnnotatedTurn {
  /** The speaker. */
  role: string
  /** The text of the turn; empty if it has only calls or results. */
  content: string
  /** Calls of tools. */
  toolCalls?: readonly ToolCall[] | null | undefined
  /** Results of tools. */
  toolResults?: readonly ToolResult[] | null | undefined
  /** Metadata of the turn. */
  metadata?: object | null | undefined
  /** The user has seen it. Default: true, but for turns of the system and of tools, and for those without a text of their own. */
  visible?: boolean | undefined
}

function contentOf(turn: AnnotatedTurn): string {
  const { role } = turn
  const [toolCalls, toolResults] = [turn.toolCalls ?? [], turn.toolResults ?? []]
  const [result] = toolResults
  const text = Object(turn.metadata).synthetic_content === true ? '' : turn.content
  const calls = toolCalls.map((call) => labelled(`[tool_call ${call.name}]`, call.args))
  if (role === 'tool' && toolResults.length === 1 && result && text !== '') {
    const isSame = text === result.result || JSON.stringify(toolOutput(text)) === JSON.stringify(result.result)
    return [labelled(`[tool_result ${result.name}]`, text), ...calls, ...(isSame ? [] : [textOf(result.result)])].join(
      '\n',
    )
  }
  const results = toolResults.map(({ name, result }) => labelled(`[tool_result ${name}]`, result))
  const lines = [text, ...calls, ...results].filter((line) => line !== '')
  return lines.length === 0 ? turn.content : lines.join('\n')
}

function labelled(label: string, value: unknown): string {
  const text = textOf(value)
  return text === '' ? label : `${label} ${text}`
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
