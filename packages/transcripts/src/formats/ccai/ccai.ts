import { defineFormat } from '../../contract/index.js'

/** Conversations of Google Contact Center AI Insights, as its API gives them, or as they are uploaded to it. */
export const ccai = defineFormat({
  id: 'ccai',
  title: 'Contact Center AI conversation',
  accepts:
    '{ "name", "transcript": { "transcriptSegments": [{ "text", "segmentParticipant": { "role" } }] } }, or { "entries": [{ "role", "text", "start_timestamp_usec" }] }',
  signature: {
    'transcript.transcriptSegments[].text': 0.97,
    'entries[].role=CUSTOMER|AGENT|AUTOMATED_AGENT entries[].text': 0.95,
  },
  conversation: {
    externalId: ['name', 'conversation_info.conversation_id'],
    language: 'languageCode',
    sourceTimestamp: 'startTime',
    metadata: { medium: 'medium', agent: 'agentId', labels: 'labels', summary: 'latestSummary.text' },
  },
  messages: ['transcript.transcriptSegments', 'entries'],
  role: ['segmentParticipant.role', 'dialogflowSegmentMetadata.role', 'role'],
  roles: {
    user: 'END_USER CUSTOMER',
    human_agent: 'HUMAN_AGENT AGENT ANY_AGENT',
    assistant: 'AUTOMATED_AGENT',
  },
  text: 'text',
  time: ['messageTime', 'start_timestamp_usec'],
  structure: 'role languageCode medium',
})
