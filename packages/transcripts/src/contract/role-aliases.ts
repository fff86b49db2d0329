import { wordMap } from '../json/index.js'
import type { Role } from '../model/index.js'
import { normalizedName } from '../records/index.js'

const aliases = wordMap<Role>({
  user: 'user human customer client visitor end_user enduser caller prompter lead contact guest requester usr',
  assistant: 'assistant ai bot chatbot model gpt chatgpt llm ai_assistant virtual_assistant voicebot ai_agent',
  human_agent: 'human_agent agent operator admin support representative rep staff advisor teammate employee',
  system: 'system developer trigger automation',
  tool: 'tool function tool_result function_response observation',
})

/**
 * The role for a name from a table, help desk or data set, in any case: `customer` is the user, `bot` the assistant,
 * and `agent` a human agent.
 *
 * @param chosen roles chosen by the user, such as `{ 'role:agent': 'assistant' }`; they take precedence
 */
export function aliasedRole(spelling: unknown, chosen?: Record<string, string>): Role | undefined {
  if (typeof spelling !== 'string') return undefined
  if (chosen === undefined) return roleOf(spelling)
  const own = `role:${spelling.trim()}`
  return roleOf(Object.hasOwn(chosen, own) ? (chosen[own] ?? '') : spelling)
}

function roleOf(spelling: string): Role | undefined {
  return aliases.get(spelling) ?? aliases.get(normalizedName(spelling))
}
