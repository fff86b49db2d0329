import { defineFormat } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf } from '../../json/index.js'

/** Threads of Amp: blocks of Anthropic, with results that name their call by `toolUseID`. */
export const amp = defineFormat({
  id: 'amp',
  title: 'Amp thread',
  accepts: '{ "v", "id": "T-…", "messages": [{ "role", "content": [{ "type" }], "meta" }] }',
  signature: { 'v id=T-* messages[]': 0.98 },
  conversation: {
    name: 'title',
    externalId: 'id',
    sourceTimestamp: 'created',
    metadata: { cwd: ({ env }) => rootIn(env), agent_mode: 'agentMode' },
  },
  messages: 'messages',
  roles: { user: 'user', assistant: 'assistant', system: 'system info' },
  text: blocksIn,
  time: ['meta.sentAt', 'usage.timestamp'],
  model: 'usage.model',
  structure: 'trees uri displayName stopReason agentMode platform client',
})

function rootIn(env: unknown): unknown {
  const { cwd, trees } = asObject(asObject(env).initial)
  return cwd ?? objectsOf(trees)[0]?.uri
}

function blocksIn({ content }: JsonObject): unknown {
  if (typeof content === 'string') return content
  return objectsOf(content).map((block) => {
    if (block.type !== 'tool_result') return block
    const { status, result, error } = asObject(block.run)
    const output = result ?? asObject(error).message ?? error
    return {
      type: 'tool_result',
      tool_use_id: block.toolUseID ?? block.tool_use_id,
      content: output ?? block.content ?? '',
      is_error: status === 'error',
    }
  })
}
