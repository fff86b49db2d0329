import { isObject, type JsonObject, textOf } from '../json.js'

/** A call of a tool that the service hosts, and its answer where the item holds that too. */
export interface HostedCall {
  name: unknown
  args: unknown
  output: unknown
  error: boolean
}

const housekeeping = new Set([
  'type',
  'id',
  'call_id',
  'callId',
  'status',
  'metadata',
  'internal_chat_message_metadata_passthrough',
])
const answers = ['output', 'outputs', 'results', 'result', 'error']

/** A hosted call by its type; the name is the type without `_call`, and that of the tool for an MCP server's. */
export function hostedCall(item: JsonObject, type: string): HostedCall {
  const answer = answers.map((field) => item[field]).find((value) => value !== undefined && value !== null)
  const error = item.status === 'failed' || (item.error !== undefined && item.error !== null)
  const isNamed = type === 'mcp_call' || type === 'hosted_tool_call' || type === 'tool_call'
  const name = isNamed ? (textOf(item.name) ?? nameIn(item.function)) : type.replace(/_call$/, '')
  return { name, args: argumentsOf(item), output: answer, error }
}

function nameIn(tool: unknown): string | undefined {
  return isObject(tool) ? textOf(tool.name) : undefined
}

/** What is called with: one field where the type has one for it, else all fields that are no housekeeping. */
function argumentsOf(item: JsonObject): unknown {
  for (const field of ['arguments', 'action', 'operation', 'input']) {
    if (item[field] !== undefined && item[field] !== null) return item[field]
  }
  if (isObject(item.function) && item.function.arguments !== undefined) return item.function.arguments
  const rest = Object.entries(item).filter(
    ([key, value]) => !housekeeping.has(key) && !answers.includes(key) && value !== null && value !== undefined,
  )
  return Object.fromEntries(rest)
}
