import { concernsOf, type Signals } from './signals.js'
import { headline } from './text.js'
import type { AnnotationSummary, Message } from './types.js'

/** Who speaks, whatever the role is called. */
export type Speaker = 'user' | 'assistant' | 'tool' | 'other'

/** A message with its place: `turn` is 1-indexed. */
export interface Spoken {
  turn: number
  speaker: Speaker
  content: string
  /** Whether the end user saw it. */
  visible: boolean
}

const speakers = new Map<string, Speaker>([
  ...['user', 'human', 'customer', 'end_user'].map((role) => [role, 'user'] as const),
  ...['assistant', 'ai', 'model', 'bot', 'agent', 'human_agent'].map((role) => [role, 'assistant'] as const),
  ...['tool', 'function', 'tool_result'].map((role) => [role, 'tool'] as const),
])

/** A transcript by its speakers. */
export interface Conversation {
  readonly all: readonly Spoken[]
  /** What the user said; a blank message says nothing. */
  readonly users: readonly Spoken[]
  /** What the user was told: visible assistant messages with text. */
  readonly replies: readonly Spoken[]
  /** What tools gave back. */
  readonly results: readonly Spoken[]
}

/** Reads a transcript as a conversation. Roles are free strings, read without regard to case. */
export function conversationOf(transcript: readonly Message[]): Conversation {
  const all = transcript.map(({ role, content, is_user_visible: visible = true }, i) => {
    return { turn: i + 1, speaker: speakers.get(role.toLowerCase()) ?? 'other', content, visible }
  })
  return {
    all,
    users: all.filter(({ speaker, content }) => speaker === 'user' && !isBlank(content)),
    replies: all.filter(({ speaker, content, visible }) => speaker === 'assistant' && visible && !isBlank(content)),
    results: all.filter(({ speaker }) => speaker === 'tool'),
  }
}

/** Whether a text is empty or white space. */
export const isBlank = (text: string): boolean => text.trim() === ''

/** Describes a transcript by counting and quoting; nothing in it is guessed. */
export const summarize = (conversation: Conversation, signals: Signals): AnnotationSummary => ({
  title: titleOf(conversation),
  keywords: keywordsOf(conversation),
  summary: summaryOf(conversation),
  quality_concerns: qualityConcernsOf(signals),
  user_intent: userIntentOf(conversation),
  domain: domainOf(conversation),
})

export const titleOf = (conversation: Conversation): string =>
  headline(firstWords(conversation), 80) || 'Untitled transcript'

export const userIntentOf = (conversation: Conversation): string => headline(firstWords(conversation), 240) || 'unknown'

export const qualityConcernsOf = (signals: Signals): string => concernsOf(signals).join(', ') || 'none'

const firstWords = ({ users }: Conversation) => users[0]?.content ?? ''

function summaryOf(conversation: Conversation): string {
  const { all, users, replies, results } = conversation
  const counts = `${all.length} turns: ${users.length} of the user, ${replies.length} replies, ${results.length} of tools.`
  const first = firstWords(conversation)
  return first === '' ? counts : `${counts} It begins: ${headline(first, 160)}`
}

const stopwords = new Set(
  `about after again all also and any are because been before being but can could did does doing done don't for from had has
  have help here hers him his how i'd i'll i'm i've into is isn't it's its just know let like may more much need not now of
  off okay one only our out over please provide same she should some sure than thank thanks that that's the their them then
  there these they this those through too under until very want was we're were what when where which while who why will with
  would yes you you'd you'll you're your following details further assist assistance proceed`.split(/\s+/),
)

/** The eight most frequent words of three letters or more that carry meaning; ties in order of appearance. */
export function keywordsOf({ users, replies }: Conversation): string[] {
  const counts = new Map<string, number>()
  for (const spoken of [users, replies]) for (const { content } of spoken) countWords(content, counts)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([word]) => word)
}

function countWords(text: string, counts: Map<string, number>): void {
  const words = text
    .toLowerCase()
    .replaceAll('’', "'")
    .match(/\p{L}[\p{L}\p{N}'_-]{2,39}/gu)
  for (const word of words ?? []) if (!stopwords.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
}

const codeMarks = [
  /```/,
  /\w\.(?:ts|tsx|js|py|rs|go|java|rb|cpp|css|sql|sh|ya?ml)\b/,
  /\b(?:stack ?trace|refactor|compile[rd]?|unit tests?|pull request|codebase|npm|pip install|git (?:commit|push|diff))\b/i,
  /\b(?:function|class|const|def|import) \w+ ?[({=:]/,
]

/** `ai_coding` where two different marks of code stand somewhere in what user and assistant say. */
export function domainOf({ all }: Conversation): 'ai_coding' | 'general' {
  const said = all.filter(({ speaker }) => speaker === 'user' || speaker === 'assistant')
  const marks = codeMarks.filter((mark) => said.some(({ content }) => mark.test(content)))
  return marks.length >= 2 ? 'ai_coding' : 'general'
}
