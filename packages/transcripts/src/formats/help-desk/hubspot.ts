import { defineFormat } from '../../contract/index.js'
import { type JsonObject, objectsOf } from '../../json/index.js'
import { attachmentParts, namesOf } from './message.js'

/** The messages of a thread, as the conversations API of HubSpot lists them. */
export const hubspot = defineFormat({
  id: 'hubspot',
  title: 'HubSpot thread',
  accepts: '{ "results": [{ "conversationsThreadId", "type": "MESSAGE", "direction", "createdBy", "text" }] }',
  signature: { 'results[].conversationsThreadId results[].type': 0.97 },
  conversation: {
    name: ({ results }) => objectsOf(results).findLast(({ subject }) => subject)?.subject,
    externalId: ({ results }) => objectsOf(results)[0]?.conversationsThreadId,
  },
  messages: 'results',
  // The newest message is the first.
  order: 'createdAt',
  role: hubspotRole,
  roles: { user: 'visitor', human_agent: 'agent', assistant: 'bot', omitted: '*' },
  text: 'text',
  html: 'richText',
  files: ({ attachments }) => attachmentParts(attachments),
  time: 'createdAt',
  // Comments are internal.
  note: ({ type }) => type === 'COMMENT',
  metadata: {
    author: ({ senders }, note) => namesOf(objectsOf(senders), note)[0],
    to: ({ recipients }, note) => namesOf(objectsOf(recipients), note),
    subject: 'subject',
  },
  structure:
    'type direction clientType createdBy newStatus truncationStatus senderField recipientField fileUsageType link after updatedAt id conversationsThreadId actorId channelId channelAccountId fileId url',
})

/** The id of an actor begins with its kind: `A-` for agents, `B-` and `L-` for bots. */
function hubspotRole({ type, direction, createdBy }: JsonObject): unknown {
  if (type === 'WELCOME_MESSAGE') return 'bot'
  if (type !== 'MESSAGE' && type !== 'COMMENT') return type
  if (direction === 'INCOMING') return 'visitor'
  return typeof createdBy === 'string' && /^[BL]-/.test(createdBy) ? 'bot' : 'agent'
}
