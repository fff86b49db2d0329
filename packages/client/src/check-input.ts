import type { Violation } from './errors.js'
import { limits, roles } from './limits.js'

/** What is wrong with an input: `violations` are refused, `warnings` may be refused by a stricter reading. */
export interface InputReport {
  violations: Violation[]
  warnings: Violation[]
}

const encoder = new TextEncoder()
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Characters as the interface counts them: Unicode code points. Counts no further than `atMost` + 1 needs. */
function exceeds(text: string, atMost: number): boolean {
  if (text.length <= atMost) return false
  return text.length > atMost * 2 || [...text].length > atMost
}

/**
 * Checks the body of POST /projects/{projectId}/transcripts against every bound of the interface ("Surface B", "Limits"),
 * all at once. Sizes are bytes of UTF-8: a turn's of its `content`, the upload's of its JSON, which is measured here
 * unless `bytes` gives it. Changes nothing.
 */
export function checkUpload(upload: unknown, bytes?: number): InputReport {
  const report: InputReport = { violations: [], warnings: [] }
  const refuse = (pointer: string, message: string) => report.violations.push({ pointer, message })
  if (!isObject(upload)) {
    refuse('', `expected an object, got ${nameOf(upload)}`)
    return report
  }
  checkText(upload.name, '/name', limits.name, true, refuse)
  for (const field of ['modelName', 'language', 'sourceSystem', 'externalId', 'externalUserId'] as const) {
    checkText(upload[field], `/${field}`, limits[field], false, refuse)
  }
  if (upload.metadata !== undefined && !isObject(upload.metadata)) {
    refuse('/metadata', `expected an object, got ${nameOf(upload.metadata)}`)
  }
  if (upload.process !== undefined && typeof upload.process !== 'boolean') {
    refuse('/process', `expected true or false, got ${nameOf(upload.process)}`)
  }
  checkTime(upload.sourceTimestamp, '/sourceTimestamp', refuse)
  if (Array.isArray(upload.turns)) {
    const { min, max } = limits.turns
    if (upload.turns.length < min || upload.turns.length > max) {
      refuse('/turns', `expected ${min} to ${max} turns, got ${upload.turns.length}`)
    }
    for (const [i, turn] of upload.turns.entries()) checkTurn(turn, `/turns/${i}`, refuse, report.warnings)
  } else refuse('/turns', `expected an array of turns, got ${nameOf(upload.turns)}`)
  const size = bytes ?? sizeOf(upload)
  if (size === undefined) refuse('', 'expected values that JSON can hold, got a circle or a BigInt')
  else checkBytes(size, '', 'the whole upload', limits.bodyBytes, refuse, report.warnings)
  return report
}

/** Bytes of a value as the UTF-8 JSON that is sent; undefined for what JSON cannot hold. */
function sizeOf(value: unknown): number | undefined {
  try {
    return encoder.encode(JSON.stringify(value)).length
  } catch {
    return undefined
  }
}

/** Checks the body of POST /v1/annotations; the interface shows no size bounds for it. */
export function checkAnnotation(request: unknown): InputReport {
  const report: InputReport = { violations: [], warnings: [] }
  const refuse = (pointer: string, message: string) => report.violations.push({ pointer, message })
  if (!isObject(request)) {
    refuse('', `expected an object, got ${nameOf(request)}`)
    return report
  }
  checkString(request.annotator, '/annotator', refuse)
  if (request.options !== undefined && !isObject(request.options)) {
    refuse('/options', `expected an object, got ${nameOf(request.options)}`)
  }
  if (!Array.isArray(request.transcript)) {
    refuse('/transcript', `expected an array of messages, got ${nameOf(request.transcript)}`)
    return report
  }
  for (const [i, message] of request.transcript.entries()) checkMessage(message, `/transcript/${i}`, refuse)
  return report
}

type Refuse = (pointer: string, message: string) => void

