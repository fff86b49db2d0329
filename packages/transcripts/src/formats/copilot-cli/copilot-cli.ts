import { defineFormat } from '../../contract/index.js'
import { asObject, isObject, type JsonObject } from '../../json/index.js'

/** The events of a session of the GitHub Copilot CLI. */
export const copilotCli = defineFormat({
  id: 'copilot-cli',
  title: 'GitHub Copilot CLI session',
  accepts: 'lines { "type": "session.start" | "user.message" | "assistant.message" | …, "data", "id", "timestamp" }',
  signature: {
    'type=session.*|user.*|assistant.*|tool.*|hook.*|system.*|subagent.*|skill.*|abort data id timestamp': 0.95,
  },
  header: 'type=session.start',
  conversation: {
    externalId: 'data.sessionId',
    modelName: 'data.selectedModel',
    sourceTimestamp: 'data.startTime',
    metadata: {
      cwd: 'data.context.cwd',
      git_branch: 'data.context.branch',
      repository: 'data.context.repository',
      version: 'data.copilotVersion',
    },
  },
  role: 'type',
  roles: { user: 'user.message', assistant: 'assistant.message', tool: 'tool.execution_complete', omitted: '*' },
  text: 'data.content',
  files: ({ data }) => (isObject(data) ? data.attachments : undefined),
  thinking: 'data.reasoningText',
  subagent: 'data.parentToolCallId',
  time: 'timestamp',
  model: 'data.model',
  calls: { in: 'data.toolRequests', id: 'toolCallId', name: 'name', args: 'arguments' },
  results: {
    id: 'data.toolCallId',
    output: ({ data }) => outputOf(asObject(data)),
    error: ({ data }) => isObject(data) && data.success === false,
  },
  structure: 'producer hostType headCommit baseCommit',
})

function outputOf({ result, error }: JsonObject): unknown {
  return asObject(result).content ?? asObject(error).message ?? result
}
