import { defineFormat } from '../../contract/index.js'
import { idOf } from '../../conversation/index.js'
import { asObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { elementsOf, type Losses, type Place, type Placed, reasons, within } from '../../model/index.js'
import { secondsIn, turnsOf, type Word } from './words.js'

/** Transcripts of Google Speech-to-Text, version 1 or 2, with speakers. */
export const googleSpeech = defineFormat({
  id: 'google-speech',
  title: 'Google Speech-to-Text transcript with speakers',
  accepts:
    '{ "results": [{ "alternatives": [{ "transcript", "words": [{ "word", "speakerTag" or "speakerLabel" }] }] }] }, or such a "response"',
  signature: {
    'results[].alternatives[].words[].speakerTag': 0.97,
    'results[].alternatives[].words[].speakerLabel': 0.97,
    'response.results[].alternatives[].words[].speakerTag': 0.97,
    'response.results[].alternatives[].words[].speakerLabel': 0.97,
  },
  fields: 'results response',
  conversations: (record, place) => {
    const isWrapped = record.response !== undefined
    const value = isWrapped ? asObject(record.response) : record
    const at = isWrapped ? within(place, 'response') : place
    return [{ value, place: at, messages: (losses) => messagesOf(value, at, losses) }]
  },
  conversation: {
    externalId: (_, __, { name }) => name,
    language: ({ results }) => objectsOf(results)[0]?.languageCode,
  },
  role: () => undefined,
  speaker: 'speaker',
  text: 'text',
  metadata: { start: ({ start }) => secondsIn(start) },
  lost: ['metadata'],
  structure: '@type name speakerTag speakerLabel languageCode startTime endTime startOffset endOffset resultEndTime',
})

/** The words of speakers. In version 1, the last result has those of all others once more, with their speakers. */
function messagesOf({ results }: JsonObject, place: Place, losses: Losses): Placed[] {
  const all = elementsOf(results, within(place, 'results')).map((result) => wordsIn(result, losses))
  const last = all.at(-1) ?? []
  const before = all.slice(0, -1).flat()
  const repeats = before.length > 0 && before.every(({ text }, index) => text === last[index]?.text)
  return turnsOf(repeats ? last : all.flat()).map(({ value, place: at }) => {
    const { speaker, ...turn } = asObject(value)
    return { value: { ...turn, speaker: `speaker ${idOf(speaker) ?? 'unknown'}` }, place: at }
  })
}

/** The words of the best alternative. */
function wordsIn({ value, place }: Placed, losses: Losses): Word[] {
  const [best] = elementsOf(asObject(value).alternatives, within(place, 'alternatives'))
  if (!best) return []
  const { transcript, words } = asObject(best.value)
  const found = elementsOf(words, within(best.place, 'words')).map(({ value: word, place: at }): Word => {
    const { word: said, speakerTag, speakerLabel = speakerTag, startTime, startOffset = startTime } = asObject(word)
    const text = textOf(said)
    losses.note(text)
    return { speaker: speakerLabel, text: text ?? '', start: startOffset, place: at }
  })
  if (textOf(transcript)) losses.addField('transcript', transcript, '', reasons.besideRead)
  return found
}