function checkMessage(message: unknown, pointer: string, refuse: Refuse): void {
  if (!isObject(message)) return refuse(pointer, `expected an object, got ${nameOf(message)}`)
  checkString(message.role, `${pointer}/role`, refuse)
  checkString(message.content, `${pointer}/content`, refuse)
  const visible = message.is_user_visible
  if (visible !== undefined && typeof visible !== 'boolean') {
    refuse(`${pointer}/is_user_visible`, `expected true or false, got ${nameOf(visible)}`)
  }
}

function checkTurn(turn: unknown, pointer: string, refuse: Refuse, warnings: Violation[]): void {
  if (!isObject(turn)) return refuse(pointer, `expected an object, got ${nameOf(turn)}`)
  if (!roles.some((role) => role === turn.role)) {
    const came = typeof turn.role === 'string' ? JSON.stringify(turn.role) : nameOf(turn.role)
    refuse(`${pointer}/role`, `expected one of ${roles.join(', ')}, got ${came}`)
  }
  if (typeof turn.content === 'string') {
    const bytes = turn.content.length * 3 > limits.turnBytes.warn ? encoder.encode(turn.content).length : 0
    checkBytes(bytes, `${pointer}/content`, 'the content of a turn', limits.turnBytes, refuse, warnings)
  } else refuse(`${pointer}/content`, `expected a string, got ${nameOf(turn.content)}`)
  if (turn.metadata !== undefined && !isObject(turn.metadata)) {
    refuse(`${pointer}/metadata`, `expected an object, got ${nameOf(turn.metadata)}`)
  }
  checkTime(turn.createdAt, `${pointer}/createdAt`, refuse)
  checkTools(turn.toolCalls, `${pointer}/toolCalls`, 'args', refuse)
  checkTools(turn.toolResults, `${pointer}/toolResults`, 'result', refuse)
}

function checkTools(tools: unknown, pointer: string, value: 'args' | 'result', refuse: Refuse): void {
  if (tools === undefined) return
  if (!Array.isArray(tools)) return refuse(pointer, `expected an array, got ${nameOf(tools)}`)
  for (const [i, tool] of tools.entries()) {
    if (isObject(tool)) {
      checkString(tool.name, `${pointer}/${i}/name`, refuse)
      if (!(value in tool)) refuse(`${pointer}/${i}`, `expected a field ${value}`)
    } else refuse(`${pointer}/${i}`, `expected an object, got ${nameOf(tool)}`)
  }
}

function checkString(value: unknown, pointer: string, refuse: Refuse): void {
  if (typeof value !== 'string') refuse(pointer, `expected a string, got ${nameOf(value)}`)
}

function checkText(
  value: unknown,
  pointer: string,
  bound: { min?: number; max: number },
  required: boolean,
  refuse: Refuse,
): void {
  if (value === undefined && !required) return
  if (typeof value !== 'string') return refuse(pointer, `expected a string, got ${nameOf(value)}`)
  const tooShort = value.length < (bound.min ?? 0)
  if (!tooShort && !exceeds(value, bound.max)) return
  const expected = bound.min ? `${bound.min} to ${bound.max}` : `at most ${bound.max}`
  refuse(pointer, `expected ${expected} characters, got ${[...value].length}`)
}

const isoDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i

function checkTime(value: unknown, pointer: string, refuse: Refuse): void {
  if (value === undefined) return
  if (value instanceof Date ? !Number.isNaN(value.getTime()) : isIso(value)) return
  const came = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : nameOf(value)
  refuse(pointer, `expected an ISO 8601 time, got ${came}`)
}

const isIso = (value: unknown) => typeof value === 'string' && isoDate.test(value) && !Number.isNaN(Date.parse(value))

function checkBytes(
  bytes: number,
  pointer: string,
  what: string,
  bound: { max: number; warn: number },
  refuse: Refuse,
  warnings: Violation[],
): void {
  if (bytes > bound.max) refuse(pointer, `expected ${what} to be at most ${bound.max} bytes, got ${bytes}`)
  else if (bytes > bound.warn) {
    warnings.push({ pointer, message: `${what} is ${bytes} bytes; a service that reads MB as 10^6 bytes refuses it` })
  }
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
