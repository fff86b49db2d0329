import { defineFormat } from '../../contract/index.js'
import { asObject, objectsOf } from '../../json/index.js'
import { attachmentParts, isPrivate } from './message.js'

/** Conversations of Help Scout with their threads, or the threads alone. */
export const helpScout = defineFormat({
  id: 'help-scout',
  title: 'Help Scout conversation',
  accepts: '{ "id", "subject", "_embedded": { "threads": [{ "type", "body", "createdBy", "createdAt" }] } }',
  signature: { '_embedded.threads[].type _embedded.threads[].createdBy': 0.97 },
  conversations: '_embedded.conversations',
  conversation: {
    name: 'subject',
    externalId: 'id',
    externalUserId: ['primaryCustomer.id', 'customer.id'],
    sourceTimestamp: 'createdAt',
    metadata: {
      status: 'status',
      tags: ({ tags }) => objectsOf(tags).map(({ tag }) => tag),
    },
  },
  messages: '_embedded.threads',
  // The newest thread is the first.
  order: 'createdAt',
  role: ({ type, createdBy }) => (type === 'lineitem' ? type : asObject(createdBy).type),
  roles: { user: 'customer', human_agent: 'user team', assistant: 'system_user', omitted: 'lineitem' },
  text: () => undefined,
  html: 'body',
  files: ({ _embedded: embedded }) => attachmentParts(asObject(embedded).attachments),
  time: 'createdAt',
  note: isPrivate,
  metadata: {
    author: ({ createdBy }) => asObject(createdBy).email,
    action: 'action.text',
    to: 'to',
    cc: 'cc',
    bcc: 'bcc',
  },
  lost: ['preview', 'primaryCustomer', 'assignee', 'customFields', 'cc', 'bcc', 'createdBy', 'closedByUser'],
  structure: 'color href photoUrl via state first last email mailboxId',
})
