import { defineFormat, type Note, roleByFlag } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf } from '../../json/index.js'
import { attachmentParts, isPrivate, namesOf } from './message.js'

/** Tickets of Gorgias with their messages. */
export const gorgias = defineFormat({
  id: 'gorgias',
  title: 'Gorgias ticket',
  accepts: '{ "id", "subject", "messages": [{ "from_agent", "public", "body_text", "created_datetime" }] }',
  signature: { 'messages[].from_agent messages[].created_datetime': 0.97 },
  conversations: 'data',
  conversation: {
    name: 'subject',
    externalId: 'id',
    externalUserId: 'customer.id',
    language: 'language',
    sourceTimestamp: 'created_datetime',
    metadata: {
      channel: 'channel',
      status: 'status',
      priority: 'priority',
      tags: ({ tags }) => objectsOf(tags).map(({ name }) => name),
    },
  },
  messages: 'messages',
  order: 'created_datetime',
  role: ({ from_agent: isAgent, via, rule_id: rule }) =>
    roleByFlag(isAgent, via === 'rule' || typeof rule === 'number' ? 'rule' : 'agent', 'customer'),
  // Rules answer by themselves.
  roles: { user: 'customer', human_agent: 'agent', assistant: 'rule' },
  text: textIn,
  html: 'body_html',
  files: ({ attachments }) => attachmentParts(attachments),
  time: ['sent_datetime', 'created_datetime'],
  note: (message) => isPrivate(message) || message.channel === 'internal-note',
  metadata: {
    author: ({ sender }, note) => namesOf([asObject(sender)], note)[0],
    to: ({ receiver }, note) => namesOf([asObject(receiver)], note),
    subject: 'subject',
  },
  lost: ['customer', 'assignee_user', 'assignee_team', 'satisfaction_survey', 'integrations', 'excerpt'],
  structure: 'uri via channel from_agent created_datetime sent_datetime updated_datetime url',
})

/** The text; the one without quoted replies and signatures repeats a part of it. */
function textIn({ body_text: text, stripped_text: stripped, stripped_html: html }: JsonObject, note: Note): unknown {
  const isPart = typeof text === 'string' && typeof stripped === 'string' && text.includes(stripped.trim())
  if (isPart) note(stripped)
  if (html) note.repeated(html, 'HTML without quoted replies')
  return text || stripped
}
