import { decoded } from './decoded.js'
import { isObject, type JsonObject, textOf } from './json.js'
import { fieldsOf, type Losses } from './losses.js'
import type { Span } from './span.js'

/** Names of tool spans in instrumentations: `execute_tool weather`, `running tool: weather`. */
const spanNames = /^(?:execute_tool|running tool)(?:: ?| )(?=\S)/i

/** True if a span is that of a tool by its name. */
export const isToolSpan = (name: unknown): boolean => typeof name === 'string' && spanNames.test(name)

/**
 * The call and the answer of a tool from what a span was given and gave. Frameworks wrap both: the arguments in
 * `input`, the answer in `output` or in a message of the tool, which has the id of the call. `failed` says why it
 * failed, which is its answer where it gave none.
 */
export function toolOf(
  name: unknown,
  given: unknown,
  gave: unknown,
  losses: Losses,
  failed?: string,
): NonNullable<Span['tool']> {
  const input = decoded(given)
  const args = isObject(input) && Object.keys(input).length === 1 && 'input' in input ? decoded(input.input) : input
  const outer = decoded(gave)
  const output = isObject(outer) && Object.keys(outer).length === 1 && 'output' in outer ? decoded(outer.output) : outer
  const message = messageOf(output)
  if (message) countUnread(output, message, losses)
  const id = textOf(message?.tool_call_id)
  return {
    id,
    name: textOf(name)?.replace(spanNames, ''),
    args: args ?? {},
    output: message ? message.content : (textIn(gave, output) ?? failed),
    error: failed !== undefined || message?.status === 'error',
  }
}

/** A text of JSON stays the text that it is, once it is out of every other. */
function textIn(gave: unknown, output: unknown): unknown {
  if (typeof gave !== 'string' || typeof output === 'string') return output
  const once = decoded(gave, 1)
  return typeof once === 'string' ? once : isObject(once) && once.output !== undefined ? output : gave
}

function messageOf(output: unknown): JsonObject | undefined {
  if (!isObject(output)) return undefined
  const fields = isObject(output.kwargs) ? output.kwargs : output
  const keys = Object.keys(fields)
  return 'content' in fields && (keys.length === 1 || 'tool_call_id' in fields) ? fields : undefined
}

/** Fields of a message of the tool that are read or hold no content. */
const messageFields = fieldsOf('content tool_call_id name id type status lc kwargs')

function countUnread(output: unknown, message: JsonObject, losses: Losses): void {
  losses.addTexts(message, messageFields, 'tool message ')
  if (output !== message) losses.addTexts(output, messageFields, 'tool message ')
}
