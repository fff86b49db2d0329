import { defineFormat } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { describe, isObject, type JsonObject, objectsOf, textOf, wordMap } from '../../json/index.js'
import { elementsOf, type Place, type Role, within } from '../../model/index.js'

/** Transcripts of Genesys Cloud, which its interface gives a URL for: the phrases of a call, or the messages of a chat. */
export const genesys = defineFormat({
  id: 'genesys',
  title: 'Genesys Cloud transcript',
  accepts:
    '{ "conversationId", "transcripts": [{ "phrases": [{ "participantPurpose": "external" | "internal", "text", "startTimeMs" }] }] }',
  signature: { 'conversationId transcripts[].phrases[].participantPurpose': 0.97 },
  conversation: {
    externalId: 'conversationId',
    sourceTimestamp: 'conversationStartTime',
    language: ({ transcripts }) => languagesOf(transcripts)[0],
    metadata: { channel: 'mediaType', languages: ({ transcripts }) => severalOf(languagesOf(transcripts)) },
  },
  messages: 'transcripts',
  order: ({ phrases }) => objectsOf(phrases)[0]?.startTimeMs,
  addMessage: addTranscript,
  structure: 'participantPurpose language',
})

const roleOf = wordMap<Role>({ user: 'external', human_agent: 'internal' })

const languagesOf = (transcripts: unknown) => [
  ...new Set(objectsOf(transcripts).flatMap(({ language }) => textOf(language) ?? [])),
]
const severalOf = (languages: readonly string[]) => (languages.length > 1 ? languages : undefined)

/** A smaller number counts from the start of the call. */
const isTime = (milliseconds: unknown) => typeof milliseconds === 'number' && milliseconds > 1e11

function addTranscript(transcript: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const phrases = elementsOf(transcript.phrases, within(place, 'phrases'))
  for (const { value, place: own } of phrases) {
    if (isObject(value)) addPhrase(value, own, conversation)
    else conversation.report(`expected a phrase { "participantPurpose", "text" }; found ${describe(value)}`, own)
  }
}

function addPhrase(phrase: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { participantPurpose: purpose, text, decoratedText, startTimeMs: start } = phrase
  const { losses } = conversation
  const role = roleOf.get(purpose)
  if (role === undefined) {
    const found = `found ${describe(purpose)}`
    return conversation.report(
      `expected a participantPurpose of external, internal; ${found}`,
      within(place, 'participantPurpose'),
    )
  }
  const shown = textOf(decoratedText)
  // The same words without capitals and punctuation, and once more as words and as what else was heard.
  if (shown !== undefined) losses.addField('text', text, 'phrase ', 'the decorated text beside it is read instead')
  losses.addField('words', phrase.words, 'phrase ', 'the text beside it is read instead')
  losses.addField('alternatives', phrase.alternatives, 'phrase ', 'the text beside it is read instead')
  const metadata = isTime(start) || typeof start !== 'number' ? undefined : { start: start / 1000 }
  conversation.addMessage(role, shown ?? text, { place, at: isTime(start) ? start : undefined, metadata })
}
