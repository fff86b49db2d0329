import { readFileSync } from 'node:fs'
import { parse } from '@svc/transcripts'
import { median } from '../measure.js'

/** Prints the CPU of `parse` over all files, divided by that of JSON.parse. Files that `parse` refuses are skipped. */
const rounds = 9
const cpuTime = () => {
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
      // Neither reads a broken line.
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
  // Often enough for the resolution of the CPU clock.
  const times = Math.max(3, Math.ceil(600_000 / bytes.length))
  for (let round = -5; round < rounds; round++) {
    for (const kind of ['json', 'svc'] as const) {
      const before = cpuTime()
      for (let time = 0; time < times; time++) work[kind]()
      if (round >= 0) samples[kind].push(cpuTime() - before)
    }
  }
  total.json += median(samples.json) / times
  total.svc += median(samples.svc) / times
}
console.log(total.svc / total.json)
