import { defineFormat, roleByFlag } from '../../contract/index.js'
import { attachmentParts, isPrivate } from './message.js'

/** Tickets of Freshdesk and Freshservice with their conversations. */
export const freshdesk = defineFormat({
  id: 'freshdesk',
  title: 'Freshdesk ticket',
  accepts: '{ "id", "subject", "description_text", "conversations": [{ "body_text", "incoming", "private" }] }',
  signature: {
    'conversations[].incoming conversations[].body_text': 0.97,
    'conversations[].incoming conversations[].body': 0.97,
    'description_text requester_id conversations': 0.95,
    // A ticket without replies has an empty list.
    'description_text requester_id conversations[]': 0.95,
  },
  conversations: 'ticket',
  conversation: {
    name: 'subject',
    externalId: 'id',
    externalUserId: 'requester_id',
    sourceTimestamp: 'created_at',
    metadata: { status: 'status', priority: 'priority', type: 'type', tags: 'tags' },
  },
  // The ticket itself is the first message.
  opening: ({ description_text: text, description: html, requester_id: id, created_at: at, attachments }) => ({
    body_text: text,
    body: html,
    user_id: id,
    incoming: true,
    created_at: at,
    attachments,
  }),
  messages: 'conversations',
  order: 'created_at',
  role: ({ incoming, user_id: id }, _, { requester_id: requester }) =>
    id !== undefined && id === requester ? 'customer' : roleByFlag(incoming, 'customer', 'agent'),
  roles: { user: 'customer', human_agent: 'agent' },
  text: 'body_text',
  html: 'body',
  files: ({ attachments }) => attachmentParts(attachments),
  time: 'created_at',
  note: isPrivate,
  metadata: { from: 'from_email', to: 'to_emails', cc: 'cc_emails', bcc: 'bcc_emails' },
  lost: [
    'custom_fields',
    'cc_emails',
    'to_emails',
    'fwd_emails',
    'reply_cc_emails',
    'ticket_cc_emails',
    'requester',
    'stats',
  ],
  structure: 'support_email attachment_url',
})
