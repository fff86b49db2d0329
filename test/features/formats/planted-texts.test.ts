import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLong } from '../../helpers/long.js'
import { changed, jsonLines, keyOf, names, objectsIn, outcomeOf, type Path, structureOf, textsIn } from './sentinel.js'
import { type Sample, samples } from './sentinel-samples.js'

/** The long form, which test:full runs. */

/** Forms in which programs put a text into a field, and the steps to it below that field. */
const forms: readonly [write: (text: string) => unknown, path: Path][] = [
  [(text) => text, []],
  [(text) => [text], []],
  [(text) => ({ remark: text }), ['remark']],
  [(text) => [{ role: 'user', text }], ['text']],
  [(text) => JSON.stringify({ remark: text }), ['remark']],
]

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
  const texts = plants.flatMap(({ isNew, at, form }, index) => {
    const text = `Kennwort ${4711 + index} hier`
    const places = isNew
      ? objectsIn(records)
      : textsIn(records).filter((path) => !known.has(keyOf(path)) && !path.some((step) => known.has(String(step))))
    const place = places[at % Math.max(1, places.length)]
    if (place === undefined) return []
    const field = `mystery_${'abcdef'[index]}`
    const [inForm, below] = forms[form % forms.length] ?? [() => text, []]
    all = changed(all, place, (old) => (isNew ? { ...(old as object), [field]: inForm(text) } : `${old} ${text}`))
    return [{ text, path: isNew ? [...place, field, ...below] : place }]
  })
  const wrap = write === jsonLines ? wrappers[wrapper] : undefined
  return { file: wrap ? JSON.stringify(wrap(all as unknown[])) : write(all as unknown[]), texts }
}

const plant = fc.record({ isNew: fc.boolean(), at: fc.nat(1000), form: fc.nat(4) })

it('each text planted anywhere in records of any format and wrapper is in a transcript, in a named loss, or refused', () => {
  const plants = fc.array(plant, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.constantFrom(...samples), plants, fc.nat(wrappers.length), (sample, where, wrapper) => {
      const { file, texts } = planted(sample, where, wrapper)
      const vanished = texts.filter(({ text, path }) => outcomeOf(text, path, file, names) === 'vanished')
      expect(vanished.map(({ path }) => path.join('/'))).toEqual([])
    }),
    { numRuns: isLong ? 1_000 : 400 },
  )
})
