import { detect } from '@svc/transcripts'
import { expect, it } from 'vitest'
import { layoutsOf } from '../../../packages/transcripts/test/fixtures/sample-file.js'
import { sampleFiles } from '../../../packages/transcripts/test/fixtures/sample-files.js'

const texts = Object.entries(sampleFiles).map(([id, sample]) => {
  const { lines, table } = layoutsOf(sample)
  return { id, text: lines ?? table ?? '' }
})

it.each(texts)('a file of $id is of no other format', ({ id, text }) => {
  expect(detect(text)?.format).toBe(id)
})
