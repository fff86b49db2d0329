import { formats, type ParseOptions, parse, type Transcript, TranscriptFileError } from '@svc/transcripts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainData } from '../../../packages/checks/src/plain-data.js'
import { formatNamed } from '../../../packages/transcripts/src/formats/index.js'
import { withOdd } from '../../../packages/transcripts/test/fixtures/odd-values.js'
import { isLong, runs } from '../../helpers/long.js'
import { caseFileOf, casesIn, pageOf } from './cases.js'
import { hostileValues } from './hostile-values.js'

/** The long form, which test:full runs. */

const files = formats.map(({ id }) => ({ id, cases: casesIn(caseFileOf(id)) }))

it.each([...formats.map(({ id }) => id), 'messages-of-any-provider', 'cells-of-json'])(
  'reads each case of %s as its file says; `vitest -u` writes the file',
  async (name) => {
    await expect(pageOf(casesIn(caseFileOf(name)))).toMatchFileSnapshot(caseFileOf(name))
  },
)

it.each(files)('each transcript of the cases of $id can be judged: it is plain data, as in JSON', ({ id, cases }) => {
  for (const { text, options } of cases) survives(text, { format: id, ...options })
})

/** The lines of the cases that are JSON, as values. */
function recordsOf(texts: readonly string[]): unknown[] {
  return texts
    .filter((text) => text.startsWith('{') || text.startsWith('['))
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
}

function survives(text: string, options: ParseOptions): readonly Transcript[] {
  try {
    const { transcripts } = parse(text, options)
    // A stored transcript is read as it is.
    const mayBeEmpty = options.format === 'upload' && /"(turn_count|processing_status)"/.test(text)
    for (const { turns } of transcripts) {
      expect(mayBeEmpty || turns.every(({ content }) => content.trim() !== '')).toBe(true)
    }
    expect(plainData(transcripts)).not.toHaveProperty('problems')
    return transcripts
  } catch (error) {
    expect(error).toBeInstanceOf(TranscriptFileError)
    return []
  }
}

const ofText = files.filter(({ id }) => formatNamed(id).isText)
const ofJson = files.filter(({ id }) => !formatNamed(id).isText)
const ofValues = ofJson.filter(({ id }) => id !== 'table')

it.each(ofValues)(
  'a file of $id with any value in any place gives turns fit to be sent, or is refused',
  ({ id, cases }) => {
    const valid = recordsOf(cases.map(({ text }) => text))
    const records = fc.array(hostileValues(valid), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(records, fc.boolean(), (values, everything) => {
        const text = values.map((value) => JSON.stringify(value)).join('\n')
        survives(text, { format: id, thinking: everything, subagents: everything, branches: everything })
      }),
      { numRuns: runs(20) },
    )
  },
)

/** JSON that a program cannot write again, by the marker that stands for it. */
const unwritable = {
  '@arrays': '['.repeat(20_000) + ']'.repeat(20_000),
  '@objects': `${'{"text":'.repeat(20_000)}"x"${'}'.repeat(20_000)}`,
  '@number': '1e400',
  '@digits': '9'.repeat(1_000),
}

it.each(ofJson)(
  'a file of $id with a too large number or deep nesting in any place is read or refused',
  ({ id, cases }) => {
    const valid = recordsOf(cases.map(({ text }) => text))
    const value = fc.constantFrom(...Object.keys(unwritable))
    fc.assert(
      fc.property(hostileValues(valid, value), fc.boolean(), fc.boolean(), (record, isText, everything) => {
        const text = Object.entries(unwritable).reduce(
          (json, [marker, raw]) => json.replaceAll(`"${marker}"`, isText ? JSON.stringify(raw) : raw),
          JSON.stringify(record) ?? '',
        )
        const options = { format: id, thinking: everything, subagents: everything, branches: everything }
        for (const transcript of survives(text, options)) {
          const written = JSON.stringify(transcript, (_, each) =>
            typeof each === 'number' && !Number.isFinite(each) ? '@infinite' : each,
          )
          expect(written).not.toContain('@infinite')
        }
      }),
      { numRuns: runs(5) },
    )
  },
)

it.each(ofText)(
  'a text of $id with any lines in any order gives turns fit to be sent, or is refused',
  ({ id, cases }) => {
    const lines = cases.flatMap(({ text }) => text.split('\n'))
    const cut = fc.tuple(fc.constantFrom(...lines), fc.nat(30)).map(([line, at]) => line.slice(at))
    const line = fc.oneof(fc.constantFrom(...lines), cut, fc.string({ unit: 'grapheme' }))
    const start = fc.constantFrom(...cases.map(({ text }) => text))
    fc.assert(
      fc.property(start, fc.nat(), fc.array(line, { maxLength: 20 }), (text, at, more) => {
        const file = text.slice(0, at % (text.length + 1)) + more.join('\n')
        survives(file, { format: id })
        survives(file, {})
      }),
      { numRuns: runs(30) },
    )
  },
)

it('a table with any cells gives turns fit to be sent, or is refused', () => {
  const cell = fc.oneof(fc.constantFrom('user', 'bot', '', ' ', '0', '1', '2024-05-01', '{}'), fc.string())
  const column = fc.oneof(fc.constantFrom('id', 'role', 'text', 'turn', 'time', 'visible'), fc.string())
  const table = fc.array(fc.array(cell, { minLength: 1 }), { minLength: 1 })
  fc.assert(
    fc.property(fc.uniqueArray(column, { minLength: 1 }), table, (columns, rows) => {
      const quoted = (cells: readonly string[]) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')
      survives([columns, ...rows].map(quoted).join('\n'), { format: 'table' })
    }),
  )
})

it.each(ofValues)('an object that is no text is read or refused in any place of a case of $id', ({ id, cases }) => {
  const failures: [name: string, place: number, error: unknown][] = []
  for (const { name, text } of cases) {
    const records = recordsOf([text])
    const at = { left: -1 }
    for (let place = 0; at.left < 0; place += isLong ? 1 : 11) {
      at.left = place
      const file = withOdd(records, at, { toString: false, valueOf: 1 })
      if (at.left >= 0 || !Array.isArray(file)) continue
      try {
        parse(file.map((record) => JSON.stringify(record)).join('\n'), { format: id, branches: true })
      } catch (error) {
        if (!(error instanceof TranscriptFileError)) failures.push([name, place, error])
      }
    }
  }
  expect(failures).toEqual([])
})
