import { textOf } from '../json/index.js'
import type { ConversationDraft, ReaderContext } from '../model/index.js'

/** The reason for skipping a request of a batch that failed, which may have no id; `details` are the texts and numbers of the error. */
export function failedRequest(id: unknown, ...details: unknown[]): string {
  const name = id === undefined ? 'request' : `request ${JSON.stringify(id)}`
  return `the ${name} has no answer: ${shortened(joinedDetails(...details))}`
}

/** The texts and numbers of an error, each once. */
export const joinedDetails = (...details: unknown[]): string =>
  [...new Set(details.filter((each) => typeof each === 'number' || (typeof each === 'string' && each !== '')))].join(
    ': ',
  )

/** The draft as a list. If it has no turns and `error` is a text or a number that says why, the record is skipped. */
export function unlessFailed(draft: ConversationDraft, error: unknown, context: ReaderContext): ConversationDraft[] {
  const reason = textOf(error)
  if (draft.turns.length > 0 || reason === undefined) return [draft]
  const id = draft.externalId ?? draft.name
  const name = id === undefined ? 'record' : `record ${JSON.stringify(id)}`
  context.skip(`the ${name} has no messages: ${shortened(reason)}`, draft.place)
  return []
}

const longest = 200

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)
