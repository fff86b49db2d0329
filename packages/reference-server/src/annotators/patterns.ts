import type { Message, Outcome } from '../types.js'
import type { Annotator, Judgement } from './annotator.js'
import {
  type Conversation,
  type ConversationTurn,
  collectSignals,
  outcomeNotes,
  outcomeOf,
  readConversation,
  type Severity,
  type Signal,
  type Signals,
  sentenceAt,
  signalHits,
  summarize,
} from './conversation.js'

interface Rule {
  key: string
  /** Whose words are read. */
  speaker: 'user' | 'assistant'
  severity: Severity
  /** In how many turns it must occur. */
  atLeast: number
  /** Found as whole words, in any case. */
  phrases: RegExp
}

const wholeWords = (source: string) => new RegExp(`\\b(?:${source})\\b`, 'i')

/** Every phrase is a choice of literal words: no nested repetition, so no slow text. */
const phraseBook: readonly Rule[] = [
  {
    key: 'user_frustration',
    speaker: 'user',
    severity: 2,
    atLeast: 1,
    phrases:
      /this is (?:ridiculous|absurd|unacceptable|frustrating|useless)|(?:already|just) told you|how many times|not (?:being )?helpful|waste of (?:my )?time|useless|(?:so|really|very|extremely) (?:upset|angry|annoyed|frustrated|disappointed)|fed up|wtf|worst (?:service|support)/,
  },
  {
    key: 'user_correction',
    speaker: 'user',
    severity: 1,
    atLeast: 1,
    phrases:
      /(?:that is|that(?:'|’)s|this is|you(?:'|’)re|you are) (?:wrong|incorrect|not right|not correct|not what i (?:asked|meant|wanted|said))|no, (?:i (?:said|meant|asked)|not that|the other)|i (?:didn(?:'|’)t|did not) (?:ask|say|mean)|you (?:misunderstood|got (?:it|that) wrong)/,
  },
  {
    key: 'escalation_request',
    speaker: 'user',
    severity: 2,
    atLeast: 1,
    phrases:
      /(?:speak|talk|connect me|put me through) (?:to|with) (?:(?:a|an|the|your|some|real|live|human) ){0,3}(?:human|person|people|manager|supervisor|agent|representative|someone)|transfer me|get me (?:a|your) (?:manager|supervisor|human)|(?:file|make) a complaint/,
  },
  {
    key: 'unresolved_request',
    speaker: 'user',
    severity: 2,
    atLeast: 1,
    phrases:
      /still (?:not working|doesn(?:'|’)t work|does not work|isn(?:'|’)t working|broken|failing|the same (?:error|problem|issue))|(?:didn(?:'|’)t|did not|doesn(?:'|’)t|does not) (?:help|solve|fix)|i give up|forget it|same (?:error|problem) again/,
  },
  {
    key: 'refusal',
    speaker: 'assistant',
    severity: 1,
    atLeast: 1,
    phrases:
      /i(?:(?:'|’)m| am) (?:unable|not able|not allowed) to|i (?:can(?:'|’)t|cannot|can not) (?:help|assist|do that|provide|process|modify|remove|change|offer|proceed|complete|answer|discuss)/,
  },
  {
    key: 'apology_loop',
    speaker: 'assistant',
    severity: 1,
    atLeast: 3,
    phrases:
      /i(?:(?:'|’)m| am) (?:so |very |really |truly )?sorry|i apologi[sz]e|my apologies|apologies for|sorry (?:for|about)/,
  },
  {
    key: 'user_thanks',
    speaker: 'user',
    severity: 0,
    atLeast: 1,
    phrases: /thanks|thank you|thx|much appreciated|i appreciate/,
  },
]

const rules = phraseBook.map((rule) => ({ ...rule, phrase: wholeWords(rule.phrases.source) }))

/** Reads the words of user and assistant: frustration, corrections, refusals, escalation, thanks. English. */
export const patterns: Annotator = {
  id: 'patterns',
  annotator_version: '1.0.0',
  taxonomy_version: '1.0.0',
  description:
    'Reads the words of user and assistant: frustration, corrections, refusals, requests for a human, thanks.',
  annotate: ({ transcript }) => judgeWords(transcript),
}

/** All phrases of a speaker. Most turns hold none of them, and one search in a turn is faster than one for each rule. */
const anyPhrase = { user: anyPhraseOf('user'), assistant: anyPhraseOf('assistant') }

function anyPhraseOf(speaker: Rule['speaker']): RegExp {
  const own = rules.filter((rule) => rule.speaker === speaker)
  return wholeWords(own.map(({ phrases }) => phrases.source).join('|'))
}

/** The signals of the words that fire in a conversation. */
export function findPatternSignals({ users, replies }: Conversation): Signals {
  const turns = {
    user: users.filter(({ content }) => anyPhrase.user.test(content)),
    assistant: replies.filter(({ content }) => anyPhrase.assistant.test(content)),
  }
  return collectSignals(rules.map((rule) => [rule.key, fire(rule, turns[rule.speaker])]))
}

/** How a conversation with these signals ended. */
export const patternOutcome = (conversation: Conversation, signals: Signals): Outcome =>
  isSilent(conversation) ? 'indeterminate' : outcomeOf(signals)

function judgeWords(transcript: readonly Message[]): Judgement {
  const conversation = readConversation(transcript)
  const signals = findPatternSignals(conversation)
  return {
    summary: summarize(conversation, signals),
    outcome: patternOutcome(conversation, signals),
    outcome_notes: isSilent(conversation) ? 'Neither a user nor an assistant says anything.' : outcomeNotes(signals),
    signals: signalHits(signals),
  }
}

const isSilent = ({ users, replies }: Conversation) => users.length + replies.length === 0

/** The first turn in which the phrase occurs, if it occurs in enough of them. */
function fire(
  { phrase, atLeast, severity }: (typeof rules)[number],
  turns: readonly ConversationTurn[],
): Signal | undefined {
  const hits = turns.filter(({ content }) => phrase.test(content))
  const first = hits[0]
  if (!first || hits.length < atLeast) return undefined
  return { severity, evidence: sentenceAt(first.content, phrase.exec(first.content)?.index ?? 0), turn: first.turn }
}
