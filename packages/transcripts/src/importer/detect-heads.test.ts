import { describe, expect, it } from 'vitest'
import { isLong } from '../../../../test/helpers/long.js'
import type { SampleFile } from '../../test/fixtures/sample-file.js'
import { layoutsInTurn } from '../../test/fixtures/sample-files.js'
import { detect } from './detect.js'

const least = 4096

/** The long form, which test:full runs. */

/** The sample with words as long as people and tools write them, and again and again. */
function enlarged({ records, text = '', said }: SampleFile, length: number): SampleFile {
  const longer = (value: unknown): unknown =>
    typeof value === 'string' && value.includes('✓') ? value.replace('✓', '✓ lang '.repeat(length).trim()) : value
  if (records === undefined) {
    const [header, ...rows] = text.split('\n')
    return { said, text: [header, ...Array(1000).fill(rows.join('\n').trim())].join('\n') }
  }
  const one = records.map((record) => JSON.parse(JSON.stringify(record), (_, value) => longer(value)))
  return {
    said,
    records: Array(Math.ceil(20_000 / JSON.stringify(one).length))
      .fill(one)
      .flat(),
  }
}

const files = (isLong ? [1, 40, 1200] : [1, 400]).flatMap((length) =>
  layoutsInTurn((sample) => enlarged(sample, length)).map((each) => ({ ...each, length })),
)

describe('the head of a file', () => {
  it.each(files)('detects $id as $layout, with $length words, and no other format', ({ id, text }) => {
    const bytes = new TextEncoder().encode(text)
    const others: [number, string][] = []
    for (let length = 20; length < 16_000 && length < bytes.length; length += isLong ? 97 : 97 + (length >> 1)) {
      const { format = id } = detect(bytes.subarray(0, length)) ?? {}
      if (format !== id) others.push([length, format])
    }
    expect(others).toEqual([])
    expect(detect(bytes)?.format).toBe(id)
  })

  it('detects the format of all files with short messages', () => {
    for (const { id, text, length } of files) {
      if (length === 1) expect(detect(text.slice(0, least))?.format).toBe(id)
    }
  })
})
