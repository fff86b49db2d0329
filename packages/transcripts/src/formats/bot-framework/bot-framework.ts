import { defineFormat } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf } from '../../json/index.js'

/** Transcripts of the Bot Framework, which its Emulator and transcript stores write. */
export const botFramework = defineFormat({
  id: 'bot-framework',
  title: 'Bot Framework transcript',
  accepts:
    '[{ "type": "message", "id", "timestamp", "channelId", "from": { "id", "role" }, "conversation": { "id" }, "text" }]',
  signature: {
    'type channelId from.id conversation.id timestamp': 0.95,
    'type from.role=user|bot|skill conversation.id timestamp': 0.95,
  },
  fields: 'channelId from recipient conversation replyToId',
  conversation: { externalId: 'conversation.id' },
  role: ({ type, from }) => (type === 'message' ? asObject(from).role : type),
  roles: {
    user: 'user',
    assistant: 'bot skill',
    omitted:
      'conversationUpdate endOfConversation event invoke invokeResponse typing trace messageUpdate messageDelete messageReaction contactRelationUpdate installationUpdate handoff delay',
  },
  speaker: 'from.name',
  text: 'text',
  files: ({ attachments }) => objectsOf(attachments).map(fileOf),
  time: 'timestamp',
  structure:
    'type role channelId serviceUrl textFormat inputHint attachmentLayout deliveryMode replyToId locale localTimestamp localTimezone aadObjectId contentType label valueType importance callerId',
})

const fileOf = ({ name, contentType, contentUrl }: JsonObject): JsonObject => ({
  type: 'file',
  file_name: name,
  mime_type: contentType,
  url: contentUrl,
})
