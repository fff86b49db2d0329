import { defineFormat, type FileRecord, type Format, type FormatDeclaration, placeIn } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import type { Place } from '../../model/index.js'
import { addEvent } from './events.js'
import { eventLinker, linksOf, stateUpdate } from './links.js'
import { addOlderEvent } from './older.js'

const shared = {
  id: 'openhands',
  title: 'OpenHands conversation',
  conversation: {
    name: 'title',
    externalId: ['instance_id', 'conversation_id', 'id'],
    modelName: ({ agent, llm_model, metadata }) => {
      const { llm, acp_model } = asObject(agent)
      const { llm_config, llm: evaluated } = asObject(metadata)
      const named = [asObject(llm).model, llm_model, asObject(llm_config).model, asObject(evaluated).model]
      // An agent outside of OpenHands has a model of its own.
      return named.find((model) => model !== undefined && model !== null && model !== 'acp-managed') ?? acp_model
    },
    sourceTimestamp: 'created_at',
    metadata: {
      cwd: ['workspace.working_dir', 'working_dir'],
      repository: 'selected_repository',
      branch: 'selected_branch',
      parent_session: 'parent_conversation_id',
    },
  },
  tree: {
    id: (event) => linksOf(event).id,
    parent: (event) => linksOf(event).parent,
    last: 'leaf_event_id',
    log: true,
    aside: ({ kind }) => kind === stateUpdate,
  },
  addMessage(event: JsonObject, place: Place, conversation: ConversationBuilder) {
    if (typeof event.kind === 'string') addEvent(event, place, conversation)
    else addOlderEvent(event, place, conversation)
  },
  structure:
    'source kind action observation security_risk execution_status origin agent_class trigger confirmation_state is_input task_completed function_name',
} satisfies Partial<FormatDeclaration<'openhands'>>

/** The kinds of events of the SDK. */
const kinds =
  'SystemPromptEvent|MessageEvent|ActionEvent|ObservationEvent|AgentErrorEvent|UserRejectObservation|ACPToolCallEvent|Condensation*|ConversationStateUpdateEvent|ConversationErrorEvent|PauseEvent|InterruptEvent|TokenEvent|LLMCompletionLogEvent|HookExecutionEvent|StreamingDeltaEvent|AskUser*'

/** Events that are records of their own, behind the state of the conversation. */
const log = defineFormat({
  ...shared,
  accepts:
    'events { "kind", "id", "timestamp", "source" } or { "id", "timestamp", "source", "action" | "observation" }',
  signature: {
    [`kind=${kinds} source=user|agent|environment`]: 0.98,
    'timestamp source=user|agent|environment action args': 0.95,
    'timestamp source=user|agent|environment observation extras': 0.95,
    'agent.llm.model max_iterations id': 0.95,
    'conversation_id created_at trigger': 0.2,
    'id sandbox_id created_at': 0.2,
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
      [`${name}[].kind=${kinds} ${name}[].source=user|agent|environment`, 0.97],
      [`${name}[].action ${name}[].source=user|agent|environment ${name}[].timestamp`, 0.97],
    ]),
  ),
  messages: lists,
  order: 'timestamp',
  // An instance that failed before its first event.
  empty: 'instance_id metadata',
  failure: 'error',
  lost: ['instruction', 'instance', 'test_result', 'metrics', 'next_page_id'],
})

/** Logs and lists of the events of OpenHands. */
export const openhands: Format<'openhands'> = defineFormat({
  id: 'openhands',
  title: shared.title,
  accepts: `${log.accepts}, or ${list.accepts}`,
  fields: [...log.fields, ...list.fields],
  structure: `${log.structure} ${list.structure}`,
  signature: (value) => Math.max(log.detect(value), list.detect(value)),
  // Each record is read by the declaration that knows it, after its event is linked to those before it.
  reader(context) {
    const [ofLog, ofList] = [log.reader(context), list.reader(context)]
    const link = eventLinker()
    /** The first two records. */
    const first: FileRecord[] = []
    return {
      read(record) {
        const { value } = record
        if (list.detect(value) > 0 && isObject(value)) {
          for (const name of lists) inOrder(objectsOf(value[name])).forEach(eventLinker())
          return ofList.read(record)
        }
        if (first.length < 2) first.push(record)
        link(value)
        return ofLog.read(record)
      },
      *end() {
        const [record, ...others] = first
        if (!record || others.length > 0) yield* ofLog.end()
        else if (isFirst(record.value))
          context.report('expected the events of a conversation beside it, found none', placeIn(record), 'nothing_said')
        else context.report(`expected a log of events, found one of them. ${giveAll}`, placeIn(record))
      },
      broken: (message, place) => ofLog.broken?.(message, place),
    }
  },
})

const giveAll = 'Give base_state.json or metadata.json, which stands for all, or a list of the events'

/** True for a record that stands for a conversation. */
const isFirst = (value: unknown): boolean => isObject(value) && value.timestamp === undefined

/** Events by time: an answer of the server may begin with the newest. */
function inOrder(events: readonly JsonObject[]): readonly JsonObject[] {
  const timeOf = (event: JsonObject | undefined) => textOf(event?.timestamp) ?? ''
  return timeOf(events[0]) > timeOf(events.at(-1)) ? events.toReversed() : events
}
