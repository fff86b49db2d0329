import { ConversationBuilder } from '../../conversation/index.js'
import { type AllowUndefined, describe } from '../../json/index.js'
import {
  type ConversationDraft,
  type Losses,
  type Place,
  type Placed,
  type ReaderContext,
  reasons,
} from '../../model/index.js'
import type { FoundConversation } from '../declaration.js'
import { addMessages } from './any.js'
import { messagesIn, type Side } from './logged-messages.js'

/** The request or the response of a call. */
export interface CallSide extends Placed {
  /** It is parsed from a text, so that no place leads into it. Default: false. */
  isText?: boolean
  /** The value of the file, if it was changed. Default: the value itself. */
  raw?: unknown
}

/** Any value as a side: a text or data without messages is one message. The answer of a model is never taken apart if it is a text. */
export function anySide(value: unknown, role: Side, place: Place): CallSide {
  const isAnswer = role === 'assistant' && typeof value === 'string'
  if (!isAnswer && messagesIn(value, role, place).length > 0) return { value, place }
  const content = typeof value === 'string' ? value : JSON.stringify(value)
  return { value: { role, content }, place, isText: true, raw: value }
}

/** A model call in a log: its request and its response, in the shape of any provider. */
export interface LoggedCall {
  place: Place
  /** Undefined if the log has only the answer. */
  request: CallSide | undefined
  /** Undefined if the log has only the request. */
  response: CallSide | undefined
}

function messagesOf({ value, place, isText, raw }: CallSide, side: Side, losses?: Losses): Placed[] {
  losses?.noteAll(raw)
  const messages = messagesIn(value, side, place, losses)
  return isText ? messages.map((message) => ({ ...message, place })) : messages
}

/** The messages of a call, with those of its other answers. `undefined` without a message of the request. */
export function messagesOfCall({
  request,
  response,
}: Omit<LoggedCall, 'place'>): Pick<FoundConversation, 'messages' | 'alternatives'> | undefined {
  const prompt = request ? messagesOf(request, 'user') : []
  if (request && prompt.length === 0) return undefined
  const isOther = ({ isAlternative }: Placed) => isAlternative === true
  return {
    messages: (losses) => {
      if (request === undefined) losses.drop('prompt', reasons.notInFile)
      const asked = request ? messagesOf(request, 'user', losses) : []
      const answered = response ? messagesOf(response, 'assistant', losses) : []
      return [...asked, ...answered.filter((answer) => !isOther(answer))]
    },
    alternatives: (response ? messagesOf(response, 'assistant') : [])
      .filter(isOther)
      .map((answer) => ({ messages: [...prompt, answer] })),
  }
}

type Facts = AllowUndefined<Omit<ConversationDraft, 'turns' | 'losses' | 'place'>>

/**
 * The conversation of a call and, on request, one for each other answer. A request without messages is reported. `factsOf` is called
 * when the turns are added, so that it may add metadata to the answer.
 */
export function draftsOfCall(
  { request, response, place }: LoggedCall,
  context: ReaderContext,
  factsOf: (conversation: ConversationBuilder, answer?: Placed) => Facts,
): ConversationDraft[] {
  const conversation = new ConversationBuilder(context)
  const { losses } = conversation
  const prompt = request ? messagesOf(request, 'user', losses) : []
  const answers = response ? messagesOf(response, 'assistant', losses) : []
  if (request === undefined) losses.drop('prompt', reasons.notInFile)
  else if (prompt.length === 0) {
    context.report(`expected a request with messages; found ${describe(request.value)}`, request.place)
    return []
  }
  addMessages([...prompt, ...answers.filter(({ isAlternative }) => !isAlternative)], conversation)
  const others = answers.filter(({ isAlternative }) => isAlternative)
  const { branches } = context.options
  if (!branches) for (const { value } of others) losses.dropValue(value, 'other answer', reasons.branches)
  const main = conversation.build({ ...factsOf(conversation), place })
  const drafts = (branches ? others : []).map((answer, index) => {
    const branch = new ConversationBuilder(context)
    addMessages([...prompt, answer], branch)
    const facts = factsOf(branch, answer)
    const externalId = facts.externalId === undefined ? undefined : `${facts.externalId}/${index + 2}`
    return branch.build({ ...facts, externalId, metadata: { ...facts.metadata, branch: index + 2 }, place })
  })
  return [main, ...drafts]
}
