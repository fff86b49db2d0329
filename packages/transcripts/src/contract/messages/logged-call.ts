import { type Losses, type Place, type Placed, reasons } from '../../model/index.js'
import type { FoundConversation } from '../declaration.js'
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

/** The messages of a call, with the losses of their reading, and its other answers behind the request. */
export interface CallMessages {
  messages(losses: Losses): readonly Placed[]
  answer: Place | undefined
  alternatives: NonNullable<FoundConversation['alternatives']>
}

/** The messages of a call, with those of its other answers. `undefined` without a message of the request. */
export function messagesOfCall({ request, response }: LoggedCall): CallMessages | undefined {
  const prompt = request ? messagesOf(request, 'user') : []
  if (request && prompt.length === 0) return undefined
  const isOther = ({ isAlternative }: Placed) => isAlternative === true
  return {
    answer: response?.place,
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
