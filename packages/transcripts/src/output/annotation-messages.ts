import type { Turn } from '../model/index.js'
import type { Transcript } from '../transcript.js'

/** One message of an annotation request (interface: Resources › TranscriptMessage). */
export interface AnnotationMessage {
  /** That of the turn. */
  role: string
  /** The words of the turn, then each call as `[tool_call name] args`; a result as `[tool_result name] text`. */
  content: string
  /** True if the end user saw it. */
  is_user_visible: boolean
}

/**
 * The messages of an annotation request, one for each turn and in the same order, so that a signal's 1-indexed turn
 * points at both. A message has no field for tools: calls and results are written into its content.
 */
export function toAnnotationMessages(transcript: Transcript): AnnotationMessage[] {
  return transcript.turns.map((turn) => ({
    role: turn.role,
    content: contentOf(turn),
    is_user_visible: turn.visible,
  }))
}

function contentOf(turn: Turn): string {
  const { role, toolCalls = [], toolResults = [] } = turn
  const [result] = toolResults
  const spoken = turn.metadata?.synthetic_content === true ? '' : turn.content
  const calls = toolCalls.map((call) => labelled(`[tool_call ${call.name}]`, call.args))
  if (role === 'tool' && toolResults.length === 1 && result && spoken !== '') {
    return [`[tool_result ${result.name}] ${spoken}`, ...calls].join('\n')
  }
  const results = toolResults.map(({ name, result }) => labelled(`[tool_result ${name}]`, result))
  const lines = [spoken, ...calls, ...results].filter((line) => line !== '')
  return lines.length === 0 ? turn.content : lines.join('\n')
}

function labelled(label: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' ? label : `${label} ${text}`
}
