import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { layoutsOf } from '../../test/fixtures/sample-file.js'
import { sampleFiles, sampleLayouts } from '../../test/fixtures/sample-files.js'
import { readers } from '../formats/readers.js'
import type { FormatId } from '../formats/registry.js'
import { detect } from './detect.js'
import { Importer } from './importer.js'
import { parse } from './parse.js'

/** The long form, which test:full runs. */

const samples = Object.entries(sampleFiles).map(([id, sample]) => ({ id: id as FormatId, sample }))
const bytesOf = (text: string) => new TextEncoder().encode(text)

function parsedIn(chunks: readonly (Uint8Array | string)[]) {
  const file = new Importer()
  const transcripts = [...chunks.flatMap((chunk) => [...file.push(chunk)].flat()), ...[...file.end()].flat()]
  return { format: file.format, transcripts, skipped: file.skipped, problems: file.problems }
}

function cut(bytes: Uint8Array, ends: readonly number[]): Uint8Array[] {
  const sorted = ends.map((end) => end % bytes.length).sort((a, b) => a - b)
  return [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index]))
}

it.each(samples)('a record of $id has one of the fields of each format that recognizes it', ({ sample }) => {
  for (const record of (sample.records ?? []).filter((each) => !Array.isArray(each))) {
    const recognizing = readers.filter((format) => format.detect(record) > 0)
    expect(recognizing.length).toBeGreaterThan(0)
    for (const { id, fields } of recognizing)
      expect([id, fields.some((field) => field in Object(record))]).toEqual([id, true])
  }
})

it.each(sampleLayouts)('a sample of $id is known and read as $layout', ({ id, text, said }) => {
  expect(detect(text)?.format).toBe(id)
  const { format, transcripts } = parse(text)
  expect(format).toBe(id)
  expect(transcripts.flatMap(({ turns }) => turns.map(({ role, content }) => `${role}: ${content}`))).toEqual(said)
})

describe('the parts in which a file comes', () => {
  it.each(sampleLayouts)('reads the same from $id as $layout for every chunk size', ({ text }) => {
    const bytes = bytesOf(text)
    const whole = parsedIn([bytes])
    expect(whole).toEqual(parsedIn([text]))
    expect(parsedIn(cut(bytes, [...bytes.keys()]))).toEqual(whole)
    const ends = fc.array(fc.nat(), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(ends, (at) => {
        expect(parsedIn(cut(bytes, at))).toEqual(whole)
      }),
      { numRuns: runs(5) },
    )
  })

  it.each(samples)('reports the same for a file of $id that ends too early, for every chunk size', ({ sample }) => {
    const all = Object.values(layoutsOf(sample))
    const cuts = fc.tuple(fc.constantFrom(...all), fc.nat(), fc.array(fc.nat(), { minLength: 1, maxLength: 4 }))
    fc.assert(
      fc.property(cuts, ([text, length, ends]) => {
        const bytes = bytesOf(text).subarray(0, 1 + (length % text.length))
        expect(parsedIn(cut(bytes, ends))).toEqual(parsedIn([bytes]))
      }),
      { numRuns: runs(10) },
    )
  })
})
