import type { FormatDeclaration } from '../../contract/index.js'
import { addApiMessage } from './cline-api.js'

/** Sessions of the Cline CLI and SDK: `~/.cline/data/sessions/SESSION/SESSION.messages.json`, version 1. */
export const clineSession: FormatDeclaration<'cline'> = {
  title: 'Cline session',
  id: 'cline',
  accepts:
    '{ "version": 1, "agent": "lead" | "subagent" | "teammate", "sessionId", "messages": [{ "role", "content", "ts" }] }',
  signature: { 'sessionId agent=lead|subagent|teammate messages[].role messages[].content': 0.98 },
  empty: 'sessionId agent=lead|subagent|teammate messages[]',
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
  messages: 'messages',
  addMessage: addApiMessage,
  structure: 'provider family',
}
