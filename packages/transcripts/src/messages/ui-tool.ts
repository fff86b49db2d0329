import { isObject, type JsonObject } from '../json.js'
import type { Call, Result } from '../talk.js'

/** What a part of a message says of a tool: that it is called, that it has answered, or both. */
export interface ToolUse {
  call?: Call
  result?: Result
}

/** A part of any version of the AI SDK as the use of a tool; undefined when it is none. */
export function toolUseOf(part: unknown): ToolUse | undefined {
  if (!isObject(part) || typeof part.type !== 'string') return undefined
  const { type } = part
  if (type === 'tool-invocation' && isObject(part.toolInvocation)) return ofInvocation(part.toolInvocation)
  if (typeof part.toolName === 'string' && type === 'tool-call') return { call: callOf(part, part.toolName) }
  if (typeof part.toolName === 'string' && (type === 'tool-result' || type === 'tool-error')) {
    return { result: { id: part.toolCallId, name: part.toolName, ...modelOutput(part) } }
  }
  if (type === 'dynamic-tool') return ofUiPart(part, part.toolName)
  return type.startsWith('tool-') && 'toolCallId' in part ? ofUiPart(part, type.slice('tool-'.length)) : undefined
}

/** What a part that is no use of a tool is for: the border of a step, a source, data of the application, or words. */
export function stepOf(part: unknown): 'step' | 'source' | 'data' | 'words' {
  const type = isObject(part) && typeof part.type === 'string' ? part.type : ''
  if (type === 'step-start') return 'step'
  if (type === 'source' || type.startsWith('source-')) return 'source'
  return type.startsWith('data-') || type.startsWith('tool-') ? 'data' : 'words'
}

function callOf(part: JsonObject, name: unknown): Call {
  return { id: part.toolCallId, name, args: part.input ?? part.args ?? part.rawInput }
}

function ofUiPart(part: JsonObject, name: unknown): ToolUse {
  const result = uiOutput(part)
  const own = { id: part.toolCallId, name }
  return { call: callOf(part, name), ...(result && { result: { ...own, ...result } }) }
}

function uiOutput(part: JsonObject): Pick<Result, 'output' | 'error'> | undefined {
  const { state, output, errorText, approval } = part
  if (state === 'output-error') return { output: typeof errorText === 'string' ? errorText : output, error: true }
  if (state === 'output-denied') {
    const reason = isObject(approval) ? approval.reason : undefined
    return typeof reason === 'string' ? { output: reason, error: true } : undefined
  }
  return state === 'output-available' || (state === undefined && output !== undefined) ? { output } : undefined
}

function ofInvocation(invocation: JsonObject): ToolUse {
  const { toolCallId: id, toolName: name, state, result } = invocation
  const call = callOf(invocation, name)
  return state === 'result' ? { call, result: { id, name, output: result } } : { call }
}

/** `{ type: text | json | content | error-text | error-json | execution-denied, value }`, or the older bare `result`. */
function modelOutput(part: JsonObject): Pick<Result, 'output' | 'error'> {
  const { output } = part
  const failed = part.isError === true || part.type === 'tool-error'
  if (!isObject(output) || typeof output.type !== 'string') {
    return { output: output ?? part.result ?? part.error ?? null, error: failed }
  }
  const error = failed || output.type.startsWith('error') || output.type === 'execution-denied'
  if (output.type === 'content' && Array.isArray(output.value)) return { output: output.value.map(asFile), error }
  return { output: output.value ?? output.reason ?? null, error }
}

/** Media are known by a field that holds them, so that their bytes do not pass for data. */
function asFile(part: unknown): unknown {
  if (!isObject(part) || part.type === 'text') return part
  return { type: 'file', file: part }
}
