import { defineFormat } from '../../contract/index.js'
import { isObject } from '../../json/index.js'

/** Chats of Cursor, which it keeps in SQLite (`@svc/transcripts/sqlite`): a composer with its messages, which are called bubbles. */
export const cursorChat = defineFormat({
  id: 'cursor-chat',
  title: 'Cursor chat',
  accepts: '{ "composerId", "name", "conversation": [{ "type": 1 | 2, "text", "toolFormerData" }] }',
  signature: { 'composerId conversation[].bubbleId': 0.97, 'composerId conversation[].type': 0.9 },
  conversation: {
    name: 'name',
    externalId: 'composerId',
    sourceTimestamp: 'createdAt',
    metadata: { mode: 'unifiedMode' },
  },
  messages: 'conversation',
  role: ({ type }) => (type === 1 ? 'user' : type === 2 ? 'assistant' : type),
  text: 'text',
  thinking: ({ thinking }) => (isObject(thinking) ? thinking.text : thinking),
  time: ['createdAt', 'timingInfo.clientStartTime'],
  model: 'modelInfo.modelName',
  calls: {
    in: 'toolFormerData',
    id: 'toolCallId',
    name: 'name',
    args: ['rawArgs', 'params'],
    output: ['result', 'error'],
    error: ({ status, error }) => status === 'error' || error !== undefined,
  },
  structure: 'bubbleId status unifiedMode forceMode checkpointId requestId serverBubbleId usageUuid capabilityType',
})
