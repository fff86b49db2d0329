import { readFileSync } from 'node:fs'
import { parse } from '@svc/transcripts'
import { median } from '../measure.js'

/**
 * Prints how much longer `parse` takes over all files than JSON.parse over their bytes, in CPU: for each file the medians
 * of rounds in turns. Files that are refused are left out.
 */
const rounds = 9
const spent = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

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

const total = { json: 0, svc: 0 }
for (const file of process.argv.slice(2)) {
  const bytes = readFileSync(file)
  try {
    parse(bytes)
  } catch {
    continue
  }
  const work = { json: () => jsonParse(bytes, file.endsWith('.jsonl')), svc: () => void parse(bytes) }
  const samples = { json: [] as number[], svc: [] as number[] }
  // So often that the processor's clock can measure it.
  const times = Math.max(3, Math.ceil(600_000 / bytes.length))
  for (let round = -5; round < rounds; round++) {
    for (const kind of ['json', 'svc'] as const) {
      const before = spent()
      for (let time = 0; time < times; time++) work[kind]()
      if (round >= 0) samples[kind].push(spent() - before)
    }
  }
  total.json += median(samples.json) / times
  total.svc += median(samples.svc) / times
}
console.log(total.svc / total.json)
