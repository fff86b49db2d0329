import { parse } from '@svc/transcripts'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../helpers/long.js'
import { changed, jsonLines, keyOf, names, objectsIn, outcomeOf, type Path, structureOf, textsIn } from './sentinel.js'
import { samples } from './sentinel-samples.js'

const marker = 'Kennwort 4711 hier'

/** The long form, which test:full runs: each field in each of its forms, at each object. */

/** Changes of a text: more behind it, or another one. The short form makes them in turn. */
const changes: readonly ((old: unknown) => string)[] = [(old) => `${old} ${marker}`, () => marker]

describe('a text in a file is kept in a transcript or named as a loss', () => {
  it.each(samples)('detects the format of $format as $shape', ({ format, records, write = jsonLines }) => {
    expect(parse(write(records)).format).toBe(format)
  })

  it.each(samples)(
    'a changed text is kept or named as a loss: $format as $shape',
    ({ format, records, write = jsonLines }) => {
      const known = structureOf(format)
      const vanished = textsIn(records)
        .filter((path) => !known.has(keyOf(path)) && !path.some((step) => known.has(String(step))))
        .filter((path, turn) =>
          (isLong ? changes : changes.slice(turn % 2).slice(0, 1)).some(
            (change) =>
              outcomeOf(marker, path, write(changed(records, path, change) as unknown[]), names) === 'vanished',
          ),
        )
      expect([...new Set(vanished.map(keyOf))]).toEqual([])
    },
  )

  it.each(samples)(
    'a text in a new field is kept or named as a loss: $format as $shape',
    ({ format, records, write = jsonLines }) => {
      const known = structureOf(format)
      const vanished = objectsIn(records).flatMap((path, turn) =>
        added
          .filter((_, at) => isLong || (at + turn) % 4 === 0)
          .flatMap(([field, forms], at) =>
            (isLong ? forms : forms.slice((at + turn) % forms.length).slice(0, 1)).map(
              (form) => [field, form] as const,
            ),
          )
          .filter(([field]) => !known.has(field))
          .filter(([field, value]) => {
            if (Object.hasOwn(valueAt(records, path) as object, field)) return false
            const file = write(changed(records, path, (old) => ({ ...(old as object), [field]: value })) as unknown[])
            const [within = []] = textsIn(value).filter((steps) => valueAt(value, steps) === marker)
            return outcomeOf(marker, [...path, field, ...within], file, names) === 'vanished'
          })
          .map(([field]) => keyOf([...path, field])),
      )
      expect([...new Set(vanished)]).toEqual([])
    },
  )
})

const message = { role: 'assistant', content: marker }
const speaking = 'mystery output response completion answer reply text content message result reasoning'
/** Fields in which programs put what is said, and the forms that it has; an object of a sample gets one of them, in turn. */
const added: readonly [string, readonly unknown[]][] = [
  ...speaking
    .split(' ')
    .map((field): [string, unknown[]] => [
      field,
      [marker, message, [message], [{ type: 'text', text: marker }], [marker]],
    ]),
  ['title', [marker]],
  ['error', [marker]],
  ['metadata', [marker]],
]

function valueAt(value: unknown, path: Path): unknown {
  let found = value
  changed(value, path, (old) => {
    found = old
    return old
  })
  return found
}

it('a text that nothing carries and nothing names is noticed', () => {
  const file = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], model: 7, tools: [marker] })
  expect(outcomeOf(marker, ['tools', 0], file, names)).toBe('lost')
  expect(outcomeOf(marker, ['tools', 0], file, () => false)).toBe('vanished')
  expect(outcomeOf('Hi', ['messages', 0, 'content'], file, () => false)).toBe('kept')
})
