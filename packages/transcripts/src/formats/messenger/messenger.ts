import { defineFormat, type Note } from '../../contract/index.js'
import { type JsonObject, objectsOf } from '../../json/index.js'

/** Chats in a download of the data of Messenger or Instagram. */
export const messenger = defineFormat({
  id: 'messenger',
  title: 'Messenger or Instagram chat',
  accepts: '{ "participants", "title", "messages": [{ "sender_name", "timestamp_ms", "content" }] }',
  signature: { 'messages[].sender_name messages[].timestamp_ms': 0.96 },
  conversation: { name: ({ title }, note) => decoded(title, note), externalId: 'thread_path' },
  messages: 'messages',
  // The newest message is the first.
  order: 'timestamp_ms',
  role: () => undefined,
  roles: {},
  speaker: ({ sender_name: name }, note) => decoded(name, note),
  text: ({ content }, note) => decoded(content, note),
  files: ({ photos, videos, audio_files: audio, files, gifs }) => [
    ...objectsOf(photos).map(fileOf('image')),
    ...[videos, gifs].flatMap((list) => objectsOf(list).map(fileOf('video'))),
    ...objectsOf(audio).map(fileOf('audio')),
    ...objectsOf(files).map(fileOf('file')),
  ],
  time: 'timestamp_ms',
  structure: 'participants uri magic_words joinable_mode',
})

const fileOf =
  (type: string) =>
  ({ uri }: JsonObject): JsonObject => ({ type, file_name: uri })

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The download escapes each byte of UTF-8 as a character of its own. */
function decoded(text: unknown, note: Note): unknown {
  if (typeof text !== 'string' || !/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text
  note(text)
  try {
    return utf8.decode(Uint8Array.from(text, (character) => character.charCodeAt(0)))
  } catch {
    return text
  }
}
