import { defineFormat } from '../../contract/index.js'
import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import {
  asList,
  asObject,
  isObject,
  type JsonObject,
  objectsOf,
  parseBounded,
  textOf,
  wordMap,
} from '../../json/index.js'
import { ofType, type Place, reasons } from '../../model/index.js'
import { addApiMessage } from './cline-api.js'

/** Tasks of Cline, Roo Code and Kilo Code: the messages that one shows, or those that it sends to the model; and sessions of Cline. */
export const cline = defineFormat({
  id: 'cline',
  title: 'Cline, Roo Code or Kilo Code task',
  accepts:
    '[{ "ts", "type": "say" | "ask", "say" | "ask", "text" }], or [{ "role", "content": [{ "type" }], "ts" }], or { "version": 1, "agent": "lead" | "subagent" | "teammate", "sessionId", "messages": [{ "role", "content", "ts" }] }',
  signature: {
    'ts type=say say': 0.95,
    'ts type=ask ask': 0.95,
    'ts role=user|assistant content[].type': 0.9,
    'role=assistant content[].type modelInfo.modelId': 0.99,
    'role=user content[].text=<task>*|<environment_details>*': 0.95,
    // A message of the user has no mark of its own in a history without times.
    'role=user content[].type=text': 0.3,
    // Sessions of the CLI and SDK: `~/.cline/data/sessions/SESSION/SESSION.messages.json`, version 1.
    'sessionId agent=lead|subagent|teammate messages[].role messages[].content': 0.98,
  },
  empty: 'sessionId agent=lead|subagent|teammate messages[]',
  join: (messages) => [{ value: {}, messages }],
  messages: 'messages',
  system: 'system_prompt',
  conversation: {
    // The file of a sub-agent has the id of the session that it belongs to.
    externalId: ({ agent, sessionId }) => (agent === 'lead' ? sessionId : undefined),
    metadata: {
      agent: ({ agent }) => (agent === 'lead' ? undefined : agent),
      parent_session: ({ agent, sessionId }) => (agent === 'lead' ? undefined : sessionId),
      task_type: 'taskType',
    },
  },
  addMessage: (message, place, conversation) =>
    message.role === undefined ? addShown(message, place, conversation) : addApiMessage(message, place, conversation),
  structure: 'say ask ts type providerId mode lastCheckpointHash apiProtocol provider family',
})

const kindOf = wordMap({
  user: 'task user_feedback user_feedback_diff',
  assistant: 'text completion_result plan_mode_respond followup',
  thinking: 'reasoning',
  tool: 'tool use_mcp_server browser_action browser_action_launch command',
  result: 'command_output mcp_server_response browser_action_result',
  error: 'error diff_error api_req_failed mistake_limit_reached clineignore_error rooignore_error',
})

/** A message as it was shown. The first text of Roo Code is the task of the user. */
function addShown(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { ts: at, text, reasoning, modelInfo } = message
  const type = textOf(message.say) ?? textOf(message.ask)
  const context = { place, at, model: asObject(modelInfo).modelId, message }
  const kind = conversation.size === 0 && type === 'text' ? 'user' : kindOf.get(type)
  if (typeof reasoning === 'string' && kind === 'assistant') conversation.addThinking(reasoning, context)
  if (kind === 'thinking' && textOf(text ?? reasoning))
    return conversation.addThinking(String(text ?? reasoning), context)
  const files = [...asList(message.images).map(imagePart), ...asList(message.files).map(filePart)]
  if ((textOf(text) ?? '') === '' && files.length === 0) return
  if (kind === 'tool') addCall(String(type), text, context, conversation)
  else if (kind === 'result') conversation.addToolResult({ name: toolOf.get(type), output: text }, { place, at })
  else if (kind === 'error') conversation.addMessage('system', text, { place, at, metadata: { kind: 'error' } })
  else if (kind === 'assistant') addAnswer(type, text, context, conversation)
  else if (kind === 'user') conversation.addMessage('user', [...texts(text), ...files], context)
  else conversation.losses.addField('text', text, `${ofType('message', type ?? '')} `, reasons.notConversation)
}

const texts = (text: unknown) => (textOf(text) === undefined ? [] : [{ type: 'text', text }])
const imagePart = (url: unknown) => ({ type: 'image_url', image_url: { url } })
const filePart = (name: unknown) => ({ type: 'file', file_name: name })

const toolOf = wordMap({
  execute_command: 'command command_output',
  use_mcp_tool: 'use_mcp_server mcp_server_response',
  browser_action: 'browser_action browser_action_launch browser_action_result',
})

/** The text of a call is JSON with the tool and its arguments, or a command. */
function addCall(type: string, text: unknown, context: MessageContext, conversation: ConversationBuilder): void {
  const data = parsed(text)
  conversation.losses.note(text)
  const { tool, ...rest } = data ?? { [type === 'command' ? 'command' : 'text']: text }
  const args = rest.arguments === undefined ? rest : { ...rest, arguments: parsed(rest.arguments) ?? rest.arguments }
  conversation.addToolCalls([{ name: tool ?? toolOf.get(type) ?? type, args }], context)
}

/** An answer, or a question with its choices, of which the user may have chosen one. */
function addAnswer(type: unknown, text: unknown, context: MessageContext, conversation: ConversationBuilder): void {
  const data = type === 'followup' || type === 'plan_mode_respond' ? parsed(text) : undefined
  const said = textOf(data?.question) ?? textOf(data?.response)
  if (data === undefined || said === undefined) return conversation.addMessage('assistant', text, context)
  const choices = [...asList(data.options), ...objectsOf(data.suggest).map(({ answer }) => answer)].filter(
    (choice) => typeof choice === 'string',
  )
  // The audit looks into the text of JSON.
  conversation.losses.note(said, ...choices)
  conversation.addMessage('assistant', [said, ...choices.map((choice) => `- ${choice}`)].join('\n'), context)
  if (textOf(data.selected)) conversation.addMessage('user', data.selected, { place: context.place, at: context.at })
}

function parsed(text: unknown): JsonObject | undefined {
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) return undefined
  try {
    const value = parseBounded(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
