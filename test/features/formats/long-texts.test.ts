import { parse, redact, toUpload } from '@svc/transcripts'
import { openBytes } from '@svc/transcripts/containers'
import { expect, it } from 'vitest'
import { zipOf } from '../../../packages/transcripts/test/fixtures/archives.js'

it('a time followed by many blanks is read, or counted as no time', () => {
  const blanks = ' '.repeat(200_000)
  const messages = ['', 'Z', 'x'].map((end) => ({
    role: 'user',
    content: 'Hi',
    timestamp: `2026-01-01T10:00${blanks}${end}`,
  }))
  const [transcript] = parse(JSON.stringify({ messages })).transcripts
  const time = '2026-01-01T10:00:00.000Z'
  expect(transcript?.turns.map(({ createdAt }) => createdAt)).toEqual([time, time, undefined])
})

it('an archive is read whose folders have long names', async () => {
  const content = JSON.stringify([{ uuid: 'a', name: 'a', chat_messages: [{ sender: 'human', text: 'Hi' }] }])
  const folders = Array.from({ length: 40 }, (_, index) => `${index}`.repeat(30_000))
  const { files } = await openBytes(zipOf(...folders.map((name) => ({ name: `${name}/conversations.json`, content }))))
  expect(files.map(({ member }) => member)).toEqual(folders)
})

it('a text of signs that stand before an @ keeps them and loses the address', () => {
  const signs = '!'.repeat(100_000)
  const [transcript] = parse(JSON.stringify([{ role: 'user', content: `${signs}@ ${signs}@mail.example` }])).transcripts
  const upload = transcript && redact(toUpload(transcript)).value
  expect(upload?.turns[0]?.content).toBe(`${signs}@ ${signs.slice(64)}[email-1]`)
})

it('trees and chains of very many messages are read', () => {
  const depth = 1_200
  const replies = '{"role":"prompter","text":"p","replies":['.repeat(depth) + ']}'.repeat(depth)
  const [deep] = parse(`{"message_tree_id":"t","prompt":${replies}}`, { branches: true }).transcripts
  expect(deep?.turns).toHaveLength(depth)
  const node = (_: unknown, at: number) => [
    `n${at}`,
    { parent: at === 0 ? null : `n${at - 1}`, message: { author: { role: 'user' }, content: { parts: [`${at}`] } } },
  ]
  const mapping = Object.fromEntries(Array.from({ length: 20_000 }, node))
  const [long] = parse(JSON.stringify({ current_node: 'n19999', mapping })).transcripts
  expect(long?.turns).toHaveLength(20_000)
})
