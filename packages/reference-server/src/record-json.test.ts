import fc from 'fast-check'
import { expect, test } from 'vitest'
import { transcriptJson } from './record-json.js'
import { newTranscriptRecord } from './records.js'

/** Texts with whatever JSON escapes: quotes, control characters, halves of pairs. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '\ud83d', '\udc00', '\u2028'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
})
const maybe = { nil: undefined, freq: 3 }

test('the record of an upload is written as JSON.stringify writes it', () => {
  const upload = fc.record({
    name: text,
    modelName: fc.option(text, maybe),
    language: fc.option(text, maybe),
    sourceSystem: fc.option(text, maybe),
    externalId: fc.option(text, maybe),
    externalUserId: fc.option(text, maybe),
    metadata: fc.option(fc.dictionary(text, fc.jsonValue()), maybe),
    sourceTimestamp: fc.constantFrom(undefined, '2026-01-01', '2026-01-01T00:00:00.5+02:00'),
    turns: fc.array(fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content: text })),
  })
  fc.assert(
    fc.property(text, upload, (id, { turns, ...optional }) => {
      const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
      const record = newTranscriptRecord(id, 0, { name: '', ...given, turns })
      expect(transcriptJson(record)).toBe(JSON.stringify(record))
    }),
  )
})
