import { expect, it } from 'vitest'
import { parse } from '../importer/parse.js'
import type { Transcript } from '../transcript.js'
import { nameFor } from './upload.js'

const [unnamed] = parse('[{"role":"user","content":"a"}]').transcripts as [Transcript]

it('is the transcript’s own name first', () => {
  expect(nameFor({ ...unnamed, name: ' Mine ' }, 'file.json', 2, 8)).toBe('Mine')
})

it.each([
  ['conversations.jsonl', 'conversations'],
  ['/a/b\\c/conversations.2024.JSON', 'conversations.2024'],
  ['.json', '.json'],
  ['export.zip', 'export'],
  ['run.eval', 'run'],
  ['a.traj', 'a'],
  ['call of monday.vtt', 'call of monday'],
  ['a.csv', 'a'],
  ['a.tsv.zst', 'a'],
  ['logs.jsonl.gz', 'logs'],
  ['WhatsApp Chat with Ann.txt', 'WhatsApp Chat with Ann'],
  ['session.md', 'session'],
  ['conversations.log', 'conversations.log'],
  ['conversations/8f3c/base_state.json', '8f3c'],
  ['', 'transcript'],
])('else is the file’s without folder and ending: %j', (file, name) => {
  expect(nameFor(unnamed, file)).toBe(name)
})

it('numbers the transcripts of one file', () => {
  expect(nameFor(unnamed, 'conversations.jsonl', 2, 8)).toBe('conversations (2/8)')
  expect(nameFor(unnamed, 'conversations.jsonl', 2, Infinity)).toBe('conversations (2)')
})

it('keeps within 500 characters without cutting a character or the number', () => {
  const name = nameFor(unnamed, '😀'.repeat(600), 2, 8)
  expect([...name]).toHaveLength(500)
  expect(name.endsWith('😀 (2/8)')).toBe(true)
  expect([...nameFor({ ...unnamed, name: 'é'.repeat(501) }, '')]).toHaveLength(500)
})
