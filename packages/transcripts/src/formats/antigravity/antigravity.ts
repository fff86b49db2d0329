import { countUnknownRole, defineFormat } from '../../contract/index.js'
import { type ConversationBuilder, idOf } from '../../conversation/index.js'
import { asList, asObject, type JsonObject, objectsOf, parseBounded, textOf } from '../../json/index.js'
import { OpenCalls, type Place } from '../../model/index.js'

/** Transcripts of Antigravity: a line for each step of the user, the model, a tool or the program. */
export const antigravity = defineFormat({
  id: 'antigravity',
  title: 'Antigravity transcript',
  accepts: 'lines { "step_index", "source", "type": "USER_INPUT" | "PLANNER_RESPONSE" | …, "content", "created_at" }',
  signature: { 'step_index source type': 0.97, 'source=USER_EXPLICIT|MODEL|SYSTEM type content': 0.8 },
  addMessage: addStep,
  structure: 'source status truncated_fields',
})

/** The model, and the calls of the last answer that have no result yet. */
interface Progress {
  model?: string | undefined
  calls: OpenCalls<string>
}

const progressOf = new WeakMap<ConversationBuilder, Progress>()

function addStep(step: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type, source, content, created_at: at, truncated_fields: truncated } = step
  const { losses } = conversation
  const progress = progressOf.get(conversation) ?? { calls: new OpenCalls() }
  progressOf.set(conversation, progress)
  const kind = textOf(type)?.toLowerCase() ?? ''
  const hasText = textOf(content) !== undefined
  const context = { place, at, model: progress.model, message: step }
  for (const field of asList(truncated).filter((each) => typeof each === 'string'))
    losses.add('cut', `field "${field.slice(0, 40)}" of a step`, 'the file has only its beginning')
  if (kind === 'user_input') addUser(textOf(content) ?? '', context, progress, conversation)
  else if (kind === 'planner_response') {
    const thought = textOf(step.thinking)
    if (thought !== undefined) conversation.addThinking(thought, context)
    const calls = objectsOf(step.tool_calls).map(({ name, args }, index) => {
      losses.noteAll(args)
      return { id: `${idOf(step.step_index) ?? place.record}/${index}`, name, args: argumentsOf(asObject(args)) }
    })
    if (hasText || (calls.length === 0 && thought === undefined)) conversation.addMessage('assistant', content, context)
    conversation.addToolCalls(calls, context)
    progress.calls = new OpenCalls()
    for (const { id, name } of calls) progress.calls.add(name, id)
  } else if (source === 'MODEL') {
    const id = progress.calls.takeNamed(kind) ?? progress.calls.takeFirst()
    const result = { output: content ?? '', error: step.status === 'ERROR' }
    conversation.addToolResult(id === undefined ? { ...result, name: kind } : { ...result, id }, { place, at })
  } else if (hasText) {
    if (textOf(source) === undefined) countUnknownRole('system', losses)
    conversation.addMessage('system', content, { place, at, metadata: { kind } })
  }
}

const [openTag, closeTag] = ['<USER_REQUEST>', '</USER_REQUEST>']

/** Add the request. The rest of the text is of the program, which names a model that the user chose. */
function addUser(
  text: string,
  context: { place: Place; at: unknown },
  progress: Progress,
  conversation: ConversationBuilder,
): void {
  // The request may hold the tags, too.
  const [start, end] = [text.indexOf(openTag), text.lastIndexOf(closeTag)]
  if (start === -1 || end < start) return conversation.addMessage('user', text, context)
  conversation.losses.note(text)
  conversation.addMessage('user', text.slice(start + openTag.length, end).trim(), context)
  const rest = `${text.slice(0, start)}${text.slice(end + closeTag.length)}`.trim()
  if (rest !== '')
    conversation.losses.drop('text around the request in field "content"', 'a model that it names is kept')
  const [change = ''] = rest.split('`Model Selection` from ')[1]?.split(/\.(?:\s|$)/) ?? []
  progress.model = textOf(change.split(' to ')[1]) ?? progress.model
}

/** Arguments of which each is a JSON text. */
function argumentsOf(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, valueIn(value)]))
}

function valueIn(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return parseBounded(text)
  } catch {
    return text
  }
}
