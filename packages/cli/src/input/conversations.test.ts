import { parse, type Transcript } from '@svc/transcripts'
import { expect, it } from 'vitest'
import { type Conversation, locateTurns } from './conversations.js'

/** A conversation in a file of its own, each turn on a line. */
function talkIn(path: string, turns: number): Conversation {
  const text = `{"turns":[\n${Array(turns).fill('{"role":"user","content":"hi"}').join(',\n')}]}`
  async function* chunks() {
    yield text
  }
  const [transcript] = parse(text).transcripts
  return {
    source: {
      ...{ path, file: path, root: path, isFound: false, isOneOfSeveral: false, notRead: [], chunks },
      ...{ checkpoint: async () => {}, hash: async () => undefined, resolve: (each: string) => each },
    },
    transcript: transcript as Transcript,
    name: path,
    part: 1,
  }
}

it('finds the turns of several files, each in its own file', async () => {
  const conversations = Array.from({ length: 20 }, (_, index) => talkIn(`${index}`, index + 1))
  await locateTurns({ stop: new AbortController().signal }, conversations)
  for (const { positions, transcript } of conversations) {
    expect(positions).toEqual(transcript.turns.map((_, index) => ({ line: index + 2, column: 1 })))
  }
})
