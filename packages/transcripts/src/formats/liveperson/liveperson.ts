import { defineFormat } from '../../contract/index.js'
import { asObject, objectsOf } from '../../json/index.js'

/** The message history of LivePerson. */
export const liveperson = defineFormat({
  id: 'liveperson',
  title: 'LivePerson conversation',
  accepts: '{ "conversationHistoryRecords": [{ "info", "messageRecords": [{ "messageData", "sentBy", "timeL" }] }] }',
  signature: { 'messageRecords[].sentBy messageRecords[].messageData': 0.97 },
  conversations: 'conversationHistoryRecords',
  empty: 'info.conversationId messageRecords[]',
  conversation: {
    externalId: 'info.conversationId',
    sourceTimestamp: ['info.startTimeL', 'info.startTime'],
    metadata: {
      close_reason: 'info.closeReason',
      skill: 'info.latestSkillName',
      mcs: 'info.mcs',
    },
  },
  messages: 'messageRecords',
  order: 'timeL',
  // The user type 2 is a bot.
  role: ({ sentBy, participantId: id }, _, { agentParticipants: agents }) =>
    objectsOf(agents).some(({ agentId, userType }) => agentId === id && (userType === '2' || userType === 2))
      ? 'Bot'
      : sentBy,
  roles: {
    user: 'Consumer consumer',
    human_agent: 'Agent agent Manager manager',
    assistant: 'Bot',
    system: 'System system Controller controller',
  },
  text: [
    'messageData.msg.text',
    'messageData.file.caption',
    'messageData.richContent.content',
    'messageData.quickReplies.content',
  ],
  files: ({ messageData: data }) => {
    const { relativePath: name } = asObject(asObject(data).file)
    return name === undefined ? [] : [{ type: 'file', file_name: name }]
  },
  time: ['timeL', 'time'],
  // Others are for agents and managers.
  note: ({ audience }) => typeof audience === 'string' && audience !== 'ALL',
  lost: [
    'campaign',
    'consumerParticipants',
    'agentParticipants',
    'agentParticipantsActive',
    'agentParticipantsLeave',
    'transfers',
    'interactions',
    'sdes',
    'unAuthSdes',
    'messageScores',
    'messageStatuses',
    'conversationSurveys',
    'dialogs',
    'intents',
    'monitoring',
  ],
  structure:
    'fileType sentBy source audience device participantId integrationSource contextData latestAgentFullName messageId dialogId',
})
