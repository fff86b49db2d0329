import { asObject, isObject, type JsonObject, textOf } from '../../json/index.js'

/** The events of a conversation by the ids that other events name. */
interface EventLog {
  /** The last event of each tool call. */
  lastOfCall: Map<string, JsonObject>
  /** The ids of the calls that an action makes. */
  calls: Set<string>
  /** The answer of each call that ends a conversation. */
  answers: Map<string, string>
}

interface Links {
  id: string | undefined
  parent: string | undefined
  log: EventLog
}

const links = new WeakMap<object, Links>()

/** The id and parent of an event, and the log that it is in. */
export const linksOf = (event: JsonObject): Partial<Links> => links.get(event) ?? {}

export const stateUpdate = 'ConversationStateUpdateEvent'

/** The id of the call that an event before version 1 makes or answers: that of the model, or the number of the action. */
export function callIdOf(event: JsonObject): string | undefined {
  const number = event.action === undefined ? event.cause : event.id
  const own = typeof number === 'number' ? String(number) : undefined
  return textOf(asObject(event.tool_call_metadata).tool_call_id) ?? own
}

/**
 * A function that links each event in turn to its parent. An event that names none, or one whose file is damaged, follows the
 * event before it. One whose parent is no id, but a word, starts over.
 */
export function eventLinker(): (event: unknown) => void {
  const log: EventLog = { lastOfCall: new Map(), calls: new Set(), answers: new Map() }
  const ids = new Set<string>()
  let before: string | undefined
  const link = (event: JsonObject) => {
    const id = textOf(event.id) ?? `#${ids.size}`
    const named = textOf(event.parent_id)
    const isNew = named !== undefined && !ids.has(named) && !/\d/.test(named)
    const parent = named !== undefined && ids.has(named) ? named : isNew ? undefined : before
    if (event.kind !== stateUpdate && !ids.has(id)) before = id
    ids.add(id)
    return { id, parent, log }
  }
  return (event) => {
    if (!isObject(event)) return
    const call = textOf(event.tool_call_id)
    if (call !== undefined) log.lastOfCall.set(call, event)
    const isCall = textOf(event.action) !== undefined && event.action !== 'message' && event.source === 'agent'
    if (isCall) log.calls.add(callIdOf(event) ?? '')
    links.set(event, typeof event.kind === 'string' ? link(event) : { id: undefined, parent: undefined, log })
  }
}
