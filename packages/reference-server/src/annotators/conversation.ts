import type { Message, Outcome, SignalHit } from '../types.js'
import { headline, truncate } from '../validation/index.js'
import type { Judgement } from './annotator.js'

type Speaker = 'user' | 'assistant' | 'tool' | 'other'

/** A message of a conversation; `turn` is 1-indexed. */
export interface ConversationTurn {
  turn: number
  speaker: Speaker
  content: string
  /** True if the end user sees it. */
  visible: boolean
}

export interface Conversation {
  readonly all: readonly ConversationTurn[]
  /** The user's turns with text. */
  readonly users: readonly ConversationTurn[]
  /** The assistant's visible turns with text. */
  readonly replies: readonly ConversationTurn[]
  readonly toolResults: readonly ConversationTurn[]
}

const roles: readonly [Speaker, readonly string[]][] = [
  ['user', ['user', 'human', 'customer', 'end_user']],
  ['assistant', ['assistant', 'ai', 'model', 'bot', 'agent', 'human_agent']],
  ['tool', ['tool', 'function', 'tool_result']],
]
const speakers = new Map(roles.flatMap(([speaker, names]) => names.map((role) => [role, speaker])))

/** Read a transcript as a conversation. Roles are case-insensitive. */
export function readConversation(transcript: readonly Message[]): Conversation {
  const all = transcript.map(({ role, content, is_user_visible: visible = true }, i) => {
    return { turn: i + 1, speaker: speakers.get(role.toLowerCase()) ?? 'other', content, visible }
  })
  return {
    all,
    users: all.filter(({ speaker, content }) => speaker === 'user' && !isBlank(content)),
    replies: all.filter(({ speaker, content, visible }) => speaker === 'assistant' && visible && !isBlank(content)),
    toolResults: all.filter(({ speaker }) => speaker === 'tool'),
  }
}

export const isBlank = (text: string): boolean => text.trim() === ''

export const titleOf = (conversation: Conversation): string =>
  headline(firstRequest(conversation), 80) || 'Untitled transcript'

export const userIntentOf = (conversation: Conversation): string =>
  headline(firstRequest(conversation), 240) || 'unknown'

export const qualityConcernsOf = (signals: Signals): string => concernsOf(signals).join(', ') || 'none'

const firstRequest = ({ users }: Conversation) => users[0]?.content ?? ''

function summaryOf(conversation: Conversation): string {
  const { all, users, replies, toolResults } = conversation
  const counts = `${all.length} turns: ${users.length} of the user, ${replies.length} replies, ${toolResults.length} of tools.`
  const first = firstRequest(conversation)
  return first === '' ? counts : `${counts} It begins: ${headline(first, 160)}`
}

const stopwords = new Set(
  `about after again all also and any are because been before being but can could did does doing done don't for from had has
  have help here hers him his how i'd i'll i'm i've into is isn't it's its just know let like may more much need not now of
  off okay one only our out over please provide same she should some sure than thank thanks that that's the their them then
  there these they this those through too under until very want was we're were what when where which while who why will with
  would yes you you'd you'll you're your following details further assist assistance proceed`.split(/\s+/),
)

