import type { AnnotationSummary, Message, Outcome, SignalHit } from '../types.js'
import { headline, truncate } from '../validation/index.js'

/** Who speaks, whatever the role is called. */
export type Speaker = 'user' | 'assistant' | 'tool' | 'other'

/** A message with its place: `turn` is 1-indexed. */
export interface ConversationTurn {
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
  readonly all: readonly ConversationTurn[]
  /** What the user said; a blank message says nothing. */
  readonly users: readonly ConversationTurn[]
  /** What the user was told: visible assistant messages with text. */
  readonly replies: readonly ConversationTurn[]
  /** What tools gave back. */
  readonly results: readonly ConversationTurn[]
}

/** Reads a transcript as a conversation. Roles are free strings, read without regard to case. */
export function readConversation(transcript: readonly Message[]): Conversation {
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

/** How much a signal worsens the outcome: 0 not at all, 1 `mixed`, 2 `poor`, 3 `critical`. */
export type Severity = 0 | 1 | 2 | 3

/** A signal that fired: where, and the words that made it fire. */
export interface Signal extends SignalHit {
  severity: Severity
}

/** The signals of a transcript by their keys. */
export type Signals = Readonly<Record<string, Signal>>

const outcomes: readonly Outcome[] = ['strong', 'mixed', 'poor', 'critical']

/** The signals that fired, by their keys. */
export const collectSignals = (signals: readonly (readonly [key: string, signal: Signal | undefined])[]): Signals =>
  Object.fromEntries(signals.filter((entry): entry is [string, Signal] => entry[1] !== undefined))

/** The outcome of the gravest signal; two of severity 2 together are critical. */
export function outcomeOf(signals: Signals): Outcome {
  const severities = Object.values(signals).map(({ severity }) => severity)
  const grave = severities.filter((severity) => severity >= 2).length
  return outcomes[grave >= 2 ? 3 : Math.max(0, ...severities)] ?? 'strong'
}

/** The worse of two outcomes; `indeterminate` where nothing was judged. */
export function worseOutcome(a: Outcome, b: Outcome): Outcome {
  return outcomes[Math.max(rank(a), rank(b))] ?? 'indeterminate'
}

const rank = (outcome: Outcome) => outcomes.indexOf(outcome)

/** The names of the signals that count against a transcript. */
export const concernsOf = (signals: Signals): string[] =>
  Object.keys(signals).filter((name) => (signals[name]?.severity ?? 0) > 0)

/** Why the outcome is what it is, in a sentence. */
export function outcomeNotes(signals: Signals): string {
  const names = concernsOf(signals)
  return names.length === 0 ? 'No signal counts against this transcript.' : `Fired: ${names.join(', ')}.`
}

/** The signals as they are answered: without their severities. */
export const signalHits = (signals: Signals): Record<string, SignalHit> =>
  Object.fromEntries(
    Object.entries(signals).map(([name, { evidence, turn }]) => [name, { evidence, turn: turn ?? null }]),
  )

/** The sentence around a place in a text, verbatim, at most 200 characters of it. */
export function sentenceAt(text: string, index: number): string {
  const from = Math.max(0, index - 100)
  const lead = text.slice(from, index)
  const start = from + (lead.match(/^[\s\S]*(?:[.!?]\s|\n)/)?.[0].length ?? 0)
  const sentence = text.slice(isLowSurrogate(text, start) ? start + 1 : start).trimStart()
  const end = /[.!?](?=\s)|\n/.exec(sentence.slice(0, 200))
  return (end ? sentence.slice(0, end.index + 1) : truncate(sentence, 200)).trim()
}

const isLowSurrogate = (text: string, i: number) => text.charCodeAt(i) >= 0xdc00 && text.charCodeAt(i) <= 0xdfff
