import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { goals } from './goals.js'
import { writeChatGptExport, writeCodexLog } from './large-files.js'
import { median } from './measure.js'
import { heading, remark, row } from './page.js'
import { compiled, run } from './programs.js'

/** What reading transcript files costs beside JSON.parse over the same bytes, and the memory that large ones take. */
export async function benchTranscripts(): Promise<void> {
  await benchFiles()
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    await benchLarge('a ChatGPT export of 200 MB', join(folder, 'conversations.json'), writeChatGptExport)
    await benchLarge('a Codex log of 200 MB', join(folder, 'rollout.jsonl'), writeCodexLog)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface File {
  file: string
  bytes: number
  json: number
  svc: number
}

async function benchFiles(): Promise<void> {
  const folder = process.env.SVC_REAL_DATA
  heading('Reading real transcript files', 'CPU beside JSON.parse over the same bytes; medians of 9 rounds in turns')
  if (folder === undefined) return remark('not measured: SVC_REAL_DATA names no folder of real transcripts')
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|jsonl|traj)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const program = await compiled('import-files')
  const files = await run<File[]>(program, ['60', ...paths])
  const nameOf = ({ file }: File) => dirname(relative(folder, file)).split('/')[0] ?? ''
  for (const name of new Set(files.map(nameOf))) {
    const those = files.filter((file) => nameOf(file) === name)
    const { ratio, note } = summed(those)
    row(`${name} (${those.length})`, ratio, '× JSON.parse', { note })
  }
  const large = files.filter(({ bytes }) => bytes > 100_000)
  row('files over 100 kB', summed(large).ratio, '× JSON.parse', { goal: goals.transcripts, note: summed(large).note })
  row('all files', summed(files).ratio, '× JSON.parse', { goal: goals.transcripts, note: summed(files).note })
  // After 60 readings the program is not yet at its full speed.
  const settled = summed(await run<File[]>(program, ['600', ...paths]))
  row('all files, read 600 times before', settled.ratio, '× JSON.parse', { note: settled.note })
}

function summed(files: readonly File[]) {
  const total = (key: 'json' | 'svc' | 'bytes') => files.reduce((sum, file) => sum + file[key], 0)
  const note = `${(total('bytes') / 1e3).toFixed(0)} kB in ${(total('svc') / 1e3).toFixed(2)} ms`
  return { ratio: total('svc') / total('json'), note }
}

interface Read {
  cpu: number
  peak: number
  transcripts: number
  largest: number
}

async function benchLarge(name: string, path: string, write: (path: string, bytes: number) => Promise<void>) {
  await write(path, 200e6)
  const program = await compiled('import-stream')
  const json: Read[] = []
  const svc: Read[] = []
  for (let round = 0; round < 3; round++) {
    json.push(await run<Read>(program, ['json', path], ['--expose-gc']))
    svc.push(await run<Read>(program, ['svc', path], ['--expose-gc']))
  }
  rmSync(path)
  heading(`Reading ${name}`, 'medians of 3 processes; memory above that of the process before')
  const cpu = (reads: readonly Read[]) => median(reads.map((read) => read.cpu))
  const ratio = median(svc.map((read, round) => read.cpu / (json[round]?.cpu ?? Number.NaN)))
  const note = `${cpu(svc).toFixed(0)} ms of CPU, JSON.parse ${cpu(json).toFixed(0)} ms`
  row('CPU', ratio, '× JSON.parse', { goal: goals.transcripts, note })
  const [{ transcripts, largest } = { transcripts: 0, largest: 0 }] = svc
  const beyond = median(svc.map(({ peak }) => peak - largest)) / 1e6
  const sizes = `${transcripts} transcripts, the largest takes ${(largest / 1e6).toFixed(1)} MB`
  row('peak memory beyond the largest transcript', beyond, 'MB', { goal: goals.importMemory, note: sizes })
}
