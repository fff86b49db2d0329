import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLong } from '../../../../test/helpers/long.js'
import { withOdd } from '../../test/fixtures/odd-values.js'
import { sampleFiles } from '../../test/fixtures/sample-files.js'
import { formats } from '../formats/registry.js'
import { TranscriptFileError } from '../model/problem.js'
import { parse } from './parse.js'

/** Objects that throw where somebody takes them for a text, and names that every object has. */
const odd = fc.constantFrom<unknown>(
  { toString: false, valueOf: 1 },
  { __proto__: null },
  'constructor',
  '__proto__',
  [[]],
  -1,
)

/** The long form, which test:full runs. */

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
