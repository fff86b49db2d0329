import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formats } from '../src/formats/registry.js'
import { parse } from '../src/importer/parse.js'
import { TranscriptFileError } from '../src/model/problem.js'
import { sampleFiles } from './fixtures/sample-files.js'

/** Objects that throw where somebody takes them for a text, and names that every object has. */
const odd = fc.constantFrom<unknown>(
  { toString: false, valueOf: 1 },
  { __proto__: null },
  'constructor',
  '__proto__',
  [[]],
  -1,
)

/** The value with what stands at the n-th place of it, in the order of a walk, put into another's stead. */
function withOdd(value: unknown, at: { left: number }, replacement: unknown): unknown {
  if (at.left-- === 0) return replacement
  if (Array.isArray(value)) return value.map((item) => withOdd(item, at, replacement))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withOdd(item, at, replacement)]))
}

it.each([
  ['antigravity', 15],
  ['antigravity', 54],
  ['inspect', 9],
] as const)('an object that is no text is read or refused in %s at place %i', (id, left) => {
  const text = JSON.stringify(withOdd(sampleFiles[id].records, { left }, { toString: false, valueOf: 1 }))
  expect(parse(text).transcripts.length).toBeGreaterThan(0)
})

/** The long form, which test:full runs. */
const isLong = process.env.SVC_FORMATS === 'all'

const json = formats.filter(({ id }) => Array.isArray(sampleFiles[id].records))

it.each(json)('an odd value in any field of $id is read or refused, and never anything else', ({ id }) => {
  const { records } = sampleFiles[id]
  fc.assert(
    fc.property(fc.nat(120), odd, fc.boolean(), (place, replacement, isForced) => {
      const text = JSON.stringify(withOdd(records, { left: place }, replacement))
      try {
        parse(text, isForced ? { format: id, thinking: true, subagents: true, branches: true } : {})
      } catch (error) {
        expect(error).toBeInstanceOf(TranscriptFileError)
      }
    }),
    { numRuns: isLong ? 200 : 60 },
  )
})
