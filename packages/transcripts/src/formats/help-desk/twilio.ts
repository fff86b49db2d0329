import { defineFormat } from '../../contract/index.js'
import { objectsOf } from '../../json/index.js'
import { attachmentParts } from './message.js'

/** The messages of a conversation, as the Conversations API of Twilio lists them. */
export const twilio = defineFormat({
  id: 'twilio',
  title: 'Twilio conversation',
  accepts: '{ "messages": [{ "sid": "IM…", "conversation_sid", "author", "body", "date_created" }] }',
  signature: { 'messages[].sid=IM* messages[].author': 0.97 },
  conversation: { externalId: ({ messages }) => objectsOf(messages)[0]?.conversation_sid },
  messages: 'messages',
  order: 'index',
  role: () => undefined,
  roles: {},
  // The file does not say who is an agent.
  speaker: 'author',
  text: 'body',
  files: ({ media }) => attachmentParts(media),
  time: 'date_created',
  structure:
    'sid account_sid conversation_sid participant_sid chat_service_sid messaging_service_sid content_sid date_created date_updated url key attributes delivery_receipts channel_metadata first_page_url previous_page_url next_page_url category',
})
