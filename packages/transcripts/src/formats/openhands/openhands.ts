import { type FileRecord, type Format, placeIn } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { defineFormat, type FormatDeclaration } from '../../declared/index.js'
import { asList, isObject, type JsonObject, textOf } from '../../json/index.js'
import type { Place } from '../../model/index.js'
import { addEvent } from './events.js'
import { addOlderEvent } from './older.js'

/** The id of an event, and that of its parent. */
const links = new WeakMap<object, { id: string; parent: string | undefined }>()

const shared = {
  id: 'openhands',
  title: 'OpenHands conversation',
  conversation: {
    name: 'title',
    externalId: ['instance_id', 'conversation_id', 'id'],
    modelName: ['agent.llm.model', 'llm_model', 'metadata.llm_config.model', 'metadata.llm.model'],
    sourceTimestamp: 'created_at',
    metadata: {
      cwd: ['workspace.working_dir', 'working_dir'],
      repository: 'selected_repository',
      branch: 'selected_branch',
      parent_session: 'parent_conversation_id',
    },
  },
  tree: {
    id: (event) => links.get(event)?.id,
    parent: (event) => links.get(event)?.parent,
    last: 'leaf_event_id',
  },
  addMessage(event: JsonObject, place: Place, conversation: ConversationBuilder) {
    if (typeof event.kind === 'string') addEvent(event, place, conversation)
    else addOlderEvent(event, place, conversation)
  },
  structure:
    'source kind action observation security_risk execution_status origin agent_class trigger confirmation_state is_input task_completed function_name',
} satisfies Partial<FormatDeclaration<'openhands'>>

/** Events that are records of their own, behind the state of the conversation. */
const log = defineFormat({
  ...shared,
  accepts:
    'events { "kind", "id", "timestamp", "source" } or { "id", "timestamp", "source", "action" | "observation" }',
  signature: {
    'kind=MessageEvent|ActionEvent|ObservationEvent|SystemPromptEvent source=user|agent|environment': 0.98,
    'kind id timestamp source=user|agent|environment': 0.8,
    'timestamp source=user|agent|environment action args': 0.95,
    'timestamp source=user|agent|environment observation extras': 0.95,
    'agent.llm.model max_iterations id': 0.95,
    'conversation_id created_at trigger': 0.6,
    'id sandbox_id created_at': 0.6,
  },
  header: ['agent.llm.model max_iterations', 'conversation_id created_at', 'sandbox_id created_at'],
  lost: ['agent'],
})

/** The lists of events in answers of the server, and in results of evaluations. */
const lists = ['trajectory', 'history', 'events', 'items']

const list = defineFormat({
  ...shared,
  accepts: '{ "trajectory" | "history" | "events" | "items": [events] }',
  signature: Object.fromEntries(
    lists.flatMap((name): [string, number][] => [
      [`${name}[].kind ${name}[].source=user|agent|environment ${name}[].timestamp`, 0.97],
      [`${name}[].action ${name}[].source=user|agent|environment ${name}[].timestamp`, 0.97],
    ]),
  ),
  messages: lists,
  lost: ['instruction', 'instance', 'test_result', 'metrics', 'error'],
})

/** Logs and lists of the events of OpenHands. */
export const openhands: Format<'openhands'> = {
  id: 'openhands',
  title: shared.title,
  accepts: `${log.accepts}, or ${list.accepts}`,
  fields: [...log.fields, ...list.fields],
  structure: `${log.structure} ${list.structure}`,
  detect: (value) => Math.max(log.detect(value), list.detect(value)),
  reader(context) {
    const [ofLog, ofList] = [log.reader(context), list.reader(context)]
    const link = linker()
    const alone: FileRecord[] = []
    return {
      read(record) {
        const { value } = record
        if (list.detect(value) > 0 && isObject(value)) {
          for (const name of lists) asList(value[name]).forEach(linker())
          return ofList.read(record)
        }
        if (alone.length < 2) alone.push(record)
        link(value)
        return ofLog.read(record)
      },
      *end() {
        const [first, ...others] = alone
        if (first && others.length === 0)
          context.report(
            'expected a log of events, found one record of a conversation. Name its base_state.json or metadata.json, or put the events into a list',
            placeIn(first),
          )
        else yield* ofLog.end()
      },
      broken: (message, place) => ofLog.broken?.(message, place),
    }
  },
}

/**
 * A function that links each event in turn to its parent. One that names none follows the event before it, and so does one
 * whose parent is missing, as its file is damaged. The mark of an event that begins anew is no such id.
 */
function linker(): (event: unknown) => void {
  const ids = new Set<string>()
  let before: string | undefined
  return (event) => {
    if (!isObject(event) || typeof event.kind !== 'string') return
    const id = textOf(event.id) ?? `#${ids.size}`
    const named = textOf(event.parent_id)
    const isMissing = named !== undefined && !ids.has(named) && /^[\da-f-]{8,}$/i.test(named)
    links.set(event, { id, parent: isMissing ? before : (named ?? before) })
    ids.add(id)
    before = id
  }
}
