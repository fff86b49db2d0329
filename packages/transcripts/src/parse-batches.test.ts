import { expect, it } from 'vitest'
import { parseBatches, parseStream, TranscriptFileError } from './index.js'

const line = (content: string) => `{"name":"talk","turns":[{"role":"user","content":"${content}"}]}\n`
const many = Array.from({ length: 300 }, (_, index) => line(`many ${index}`)).join('')

it('gives together what a part completes, and no list without any', async () => {
  const parts = [
    many,
    line('one') + line('two'),
    line('three').slice(0, 9),
    `${line('three').slice(9)}`,
    line('last').trim(),
  ]
  const sizes: number[] = []
  const texts: unknown[] = []
  for await (const batch of parseBatches(parts)) {
    sizes.push(batch.length)
    for (const { turns } of batch) texts.push(turns[0]?.content)
  }
  const streamed: unknown[] = []
  for await (const { turns } of parseStream(parts)) streamed.push(turns[0]?.content)
  expect(sizes).toEqual([300, 2, 1, 1])
  expect(texts).toEqual(streamed)
})

it('throws at the end, after what is right', async () => {
  let given = 0
  const reading = async () => {
    for await (const batch of parseBatches([many, 'broken\n', line('right')])) given += batch.length
  }
  await expect(reading()).rejects.toThrow(TranscriptFileError)
  expect(given).toBe(301)
})
