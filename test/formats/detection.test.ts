import { describe, expect, it } from 'vitest'
import { type AnyFormatId, readers } from '../../packages/transcripts/src/formats/index.js'
import { detect, detectable } from '../../packages/transcripts/src/importer/index.js'
import { RecordSplitter } from '../../packages/transcripts/src/records/index.js'
import { layoutsOf } from '../../packages/transcripts/test/fixtures/sample-file.js'
import { sampleFiles } from '../../packages/transcripts/test/fixtures/sample-files.js'

const texts = Object.entries(sampleFiles).map(([id, sample]) => {
  const { lines, table } = layoutsOf(sample)
  return { id, text: lines ?? table ?? '' }
})

/** The confidence of every format that recognizes a file, the greatest first. */
function confidencesIn(text: string): { id: AnyFormatId; confidence: number }[] {
  const splitter = new RecordSplitter()
  const raw = [...splitter.push(text), ...splitter.end()].filter(({ error }) => error === undefined)
  const records = detectable(
    raw.map(({ text, value, record, offset }) => ({ value: value ?? JSON.parse(text), record, offset })),
  )
  return readers
    .map(({ id, detect: scoreOf }) => {
      const scores = records.map(({ value }) => scoreOf(value))
      return { id, confidence: Math.max(...scores) * (scores.filter((score) => score > 0).length / scores.length) }
    })
    .filter(({ confidence }) => confidence > 0)
    .sort((a, b) => b.confidence - a.confidence || a.id.localeCompare(b.id))
}

function tableOf(header: string[], rows: string[][]): string {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

const page = () => {
  const rows = texts.map(({ id, text }) => {
    const all = confidencesIn(text)
    const own = all.find((each) => each.id === id)?.confidence ?? 0
    const others = all.filter((each) => each.id !== id).map((each) => `\`${each.id}\` ${each.confidence.toFixed(2)}`)
    return [`\`${id}\``, own.toFixed(2), others.join(', ') || '—']
  })
  return `# Detection

\`svc\` finds the format of a file by its content: each format gives every one of the first 50 records a score from 0 to 1. The
format that recognizes most records wins; on a tie, the one with the greater sum of scores. Its confidence is its best score times
the share of the records that it recognizes. A file with a confidence below 0.5 is refused, and so is one that two formats
recognize equally well.

The table has a row for one file of each format: the confidence of its own format, and of all others that recognize a record of it.
A test writes it, and fails if another format wins.

${tableOf(['file', 'its format', 'others'], rows)}
`
}

describe('detection', () => {
  it.each(texts)('finds $id, and no other format', ({ id, text }) => {
    expect(detect(text)?.format).toBe(id)
  })

  it('has the confusion matrix that docs/reference/detection.md shows; `vitest -u` writes it', async () => {
    expect(texts.map(({ id }) => id).sort()).toEqual(readers.map(({ id }) => id).sort())
    await expect(page()).toMatchFileSnapshot('../../docs/reference/detection.md')
  })
})
