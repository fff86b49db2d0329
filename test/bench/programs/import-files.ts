import { readFileSync } from 'node:fs'
import { parse } from '@svc/transcripts'

/**
 * The arguments: how often all files are read beforehand, and the files. For each of them microseconds of the processor that
 * JSON.parse takes over its bytes, and that `parse` takes, the medians of rounds in turns; printed as JSON. Both start from
 * bytes. Files that are refused are left out.
 */
const rounds = 9
const spent = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

function jsonParse(bytes: Buffer, isLines: boolean): void {
  const text = bytes.toString()
  if (!isLines) return void JSON.parse(text)
  for (const line of text.split('\n')) {
    try {
      if (line.trim() !== '') JSON.parse(line)
    } catch {
      // A broken line is read by nobody.
    }
  }
}

const [warmUps, ...paths] = process.argv.slice(2)
const readable = paths.flatMap((file) => {
  const bytes = readFileSync(file)
  try {
    parse(bytes)
    return [{ file, bytes }]
  } catch {
    return []
  }
})
// JSON.parse is compiled beforehand; what it is compared with gets the time to be.
for (let time = 0; time < Number(warmUps); time++) for (const { bytes } of readable) parse(bytes)

const files = readable.map(({ file, bytes }) => {
  // So often that the processor's clock can tell.
  const times = Math.max(3, Math.ceil(600_000 / bytes.length))
  const samples = { json: [] as number[], svc: [] as number[] }
  for (let round = -3; round < rounds; round++) {
    for (const [kind, work] of [
      ['json', () => jsonParse(bytes, file.endsWith('.jsonl'))],
      ['svc', () => parse(bytes)],
    ] as const) {
      const before = spent()
      for (let time = 0; time < times; time++) work()
      if (round >= 0) samples[kind].push((spent() - before) / times)
    }
  }
  return { file, bytes: bytes.length, json: median(samples.json), svc: median(samples.svc) }
})
console.log(JSON.stringify(files))
