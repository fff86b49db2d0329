import type { Annotator } from './annotator.js'
import {
  annotateBy,
  type Conversation,
  type ConversationTurn,
  type Findings,
  judge,
  type Severity,
  type Signal,
  sentenceAt,
} from './conversation.js'

interface Rule {
  key: string
  speaker: 'user' | 'assistant'
  severity: Severity
  /** The number of turns that must match. Default 1. */
  minTurns?: number
  phrase: RegExp
}

const wholeWords = ({ source }: RegExp) => new RegExp(`\\b(?:${source})\\b`, 'i')

/** Phrases are choices of literal words, without nested repetition: no text is slow to search. */
const rules: readonly Rule[] = [
  {
    key: 'user_frustration',
    speaker: 'user',
    severity: 2,
    phrase: wholeWords(
      /this is (?:ridiculous|absurd|unacceptable|frustrating|useless)|(?:already|just) told you|how many times|not (?:being )?helpful|waste of (?:my )?time|useless|(?:so|really|very|extremely) (?:upset|angry|annoyed|frustrated|disappointed)|fed up|wtf|worst (?:service|support)/,
    ),
  },
  {
    key: 'user_correction',
    speaker: 'user',
    severity: 1,
    phrase: wholeWords(
      /(?:that is|that(?:'|’)s|this is|you(?:'|’)re|you are) (?:wrong|incorrect|not right|not correct|not what i (?:asked|meant|wanted|said))|no, (?:i (?:said|meant|asked)|not that|the other)|i (?:didn(?:'|’)t|did not) (?:ask|say|mean)|you (?:misunderstood|got (?:it|that) wrong)/,
    ),
  },
  {
    key: 'escalation_request',
    speaker: 'user',
    severity: 2,
    phrase: wholeWords(
      /(?:speak|talk|connect me|put me through) (?:to|with) (?:(?:a|an|the|your|some|real|live|human) ){0,3}(?:human|person|people|manager|supervisor|agent|representative|someone)|transfer me|get me (?:a|your) (?:manager|supervisor|human)|(?:file|make) a complaint/,
    ),
  },
  {
    key: 'unresolved_request',
    speaker: 'user',
    severity: 2,
    phrase: wholeWords(
      /still (?:not working|doesn(?:'|’)t work|does not work|isn(?:'|’)t working|broken|failing|the same (?:error|problem|issue))|(?:didn(?:'|’)t|did not|doesn(?:'|’)t|does not) (?:help|solve|fix)|i give up|forget it|same (?:error|problem) again/,
    ),
  },
  {
    key: 'refusal',
    speaker: 'assistant',
    severity: 1,
    phrase: wholeWords(
      /i(?:(?:'|’)m| am) (?:unable|not able|not allowed) to|i (?:can(?:'|’)t|cannot|can not) (?:help|assist|do that|provide|process|modify|remove|change|offer|proceed|complete|answer|discuss)/,
    ),
  },
  {
    key: 'apology_loop',
    speaker: 'assistant',
    severity: 1,
    minTurns: 3,
    phrase: wholeWords(
      /i(?:(?:'|’)m| am) (?:so |very |really |truly )?sorry|i apologi[sz]e|my apologies|apologies for|sorry (?:for|about)/,
    ),
  },
  {
    key: 'user_thanks',
    speaker: 'user',
    severity: 0,
    phrase: wholeWords(/thanks|thank you|thx|much appreciated|i appreciate/),
  },
]

/** Search the text of user and assistant for English phrases: frustration, corrections, refusals, escalation, thanks. */
export const patterns: Annotator = {
  id: 'patterns',
  annotator_version: '1.0.0',
  taxonomy_version: '1.0.0',
  description:
    'Reads the words of user and assistant: frustration, corrections, refusals, requests for a human, thanks.',
  annotate: ({ transcript }) => annotateBy(findPatterns, transcript),
}

export const findPatterns = ({ users, replies }: Conversation): Findings =>
  judge(
    rules.map((rule) => [rule.key, findSignal(rule, rule.speaker === 'user' ? users : replies)]),
    users.length + replies.length === 0 ? 'Neither a user nor an assistant says anything.' : undefined,
  )

function findSignal({ phrase, minTurns = 1, severity }: Rule, turns: readonly ConversationTurn[]): Signal | undefined {
  const matching = turns.filter(({ content }) => phrase.test(content))
  const [first] = matching
  if (!first || matching.length < minTurns) return undefined
  return { severity, evidence: sentenceAt(first.content, phrase.exec(first.content)?.index ?? 0), turn: first.turn }
}
