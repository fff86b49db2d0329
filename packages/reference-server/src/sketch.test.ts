import fc from 'fast-check'
import { expect, test } from 'vitest'
import { probeOf, Sketches } from './sketch.js'
import { fold } from './text.js'

const sketchOf = (...contents: string[]) => new Sketches().of(contents.map((content) => ({ content })))

test('whatever stands in a text may stand in it, in any case', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 60 })), fc.nat(), fc.nat(8), (texts, from, length) => {
      const sketch = sketchOf(...texts)
      for (const text of texts.map(fold)) {
        const start = from % (text.length + 1)
        expect(sketch.mayHold(probeOf(text.slice(start, start + length)))).toBe(true)
      }
    }),
  )
})

test('what does not stand there is nearly always told', () => {
  const sketch = sketchOf('My order has not arrived, and the tracking page says nothing since Monday.', 'Straße')
  expect(sketch.mayHold(probeOf('STRASSE'))).toBe(true)
  for (const word of ['ZAHNRADBAHN', 'DELIVERY', '配送中心']) expect(sketch.mayHold(probeOf(word))).toBe(false)
})

test('fewer than three letters may stand everywhere', () => {
  expect(sketchOf('').mayHold(probeOf('配送'))).toBe(true)
})

test('many sketches in one piece of memory are each their own', () => {
  const sketches = new Sketches()
  const words = Array.from({ length: 3_000 }, (_, i) => `word-number-${i}!`)
  const made = words.map((content) => sketches.of([{ content }]))
  expect(made.every((sketch, i) => sketch.mayHold(probeOf(fold(words[i] ?? ''))))).toBe(true)
  const strange = probeOf(fold('no such thing is said here'))
  expect(made.filter((sketch) => sketch.mayHold(strange))).toEqual([])
})

test('a talk of many letters has a sketch of 8 kB, and is found by it', () => {
  const sketch = sketchOf('a '.repeat(200_000), 'Zahnradbahn')
  expect(sketch.mayHold(probeOf('ZAHNRADBAHN'))).toBe(true)
  expect(sketch.mayHold(probeOf('DELIVERY'))).toBe(false)
})
