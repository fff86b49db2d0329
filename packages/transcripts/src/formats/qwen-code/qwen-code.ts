import { addGeminiPart, countOtherRole, defineFormat } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { asList, asObject, isObject, type JsonObject, textOf, wordSet } from '../../json/index.js'
import { type Place, reasons } from '../../model/index.js'

/** Sessions of Qwen Code: lines as those of Claude Code, with the parts of Gemini. A rewind makes a branch. */
export const qwenCode = defineFormat({
  id: 'qwen-code',
  title: 'Qwen Code session',
  accepts:
    'lines { "uuid", "parentUuid", "sessionId", "type": "user" | "assistant" | "tool_result", "message": { "parts" } }',
  signature: {
    'uuid sessionId type=user|assistant|tool_result|system message.parts[]': 0.98,
    'uuid sessionId type=system subtype': 0.3,
  },
  conversation: {
    externalId: 'sessionId',
    metadata: { cwd: 'cwd', version: 'version', git_branch: 'gitBranch' },
  },
  tree: { id: 'uuid', parent: 'parentUuid', log: true, aside: ({ message }) => !isObject(message) },
  addMessage: addLine,
  structure: 'subtype cwd version gitBranch timestamp status callId type model',
})

/** Messages of the program in the name of the user. */
const programs = wordSet('notification background_task_completed cron goal_runtime agent_bootstrap')

function addLine(line: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type, subtype, timestamp: at, model, message, systemPayload, toolCallResult } = line
  const { displayText, hookContext } = asObject(systemPayload)
  const { status, resultDisplay } = asObject(toolCallResult)
  const { losses } = conversation
  const role = type === 'assistant' ? 'assistant' : type === 'system' || programs.has(subtype) ? 'system' : 'user'
  const context = {
    place,
    at,
    model,
    message: line,
    ...(role === 'system' && { metadata: { kind: textOf(subtype) ?? 'notice' } }),
  }
  if (role !== 'system' && type !== 'tool_result') countOtherRole(asObject(message).role, role, losses)
  const parts = asList(asObject(message).parts)
  for (const part of parts) {
    const { text, functionResponse: answer } = asObject(part)
    if (isObject(answer)) {
      const { output, error } = asObject(answer.response)
      const result = { id: answer.id ?? undefined, name: answer.name, output: output ?? error ?? answer.response }
      conversation.addToolResult({ ...result, error: status === 'error' || error !== undefined }, { place, at })
    } else if (typeof text === 'string' && text.startsWith('<qwen:')) {
      losses.note(text)
      conversation.addMessage('system', text, { place, at, metadata: { kind: 'injected' } })
    } else addGeminiPart(part, role, context, conversation)
  }
  // The texts that were shown, of which the model receives more.
  const given = parts.map((part) => textOf(asObject(part).text) ?? '')
  for (const text of [displayText, hookContext])
    if (typeof text === 'string' && given.some((each) => each.includes(text))) losses.note(text)
  losses.addField('resultDisplay', resultDisplay, '', reasons.besideRead)
}
