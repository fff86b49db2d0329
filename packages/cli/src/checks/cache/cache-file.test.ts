import type { Annotation } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAnnotation } from '../annotation-shape.js'
import { annotationIn, keyIn, lineOf } from './cache-file.js'
import { annotationOf, keyOf } from './cache-fixture.js'

/** Any annotation: texts of all characters, and fields that the interface does not show. */
const annotations: fc.Arbitrary<Annotation> = fc
  .record({
    title: fc.string({ unit: 'binary' }),
    keywords: fc.array(fc.string({ unit: 'grapheme' })),
    signals: fc.dictionary(fc.string(), fc.record({ evidence: fc.string(), turn: fc.option(fc.nat()) })),
    more: fc.dictionary(
      fc.string().map((name) => `x${name}`),
      fc.jsonValue({ noUnicodeString: false }),
    ),
  })
  .map(({ title, keywords, signals, more }) => {
    const annotation = annotationOf(title, { signals })
    return JSON.parse(JSON.stringify({ ...more, ...annotation, summary: { ...annotation.summary, keywords } }))
  })

describe('a line of the cache', () => {
  it('gives back any annotation, whole, under its key alone', () => {
    fc.assert(
      fc.property(annotations, fc.string(), (annotation, text) => {
        const line = lineOf(keyOf(text), annotation)
        expect(line).not.toContain('\n')
        expect(keyIn(Buffer.from(line))).toBe(keyOf(text))
        expect(annotationIn(Buffer.from(line), keyOf(text))).toEqual(annotation)
        expect(annotationIn(Buffer.from(line), keyOf(`${text}.`))).toBeUndefined()
      }),
    )
  })

  it('shows every change of a byte, and every part that is missing', () => {
    const line = Buffer.from(lineOf(keyOf('a'), annotationOf('A')))
    for (let at = 0; at < line.length; at++) {
      for (const change of [1, 2, 4, 8, 16, 32, 64, 128]) {
        const changed = Buffer.from(line)
        changed[at] = (line[at] ?? 0) ^ change
        if (at === 0 && changed[0] === 32) continue
        expect(keyIn(changed)).toMatchObject({ column: expect.any(Number) })
      }
      if (at > 0) expect(keyIn(line.subarray(0, at))).toMatchObject({ column: expect.any(Number) })
    }
  })

  it('is none while it is being written', () => {
    const line = Buffer.from(` ${lineOf(keyOf('a'), annotationOf('A')).slice(1)}`)
    expect([keyIn(line), keyIn(line.subarray(0, 40)), keyIn(line.subarray(0, 0))]).toEqual([
      ...[undefined, undefined, undefined],
    ])
  })

  it('that is not whole as an annotation gives none', () => {
    const line = lineOf(keyOf('a'), { outcome: 'poor' } as Annotation)
    expect(keyIn(Buffer.from(line))).toBe(keyOf('a'))
    expect(annotationIn(Buffer.from(line), keyOf('a'))).toBeUndefined()
  })
})

describe('an annotation', () => {
  it('is whole with all that the interface declares, more of it, and an outcome that is not listed', () => {
    const signals = { a: { evidence: '', turn: null }, b: { evidence: '' }, c: { evidence: '', turn: 99, more: [] } }
    expect(isAnnotation({ ...annotationOf('A'), signals, outcome: 'odd', more: {} })).toBe(true)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ...Object.keys(annotationOf('A')).map((name): [string, unknown] => [
      `no ${name}`,
      { ...annotationOf('A'), [name]: undefined },
    ]),
    ['a summary without a domain', { ...annotationOf('A'), summary: { ...annotationOf('A').summary, domain: 1 } }],
    ['a keyword that is no text', { ...annotationOf('A'), summary: { ...annotationOf('A').summary, keywords: [1] } }],
    ['a signal without evidence', { ...annotationOf('A'), signals: { a: { turn: 1 } } }],
    ['a turn that is a text', { ...annotationOf('A'), signals: { a: { evidence: '', turn: '1' } } }],
    ['a list of signals', { ...annotationOf('A'), signals: [] }],
    ['usage without numbers', { ...annotationOf('A'), usage: { tokens_in: 1, tokens_out: null, latency_ms: 1 } }],
  ])('is not with %s', (_, value) => {
    expect(isAnnotation(value)).toBe(false)
  })
})
