import { cleanText } from './clean.js'
import type { Report } from './format.js'
import { describe, isObject, type JsonObject } from './json.js'
import type { Losses } from './losses.js'
import type { ModelCounts } from './model-counts.js'
import { settle } from './settle.js'
import type { Talk } from './talk.js'
import { type Place, type Role, roles, type ToolCall, type ToolResult, type Turn, within } from './turn.js'
import { usualMessage, usualMessageFields } from './usual-fields.js'

/** The arguments of a reader of native shapes: a conversation that reads times and counts losses, and the models that answered. */
export interface NativeNotes {
  talk: Talk
  models: ModelCounts
  report: Report
}

/** A turn of the upload body, in its own names or in the snake_case of answers, or a message of an annotation request. */
export function readNativeTurn(value: unknown, place: Place, notes: NativeNotes): Turn | undefined {
  if (!isObject(value)) {
    notes.report(`expected a turn with role and content, found ${describe(value)}`, place)
    return undefined
  }
  let flawed = false
  const check = <T>(field: string, wanted: string, is: (value: unknown) => value is T): T | undefined => {
    const found = value[field]
    if (is(found)) return found
    if (found === undefined || found === null) return undefined
    flaw(field, wanted)
    return undefined
  }
  const flaw = (field: string, wanted: string) => {
    flawed = true
    notes.report(`expected ${wanted}; found ${describe(value[field])}`, within(place, field))
  }

  const { role, content } = value
  if (!isRole(role)) flaw('role', `a role of ${roles.join(', ')}`)
  if (typeof content !== 'string') flaw('content', 'content that is text')
  const metadata = check('metadata', 'an object', isObject)
  const visible = check('is_user_visible', 'true or false', isBoolean)
  const createdAt = check(has(value, 'createdAt', 'created_at'), 'an ISO 8601 time', isTime)
  const callsField = has(value, 'toolCalls', 'tool_calls')
  const calls = check(callsField, 'an array of { name, args }', isNamedArray)
  const resultsField = has(value, 'toolResults', 'tool_results')
  const results = check(resultsField, 'an array of { name, result }', isNamedArray)
  const { losses } = notes.talk
  losses.addFields(value, turnFields, 'turn ')
  if (flawed || !isRole(role) || typeof content !== 'string') return undefined
  const { at, model } = usualMessage(value, role, losses)
  if (model !== undefined) notes.models.add(cleanText(model, losses))
  return settle(
    {
      role,
      content,
      toolCalls: calls?.map((call) => callOf(call, losses)),
      toolResults: results?.map((result) => toolResultOf(result, losses)),
      metadata,
      createdAt: createdAt ?? notes.talk.time(at),
      visible,
      place,
    },
    losses,
  )
}

const turnFields = new Set([
  ...'role content toolCalls tool_calls toolResults tool_results metadata is_user_visible'.split(' '),
  ...usualMessageFields,
])
const callFields = new Set(['name', 'args'])
const resultFields = new Set(['name', 'result'])

function has(value: JsonObject, field: string, alias: string): string {
  return field in value ? field : alias
}

function callOf(call: Named, losses: Losses): ToolCall {
  losses.addFields(call, callFields, 'tool call ')
  if (call.args === undefined) losses.add('invented', 'empty tool arguments', 'the service wants arguments')
  return { name: call.name, args: call.args ?? {} }
}

function toolResultOf(result: Named, losses: Losses): ToolResult {
  losses.addFields(result, resultFields, 'tool result ')
  if (result.result === undefined) losses.add('invented', 'empty tool result', 'the service wants a result')
  return { name: result.name, result: result.result ?? null }
}

type Named = JsonObject & { name: string }

function isNamedArray(value: unknown): value is Named[] {
  return Array.isArray(value) && value.every((item) => isObject(item) && typeof item.name === 'string')
}

function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value)
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** A date, or a date and a time; what more the service wants of it is not shown. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
}
