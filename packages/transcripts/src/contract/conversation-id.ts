import { isObject, type JsonObject, wordsOf } from '../json/index.js'

/** First those that denote one conversation most precisely. */
const nouns = wordsOf(
  `conversation convo conv dialogue dialog dlg chat thread session call room chatroom transcript interaction engagement
  discussion meeting ticket case incident enquiry inquiry channel`,
)
/** Nouns that denote an id without an ending, if they hold a text or a number. */
const idNouns = new Set(wordsOf('conversation convo conv dialogue dialog chat thread session call room ticket case'))
const endings = wordsOf('id uuid guid sid key number no nr num ref identifier')

/** The rank of each name, in lower case and without separators, 0 first. */
const ranks = new Map<string, number>()
for (const noun of nouns) for (const ending of endings) ranks.set(noun + ending, ranks.size)
for (const noun of nouns) if (idNouns.has(noun)) ranks.set(noun, ranks.size)

const cache = new Map<string, number | undefined>()

function rankOf(name: string): number | undefined {
  const known = cache.get(name)
  if (known !== undefined || cache.has(name)) return known
  const rank = name.length > 64 ? undefined : ranks.get(name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''))
  if (cache.size === 1000) cache.clear()
  cache.set(name, rank)
  return rank
}

/** The names that denote the id of a conversation, in camelCase, snake_case or with blanks, the most precise one first. */
export function idFieldsOf(names: Iterable<string>): string[] {
  const found: { name: string; rank: number }[] = []
  for (const name of names) {
    const rank = rankOf(name)
    if (rank !== undefined) found.push({ name, rank })
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ name }) => name)
}

/** An id with the field that holds it. Ids of different fields are different. */
export interface ConversationId {
  field: string
  id: string
}

/** The id of the conversation of a message, or of an object with messages. */
export function conversationIdIn(value: unknown): ConversationId | undefined {
  if (!isObject(value)) return undefined
  for (const field of idFieldsOf(Object.keys(value))) {
    const id = textOfId(value[field])
    if (id !== undefined && !isOfTool(field, value)) return { field, id }
  }
  return undefined
}

/** A text, a number, or an object with one of them as its id. */
export function textOfId(value: unknown): string | undefined {
  const id = isObject(value) ? value.id : value
  return typeof id === 'number' ? String(id) : typeof id === 'string' && id !== '' ? id : undefined
}

/** True for the id of a tool call in a call or a result. */
function isOfTool(field: string, { type, role }: JsonObject): boolean {
  return (
    /^call/i.test(field) && [type, role].some((kind) => typeof kind === 'string' && /call|tool|function/.test(kind))
  )
}
