import { defineFormat } from '../../contract/index.js'
import { type JsonObject, objectsOf } from '../../json/index.js'

/** Transcripts of chats in Amazon Connect, and calls and chats that Contact Lens analysed. */
export const amazonConnect = defineFormat({
  id: 'amazon-connect',
  title: 'Amazon Connect or Contact Lens transcript',
  accepts: '{ "Participants", "Transcript": [{ "ParticipantId", "Content", "AbsoluteTime" or "BeginOffsetMillis" }] }',
  signature: {
    'Participants[] Transcript[].ParticipantId': 0.97,
    'ContactId Transcript[].ParticipantId': 0.97,
    'CustomerMetadata.ContactId Transcript[].ParticipantId': 0.97,
  },
  empty: 'Participants[] Transcript[]',
  conversation: {
    externalId: ['ContactId', 'CustomerMetadata.ContactId'],
    language: 'LanguageCode',
    metadata: {
      channel: 'Channel',
      summary: 'ConversationCharacteristics.ContactSummary.PostContactSummary.Content',
      categories: 'Categories.MatchedCategories',
    },
  },
  messages: 'Transcript',
  role: ({ Type: type, ParticipantRole: role, ParticipantId: id }, _, { Participants: participants }) =>
    type === 'EVENT' ? type : (role ?? participantRole(id, objectsOf(participants)) ?? id),
  // Bots and flows speak as the system.
  roles: {
    user: 'CUSTOMER',
    human_agent: 'AGENT SUPERVISOR',
    assistant: 'SYSTEM CUSTOM_BOT',
    omitted: 'EVENT',
  },
  text: 'Content',
  files: ({ Attachments: attachments }) =>
    objectsOf(attachments).map(({ AttachmentName: name, ContentType: type }) => ({ name, mime_type: type })),
  time: 'AbsoluteTime',
  metadata: {
    author: 'DisplayName',
    sentiment: 'Sentiment',
    // The times of a call count from its start, which the file does not have.
    start: ({ BeginOffsetMillis: start }) => secondsOf(start),
    end: ({ EndOffsetMillis: end }) => secondsOf(end),
  },
  structure:
    'Id ContentType Type Version InstanceId AWSAccountId AccountId JobStatus Output ParticipantRole ParticipantId Status AttachmentName InputS3Uri SentimentLabel AttachmentId',
})

const participantRole = (id: unknown, participants: readonly JsonObject[]) =>
  participants.find(({ ParticipantId }) => ParticipantId === id)?.ParticipantRole

const secondsOf = (milliseconds: unknown) => (typeof milliseconds === 'number' ? milliseconds / 1000 : undefined)
