import { ConversationBuilder } from '../conversation/index.js'
import { type AllowUndefined, describe } from '../json/index.js'
import { type ConversationDraft, type Place, type Placed, type ReaderContext, reasons } from '../model/index.js'
import { addMessages } from './any.js'
import { messagesIn } from './logged-messages.js'

/** A model call in a log: its request and its response, in the shape of any provider. */
export interface LoggedCall {
  place: Place
  /** Undefined if the log has only the answer. */
  request: Placed | undefined
  /** Undefined if the log has only the request. */
  response: Placed | undefined
}

type Facts = AllowUndefined<Omit<ConversationDraft, 'turns' | 'losses' | 'place'>>

/**
 * The conversation of a call and, on request, one for each other answer. A request without messages is reported. `factsOf` is called
 * when the turns are added, so that it may add metadata to the answer.
 */
export function draftsOfCall(
  { request, response, place }: LoggedCall,
  notes: ReaderContext,
  factsOf: (conversation: ConversationBuilder) => Facts,
): ConversationDraft[] {
  const conversation = new ConversationBuilder(notes)
  const { losses } = conversation
  const prompt = request ? messagesIn(request.value, 'user', request.place, losses) : []
  const answers = response ? messagesIn(response.value, 'assistant', response.place, losses) : []
  if (request === undefined) losses.drop('prompt', reasons.notInFile)
  else if (prompt.length === 0) {
    notes.report(`expected a request with messages; found ${describe(request.value)}`, request.place)
    return []
  }
  addMessages([...prompt, ...answers.filter(({ isAlternative }) => !isAlternative)], conversation)
  const others = answers.filter(({ isAlternative }) => isAlternative)
  const { branches } = notes.options
  if (!branches) for (const { value } of others) losses.dropValue(value, 'other answer', reasons.branches)
  const main = conversation.build({ ...factsOf(conversation), place })
  const drafts = (branches ? others : []).map((answer, index) => {
    const branch = new ConversationBuilder(notes)
    addMessages([...prompt, answer], branch)
    const facts = factsOf(branch)
    const externalId = facts.externalId === undefined ? undefined : `${facts.externalId}/${index + 2}`
    return branch.build({ ...facts, externalId, metadata: { ...facts.metadata, branch: index + 2 }, place })
  })
  return [main, ...drafts]
}
