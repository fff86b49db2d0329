import type { FileRecord } from './format.js'
import { type FormatId, readers } from './formats/list.js'
import { readRecords } from './records.js'

/** A guess at a file's format; `confidence` is from 0 to 1. */
export interface Detection {
  format: FormatId
  confidence: number
}

const sampled = 50

/** The format of a text by its first 50 records; undefined when no format knows any of them. Parses the text. */
export function detect(text: string): Detection | undefined {
  return detectRecords(readRecords(text, isTranscript, () => {}))
}

/** The format that knows the most of the first 50 records, and of several that is the surest. */
export function detectRecords(records: readonly FileRecord[]): Detection | undefined {
  const sample = records.slice(0, sampled)
  const ranked = readers
    .map((format) => {
      const scores = sample.map((record) => format.detect(record.value)).filter((score) => score > 0)
      const sum = scores.reduce((total, score) => total + score, 0)
      return { format: format.id, known: scores.length, confidence: scores.length === 0 ? 0 : sum / sample.length }
    })
    .filter(({ known }) => known > 0)
    .sort((a, b) => b.known - a.known || b.confidence - a.confidence)
  return ranked[0] && { format: ranked[0].format, confidence: ranked[0].confidence }
}

/** Whether any format takes the value for one transcript. */
export function isTranscript(value: unknown): boolean {
  return readers.some((format) => format.detect(value) > 0)
}
