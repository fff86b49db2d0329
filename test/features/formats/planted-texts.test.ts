import { parse } from '@svc/transcripts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import {
  changed,
  jsonLines,
  keyOf,
  names,
  objectsIn,
  outcomeOf,
  type Path,
  structureOf,
  textsIn,
  valueAt,
} from './planted.js'
import { type Sample, samples } from './planted-samples.js'

/** Forms in which programs put a text into a field, and the steps to it below that field. */
const forms: readonly [write: (text: string) => unknown, path: Path][] = [
  [(text) => text, []],
  [(text) => [text], [0]],
  [(text) => ({ remark: text }), ['remark']],
  [(text) => ({ role: 'assistant', content: text }), ['content']],
  [(text) => [{ role: 'user', text }], [0, 'text']],
  [(text) => [{ type: 'text', text }], [0, 'text']],
  [(text) => JSON.stringify({ remark: text }), ['remark']],
]

/** Fields in which programs put what is said, and one that nobody knows. */
const fields =
  'mystery output response completion answer reply text content message result reasoning title error metadata'.split(
    ' ',
  )

/** Ways in which a program wraps records; a table or a log is not wrapped. */
const wrappers: readonly ((records: unknown[]) => unknown)[] = [
  (records) => ({ data: records, total: records.length }),
  (records) => ({ result: { items: records } }),
  (records) => records,
]

/** A text in a place of a sample: in a new field of an object, or behind another text. */
interface Plant {
  isNew: boolean
  at: number
  field: number
  form: number
}

interface Planted {
  file: string
  /** The texts, and the steps to them in their record. */
  texts: { text: string; path: Path }[]
}

function planted({ format, records, write = jsonLines }: Sample, plants: readonly Plant[], wrapper: number): Planted {
  const known = structureOf(format)
  let all: unknown = records
  const texts = plants.flatMap(({ isNew, at, field, form }, index) => {
    const text = `Kennwort ${4711 + index} hier`
    const places = isNew
      ? objectsIn(records)
      : textsIn(records).filter((path) => !known.has(keyOf(path)) && !path.some((step) => known.has(String(step))))
    const place = places[at % Math.max(1, places.length)]
    if (place === undefined) return []
    const name = fields[field % fields.length] ?? ''
    const isTaken = known.has(name) || Object.hasOwn(Object(valueAt(all, place)), name)
    const added = isTaken ? `${name}_${index}` : name
    const [inForm, below] = forms[form % forms.length] ?? [() => text, []]
    all = changed(all, place, (old) => (isNew ? { ...(old as object), [added]: inForm(text) } : `${old} ${text}`))
    return [{ text, path: isNew ? [...place, added, ...below] : place }]
  })
  const wrap = write === jsonLines ? wrappers[wrapper] : undefined
  return { file: wrap ? JSON.stringify(wrap(all as unknown[])) : write(all as unknown[]), texts }
}

const plant = fc.record({
  isNew: fc.boolean(),
  at: fc.nat(1000),
  field: fc.nat(fields.length - 1),
  form: fc.nat(forms.length - 1),
})

it('each text planted anywhere in records of any format and wrapper is in a transcript, in a named loss, or refused', () => {
  const plants = fc.array(plant, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.constantFrom(...samples), plants, fc.nat(wrappers.length), (sample, where, wrapper) => {
      const { file, texts } = planted(sample, where, wrapper)
      const vanished = texts.filter(({ text, path }) => outcomeOf(text, path, file, names) === 'vanished')
      expect(vanished.map(({ path }) => path.join('/'))).toEqual([])
    }),
    { numRuns: runs(400) },
  )
})

it.each(samples)('detects the format of $format as $shape', ({ format, records, write = jsonLines }) => {
  expect(parse(write(records)).format).toBe(format)
})

it('a text that nothing carries and nothing names is noticed', () => {
  const marker = 'Kennwort 4711 hier'
  const file = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], model: 7, tools: [marker] })
  expect(outcomeOf(marker, ['tools', 0], file, names)).toBe('lost')
  expect(outcomeOf(marker, ['tools', 0], file, () => false)).toBe('vanished')
  expect(outcomeOf('Hi', ['messages', 0, 'content'], file, () => false)).toBe('kept')
})
