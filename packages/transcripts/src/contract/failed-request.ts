import type { ConversationDraft, ReaderContext } from '../model/index.js'

/** The reason for skipping a request of a batch that failed, which may have no id; `details` are the texts and numbers of the error. */
export function failedRequest(id: unknown, ...details: unknown[]): string {
  const known = details.filter((each) => typeof each === 'number' || (typeof each === 'string' && each !== ''))
  const name = id === undefined ? 'request' : `request ${JSON.stringify(id)}`
  return `the ${name} has no answer: ${shortened([...new Set(known)].join(': '))}`
}

/** The draft as a list. If it has no turns and `error` is a text that says why, the record is skipped. */
export function unlessFailed(draft: ConversationDraft, error: unknown, context: ReaderContext): ConversationDraft[] {
  if (draft.turns.length > 0 || typeof error !== 'string' || error === '') return [draft]
  context.skip(
    `the record ${JSON.stringify(draft.externalId ?? draft.name)} has no messages: ${shortened(error)}`,
    draft.place,
  )
  return []
}

const longest = 200

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)
