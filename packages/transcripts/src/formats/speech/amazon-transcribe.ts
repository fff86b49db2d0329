import { defineFormat } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { elementsOf, type Losses, type Place, type Placed, reasons, within } from '../../model/index.js'
import { secondsIn, turnsOf } from './words.js'

/** Transcripts of Amazon Transcribe with speakers. */
export const amazonTranscribe = defineFormat({
  id: 'amazon-transcribe',
  title: 'Amazon Transcribe transcript with speakers',
  accepts:
    '{ "jobName", "results": { "speaker_labels", "items": [{ "alternatives": [{ "content" }], "speaker_label" }] } }',
  signature: {
    'results.speaker_labels results.items[]': 0.97,
    'results.speaker_labels results.audio_segments[]': 0.97,
  },
  fields: 'results jobName accountId',
  conversations: (value, place) => [
    { value, messages: (losses) => messagesOf(asObject(value.results), within(place, 'results'), losses) },
  ],
  conversation: { externalId: 'jobName', language: 'results.language_code' },
  role: () => undefined,
  speaker: 'speaker_label',
  text: 'transcript',
  metadata: { start: ({ start_time: start }) => secondsIn(start) },
  structure: 'status accountId type speaker_label start_time end_time language_code confidence',
})

/** The segments of speakers, or else the words of each. */
function messagesOf(results: JsonObject, place: Place, losses: Losses): Placed[] {
  const segments = elementsOf(results.audio_segments, within(place, 'audio_segments'))
  losses.addField('results.transcripts', results.transcripts, '', reasons.besideRead)
  if (segments.length > 0) {
    losses.addField('results.items', results.items, '', reasons.besideRead)
    return segments
  }
  // Older transcripts name the speakers of words beside them, by their times.
  const speakers = new Map(
    objectsOf(asObject(results.speaker_labels).segments).flatMap(({ items }) =>
      objectsOf(items).map(({ start_time: start, speaker_label: speaker }) => [start, speaker] as const),
    ),
  )
  const words = elementsOf(results.items, within(place, 'items')).map(({ value, place: at }) => {
    const item = asObject(value)
    const [best] = objectsOf(item.alternatives)
    const text = textOf(best?.content) ?? ''
    losses.note(text)
    const { start_time: start, speaker_label: speaker = speakers.get(start) } = item
    return { speaker, text, start, isPunctuation: item.type === 'punctuation', place: at }
  })
  return turnsOf(words).map(({ value, place: at }) => {
    const { speaker, text, start } = asObject(value)
    return { value: { speaker_label: speaker, transcript: text, start_time: start }, place: at }
  })
}