/** The eight most frequent words of three letters or more that are no stopwords; ties in order of appearance. */
export function keywordsOf({ users, replies }: Conversation): string[] {
  const counts = new Map<string, number>()
  for (const { content } of [...users, ...replies]) {
    const words =
      content
        .toLowerCase()
        .replaceAll('’', "'")
        .match(/\p{L}[\p{L}\p{N}'_-]{2,39}/gu) ?? []
    for (const word of words) if (!stopwords.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([word]) => word)
}

const codeMarks = [
  /```/,
  /\w\.(?:ts|tsx|js|py|rs|go|java|rb|cpp|css|sql|sh|ya?ml)\b/,
  /\b(?:stack ?trace|refactor|compile[rd]?|unit tests?|pull request|codebase|npm|pip install|git (?:commit|push|diff))\b/i,
  /\b(?:function|class|const|def|import) \w+ ?[({=:]/,
]

/** `ai_coding` if turns of user and assistant match two different marks of code. */
export function domainOf({ all }: Conversation): 'ai_coding' | 'general' {
  const turns = all.filter(({ speaker }) => speaker === 'user' || speaker === 'assistant')
  const marks = codeMarks.filter((mark) => turns.some(({ content }) => mark.test(content)))
  return marks.length >= 2 ? 'ai_coding' : 'general'
}

/** The effect of a signal on the outcome: 0 none, 1 `mixed`, 2 `poor`, 3 `critical`. */
export type Severity = 0 | 1 | 2 | 3

export interface Signal extends SignalHit {
  severity: Severity
}

export type Signals = Readonly<Record<string, Signal>>

const outcomes: readonly Outcome[] = ['strong', 'mixed', 'poor', 'critical']

/** The outcome of the gravest signal; two of severity 2 together are critical. */
function outcomeOf(signals: Signals): Outcome {
  const severities = Object.values(signals).map(({ severity }) => severity)
  const grave = severities.filter((severity) => severity >= 2).length
  return outcomes[grave >= 2 ? 3 : Math.max(0, ...severities)] ?? 'strong'
}

/** The worse of two outcomes; `indeterminate` if both are. */
export const worseOutcome = (a: Outcome, b: Outcome): Outcome =>
  outcomes[Math.max(outcomes.indexOf(a), outcomes.indexOf(b))] ?? 'indeterminate'

const concernsOf = (signals: Signals): string[] =>
  Object.keys(signals).filter((name) => (signals[name]?.severity ?? 0) > 0)

export interface Findings {
  signals: Signals
  outcome: Outcome
  notes: string
}

/** Judge a conversation by a rule for each signal. `unjudged` is the reason why nothing can be judged, if there is one. */
export function judge(
  rules: readonly (readonly [key: string, signal: Signal | undefined])[],
  unjudged: string | undefined,
): Findings {
  const signals = Object.fromEntries(rules.filter((entry): entry is [string, Signal] => entry[1] !== undefined))
  if (unjudged !== undefined) return { signals, outcome: 'indeterminate', notes: unjudged }
  const names = concernsOf(signals)
  const notes = names.length === 0 ? 'No signal counts against this transcript.' : `Fired: ${names.join(', ')}.`
  return { signals, outcome: outcomeOf(signals), notes }
}

export function annotateBy(find: (conversation: Conversation) => Findings, transcript: readonly Message[]): Judgement {
  const conversation = readConversation(transcript)
  const { signals, outcome, notes } = find(conversation)
  return {
    summary: {
      title: titleOf(conversation),
      keywords: keywordsOf(conversation),
      summary: summaryOf(conversation),
      quality_concerns: qualityConcernsOf(signals),
      user_intent: userIntentOf(conversation),
      domain: domainOf(conversation),
    },
    outcome,
    outcome_notes: notes,
    signals: signalHits(signals),
  }
}

/** The signals as sent: without severities. */
export const signalHits = (signals: Signals): Record<string, SignalHit> =>
  Object.fromEntries(
    Object.entries(signals).map(([name, { evidence, turn }]) => [name, { evidence, turn: turn ?? null }]),
  )

/** The sentence around an index of a text, verbatim, of at most 200 characters. */
export function sentenceAt(text: string, index: number): string {
  const from = Math.max(0, index - 100)
  const lead = text.slice(from, index)
  const start = from + (lead.match(/^[\s\S]*(?:[.!?]\s|\n)/)?.[0].length ?? 0)
  const sentence = text.slice(isLowSurrogate(text, start) ? start + 1 : start).trimStart()
  const end = /[.!?](?=\s)|\n/.exec(sentence.slice(0, 200))
  return (end ? sentence.slice(0, end.index + 1) : truncate(sentence, 200)).trim()
}

const isLowSurrogate = (text: string, i: number) => text.charCodeAt(i) >= 0xdc00 && text.charCodeAt(i) <= 0xdfff
