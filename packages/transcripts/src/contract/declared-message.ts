import { type ConversationBuilder, type MessageContext, mediaOf } from '../conversation/index.js'
import { describe, isObject, type JsonObject, objectsOf, textOf, wordMap } from '../json/index.js'
import { type Losses, type Place, type Placed, type Role, reasons, roles as serviceRoles } from '../model/index.js'
import type { DeclaredCalls, DeclaredMessages, DeclaredResults } from './declaration.js'
import type { ReaderContext } from './format.js'
import {
  addBlocks,
  addMessages,
  anthropicMessage,
  langchainMessage,
  openaiMessage,
  textOrHtml,
  textPart,
} from './messages/index.js'
import { countOthers, finderOf, findersOf, isGiven, metadataReader, noteIn, pathsOf, placeAt } from './places.js'
import { roleOfSpeaker } from './speakers.js'

const shapes = { openai: openaiMessage, anthropic: anthropicMessage, langchain: langchainMessage }

/** A function that adds the messages of a format to their conversation. */
export function messageReader(
  declared: DeclaredMessages,
): (
  messages: readonly Placed[],
  conversation: ConversationBuilder,
  context: ReaderContext,
  around: JsonObject,
  place: Place,
) => void {
  const { shape, addMessages: addAll } = declared
  if (addAll) return (messages, conversation, _, value, place) => addAll(messages, conversation, { value, place })
  if (shape === 'any') return addMessages
  if (shape) {
    const { add } = typeof shape === 'string' ? shapes[shape] : shape
    return (messages, conversation) => {
      for (const { value, place } of messages) add(value, place, conversation)
    }
  }
  const add = declared.addMessage ?? declaredMessage(declared)
  return (messages, conversation, context, around) => {
    for (const { value, place } of messages) {
      if (isObject(value)) add(value, place, conversation, context, around)
      else conversation.report(`expected a message; found ${describe(value)}`, place)
    }
  }
}

/** `around`: the conversation of the message in the file. */
type AddMessage = (
  ...args: [...Parameters<NonNullable<DeclaredMessages['addMessage']>>, context: ReaderContext, around: JsonObject]
) => void

function declaredMessage(declared: DeclaredMessages): AddMessage {
  const { role = 'role', text = 'content', thinking, calls, results } = declared
  const roleOf = wordMap<Role | 'omitted'>(
    declared.roles ?? Object.fromEntries(serviceRoles.map((name) => [name, name])),
  )
  const [rolePath] = pathsOf(role)
  const expected = `expected a ${rolePath ?? 'role'} of ${[...roleOf.keys()].join(', ')}`
  const find = findersOf(declared, 'speaker', 'html', 'files', 'thinking', 'time', 'model', 'note', 'repeats')
  const [findRole, findText] = [finderOf(role), finderOf(text)]
  const metadataOf = metadataReader(declared.metadata)
  const callsIn = calls ? listReader(calls) : () => []
  const resultsIn = listReader(results)

  return (message, place, conversation, context, around) => {
    const { losses } = conversation
    const note = noteIn(losses)
    if (find.repeats(message) === true) return losses.dropValue(message, 'copied message', reasons.repeated)
    const name = findRole(message, note, around)
    const speaker = textOf(find.speaker(message, note))
    const named = declared.speaker === undefined ? undefined : () => roleOfSpeaker(speaker, context, losses)
    const known = roleOf.get(name) ?? roleOf.get('*') ?? named?.()
    if (known === undefined) {
      return conversation.report(
        `${expected}; found ${describe(name)}`,
        rolePath === undefined ? place : placeAt(place, rolePath),
      )
    }
    if (known === 'omitted') {
      if (!isGiven(findText(message, note)) && !isGiven(find.html(message))) return
      return losses.dropValue(message, `message with the role ${describe(name)}`, reasons.notConversation)
    }
    const isNote = find.note(message) === true
    const metadata = {
      ...(speaker !== undefined && { speaker }),
      ...metadataOf(message, losses, around),
      ...(isNote && { kind: 'note' }),
    }
    const facts: MessageContext = {
      place,
      at: find.time(message, note, around),
      model: find.model(message),
      message,
      visible: isNote ? false : undefined,
      metadata,
    }
    countOthers(message, thinking, losses, 'message ')
    const thoughts = [find.thinking(message)].flat().flatMap((thought) => textOf(thought) ?? [])
    for (const thought of thoughts) conversation.addThinking(thought, facts)
    if (thoughts.length > 0 && known !== 'assistant')
      losses.add('changed', 'role of a thought', 'only an assistant thinks')
    const called = callsIn(message, losses)
    const given = textOrHtml(findText(message, note), find.html(message), losses)
    if (known === 'tool' && results?.in === undefined) {
      const [answer] = resultsIn(message, losses)
      return addResult({ ...answer, output: answer?.output ?? given }, known, facts, conversation)
    }
    countOthers(message, text, losses, 'message ')
    const content = withFiles(given, find.files(message))
    const answers = [
      ...called.filter(({ output }) => output !== undefined),
      ...(results?.in ? resultsIn(message, losses) : []),
    ]
    // An empty message beside calls is no turn of its own.
    if (isGiven(content) || (called.length === 0 && answers.length === 0 && thoughts.length === 0)) {
      addBlocks(known, content ?? '', facts, conversation)
    }
    conversation.addToolCalls(called, facts, known)
    for (const answer of answers) addResult(answer, known, facts, conversation)
  }
}

interface Entry {
  id: unknown
  name: unknown
  args: unknown
  output: unknown
  error: unknown
  metadata: JsonObject
}

/** A function that finds the calls or results in a message. */
function listReader(
  declared: Partial<DeclaredCalls & DeclaredResults> = {},
): (message: JsonObject, losses: Losses) => Entry[] {
  const find = findersOf(declared, 'in', 'id', 'name', 'args', 'output', 'error')
  const metadataOf = metadataReader(declared.metadata)
  return (message, losses) => {
    const list = declared.in === undefined ? message : find.in(message)
    return (isObject(list) ? [list] : objectsOf(list)).map((entry) => {
      for (const where of [declared.args, declared.output]) countOthers(entry, where, losses, 'tool ')
      return {
        id: find.id(entry),
        name: find.name(entry),
        args: find.args(entry),
        output: find.output(entry),
        error: find.error(entry),
        metadata: metadataOf(entry, losses),
      }
    })
  }
}

/** Add a result. Without an id and a name, the environment of an agent says something. */
function addResult(
  { id, name, output, error, metadata }: Partial<Entry>,
  role: Role,
  { place, at, ...message }: MessageContext,
  conversation: ConversationBuilder,
): void {
  const isFailed = isGiven(error) && error !== false
  const content = output ?? (isFailed ? error : '')
  const facts = { place, at, metadata: role === 'tool' ? { ...message.metadata, ...metadata } : metadata }
  if (role === 'tool' || isGiven(id) || isGiven(name)) {
    conversation.addToolResult({ id: id ?? undefined, name, output: content, error: isFailed }, facts)
  } else if (isGiven(content)) {
    const kind = role === 'assistant' ? 'observation' : 'notice'
    conversation.addMessage('system', content, { ...facts, metadata: { ...metadata, kind } })
  }
}

/** The text with the attachments behind it. */
function withFiles(content: unknown, files: unknown): unknown {
  const parts = objectsOf(files).map((file) => (mediaOf(file) ? file : { ...file, type: 'file' }))
  if (parts.length === 0) return content
  return [...(Array.isArray(content) ? content : textPart(content)), ...parts]
}
