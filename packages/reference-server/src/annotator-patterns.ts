import type { Annotator, Judgement } from './annotator.js'
import { conversationOf, replies, type Spoken, userTurns } from './conversation.js'
import { hitsOf, notesOf, outcomeOf, type Severity, type Signal, type Signals, sentenceAt } from './signals.js'
import { summarize } from './summary.js'
import type { Message } from './types.js'

interface Rule {
  key: string
  /** Whose words are read. */
  speaker: 'user' | 'assistant'
  severity: Severity
  /** In how many turns it must occur. */
  atLeast: number
  phrase: RegExp
}

/** Every phrase is a choice of literal words between word boundaries: no nested repetition, so no slow text. */
const rules: readonly Rule[] = [
  {
    key: 'user_frustration',
    speaker: 'user',
    severity: 2,
    atLeast: 1,
    phrase:
      /\b(?:this is (?:ridiculous|absurd|unacceptable|frustrating|useless)|(?:already|just) told you|how many times|not (?:being )?helpful|waste of (?:my )?time|useless|(?:so|really|very|extremely) (?:upset|angry|annoyed|frustrated|disappointed)|fed up|wtf|worst (?:service|support))\b/i,
  },
  {
    key: 'user_correction',
    speaker: 'user',
    severity: 1,
    atLeast: 1,
    phrase:
      /\b(?:that is|that(?:'|’)s|this is|you(?:'|’)re|you are) (?:wrong|incorrect|not right|not correct|not what i (?:asked|meant|wanted|said))\b|\bno, (?:i (?:said|meant|asked)|not that|the other)\b|\bi (?:didn(?:'|’)t|did not) (?:ask|say|mean)\b|\byou (?:misunderstood|got (?:it|that) wrong)\b/i,
  },
  {
    key: 'escalation_request',
    speaker: 'user',
    severity: 2,
    atLeast: 1,
    phrase:
      /\b(?:speak|talk|connect me|put me through) (?:to|with) (?:(?:a|an|the|your|some|real|live|human) ){0,3}(?:human|person|people|manager|supervisor|agent|representative|someone)\b|\btransfer me\b|\bget me (?:a|your) (?:manager|supervisor|human)\b|\b(?:file|make) a complaint\b/i,
  },
  {
    key: 'unresolved_request',
    speaker: 'user',
    severity: 2,
    atLeast: 1,
    phrase:
      /\b(?:still (?:not working|doesn(?:'|’)t work|does not work|isn(?:'|’)t working|broken|failing|the same (?:error|problem|issue))|(?:didn(?:'|’)t|did not|doesn(?:'|’)t|does not) (?:help|solve|fix)|i give up|forget it|same (?:error|problem) again)\b/i,
  },
  {
    key: 'refusal',
    speaker: 'assistant',
    severity: 1,
    atLeast: 1,
    phrase:
      /\b(?:i(?:(?:'|’)m| am) (?:unable|not able|not allowed) to|i (?:can(?:'|’)t|cannot|can not) (?:help|assist|do that|provide|process|modify|remove|change|offer|proceed|complete|answer|discuss))\b/i,
  },
  {
    key: 'apology_loop',
    speaker: 'assistant',
    severity: 1,
    atLeast: 3,
    phrase:
      /\b(?:i(?:(?:'|’)m| am) (?:so |very |really |truly )?sorry|i apologi[sz]e|my apologies|apologies for|sorry (?:for|about))\b/i,
  },
  {
    key: 'user_thanks',
    speaker: 'user',
    severity: 0,
    atLeast: 1,
    phrase: /\b(?:thanks|thank you|thx|much appreciated|i appreciate)\b/i,
  },
]

/** Reads the words of user and assistant: frustration, corrections, refusals, escalation, thanks. English. */
export const patterns: Annotator = {
  id: 'patterns',
  annotator_version: '1.0.0',
  taxonomy_version: '1.0.0',
  description:
    'Reads the words of user and assistant: frustration, corrections, refusals, requests for a human, thanks.',
  annotate: ({ transcript }) => judgeWords(transcript),
}

/** Without a summary, which costs most of the time. */
export function findWords(transcript: readonly Message[]): Pick<Judgement, 'outcome' | 'signals'> {
  const { outcome, signals } = judged(transcript)
  return { outcome, signals: hitsOf(signals) }
}

function judgeWords(transcript: readonly Message[]): Judgement {
  const { talk, outcome, signals } = judged(transcript)
  const isSilent = outcome === 'indeterminate'
  const outcome_notes = isSilent ? 'Neither a user nor an assistant says anything.' : notesOf(signals)
  return { summary: summarize(talk, signals), outcome, outcome_notes, signals: hitsOf(signals) }
}

function judged(transcript: readonly Message[]) {
  const talk = conversationOf(transcript)
  const signals = signalsOf(talk)
  const isSilent = userTurns(talk).length + replies(talk).length === 0
  return { talk, signals, outcome: isSilent ? ('indeterminate' as const) : outcomeOf(signals) }
}

function signalsOf(talk: readonly Spoken[]): Signals {
  const said = { user: userTurns(talk), assistant: replies(talk) }
  const found = rules.map((rule) => [rule.key, fire(rule, said[rule.speaker])] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, Signal] => entry[1] !== undefined))
}

/** The first turn in which the phrase occurs, if it occurs in enough of them. */
function fire({ phrase, atLeast, severity }: Rule, turns: readonly Spoken[]): Signal | undefined {
  const hits = turns.filter(({ content }) => phrase.test(content))
  const first = hits[0]
  if (!first || hits.length < atLeast) return undefined
  return { severity, evidence: sentenceAt(first.content, phrase.exec(first.content)?.index ?? 0), turn: first.turn }
}
