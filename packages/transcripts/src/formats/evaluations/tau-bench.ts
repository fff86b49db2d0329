import {
  conversationOf,
  type FileRecord,
  type Format,
  placeIn,
  type ReaderContext,
  scoreOfList,
  unlessFailed,
} from '../../contract/index.js'
import { idOf } from '../../conversation/index.js'
import { asObject, defined, describe, isObject, type JsonObject } from '../../json/index.js'
import { openaiMessage } from '../../messages/index.js'
import { type ConversationDraft, elementsOf, reasons, within } from '../../model/index.js'

/** Results of tau-bench: one record is one trial of one task. */
export const tauBench: Format<'tau-bench'> = {
  id: 'tau-bench',
  title: 'tau-bench results',
  accepts: '{ "task_id", "trial"?, "reward", "info", "traj": [{ "role", "content", "tool_calls"? }] }',
  fields: ['task_id', 'trial', 'reward', 'info', 'traj', 'messages_display'],
  detect(value) {
    if (!isObject(value)) return 0
    if (isPrinted(value)) return 0.9
    if (!Array.isArray(value.traj) || !('task_id' in value || 'reward' in value)) return 0
    return value.traj.length === 0 || scoreOfList(value.traj, openaiMessage.score) > 0 ? 0.95 : 0.5
  },
  reader(notes) {
    let isRefused = false
    return {
      read(record) {
        const { value } = record
        if (!isObject(value) || !isPrinted(value)) return readTrial(record, notes)
        // All records of such a file are of this kind, so one message is enough.
        if (!isRefused) notes.report(whyRefused, within(placeIn(record), 'messages_display'))
        isRefused = true
        return []
      },
      end: () => [],
    }
  },
}

const whyRefused =
  'expected a list of messages; found a conversation printed as one text, which has no tool calls and no reliable speakers. Use the result files of the run (with "traj") instead'

function isPrinted({ messages_display: printed, messages, traj }: JsonObject): boolean {
  return typeof printed === 'string' && messages === undefined && traj === undefined
}

const knownFields = new Set(['task_id', 'trial', 'reward', 'traj', 'info'])

function readTrial(record: FileRecord, notes: ReaderContext): ConversationDraft[] {
  const { value } = record
  const place = placeIn(record)
  if (!isObject(value) || !Array.isArray(value.traj)) {
    const found = isObject(value) && 'traj' in value ? describe(value.traj) : describe(value)
    const at = isObject(value) && 'traj' in value ? within(place, 'traj') : place
    notes.report(`expected ${tauBench.accepts}; found ${found}`, at)
    return []
  }
  const conversation = conversationOf(elementsOf(value.traj, within(place, 'traj')), openaiMessage, notes)
  conversation.losses.addField('info', value.info, '', reasons.notConversation)
  conversation.losses.addFields(value, knownFields)
  const task = idOf(value.task_id)
  const trial = idOf(value.trial)
  const reward = typeof value.reward === 'number' ? value.reward : undefined
  const metadata = defined<JsonObject>({ task_id: task, trial, reward })
  const externalId = task === undefined || trial === undefined ? task : `${task}:${trial}`
  // A trial that failed has no messages.
  return unlessFailed(conversation.build({ externalId, metadata, place }), asObject(value.info).error, notes)
}
