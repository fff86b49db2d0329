import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Annotator, createReferenceServer, defaultAnnotators, referenceKey } from '@svc/reference-server'
import { bin } from './bulk.js'
import { goals } from './goals.js'
import { median } from './measure.js'
import { heading, remark, row } from './page.js'

const peak = fileURLToPath(new URL('./peak.cjs', import.meta.url))
const total = 10_000
const rounds = 5
const files = ['json', 'junit', 'sarif', 'md', 'html'].map((id) => ({ id, name: `report.${id}` }))

/** Six turns; every third talk has something for the annotator to find. */
const talk = (at: number) => {
  const angry = at % 3 === 0
  const words = angry ? 'This is ridiculous, let me speak to a human.' : 'Thank you, that helps.'
  const pair = (n: number) => [
    { role: 'user', content: `Order ${at}, question ${n}. ${n === 3 ? words : 'Where is it now?'}` },
    { role: 'assistant', content: `Order ${at} left the store on day ${n} and is on its way.` },
  ]
  return `${JSON.stringify({ messages: [1, 2, 3].flatMap(pair) })}\n`
}

/** A gate over ten thousand transcripts, and over four hundred of which three changed. */
export async function benchCheck(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-check-bench-'))
  let asked = 0
  const patterns = defaultAnnotators.find(({ id }) => id === 'patterns') as Annotator
  const annotate: Annotator['annotate'] = (request, context) => {
    asked++
    return patterns.annotate(request, context)
  }
  const server = createReferenceServer({ annotators: [{ ...patterns, annotate }] })
  const { baseUrl, publicBaseUrl, close } = await server.listen({ port: 0 })
  const settings = { SVC_API_KEY: referenceKey, SVC_BASE_URL: baseUrl, SVC_PUBLIC_BASE_URL: publicBaseUrl }
  const { NODE_EXTRA_CA_CERTS: _, ...own } = process.env
  const summary = join(folder, 'summary.md')
  const env = { ...own, ...settings, SVC_CACHE_DIR: join(folder, 'cache'), HOME: folder, GITHUB_STEP_SUMMARY: summary }
  /** Runs `svc check`, and gives its milliseconds, its peak memory in MB, and how many annotations it asked for. */
  async function check(path: string, ...flags: string[]) {
    const before = asked
    const argv = ['-r', peak, bin, 'check', path, '--annotator', 'patterns', '--quiet', ...flags]
    const startedAt = performance.now()
    const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
    let [kilobytes, err] = ['', '']
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    child.stdio[3]?.on('data', (chunk) => {
      kilobytes += chunk
    })
    const [code] = (await once(child, 'close')) as [number]
    if (code !== 0 && code !== 100) throw new Error(`svc check ended with ${code}: ${err.slice(0, 300)}`)
    return { ms: performance.now() - startedAt, mb: Number(kilobytes) / 1_000, asked: asked - before }
  }
  try {
    writeFileSync(join(folder, 'talks.jsonl'), Array.from({ length: total }, (_, at) => talk(at)).join(''))
    heading('a gate over 10 000 transcripts', `svc check, ${total} annotations, then again with all reports at once`)
    const first = await check('talks.jsonl', '-j', '16')
    row('first run', first.ms / 1_000, 's', { note: `${first.asked} annotation requests` })
    const all = [...files.map(({ id, name }) => `${id}=${name}`), 'github'].flatMap((each) => ['--report', each])
    const [planned, judged] = [[], []] as [number[], number[]]
    let memory = 0
    let again = 0
    for (let round = 0; round < rounds; round++) {
      planned.push((await check('talks.jsonl', '--dry-run')).ms)
      // A summary that is there already leaves less room for another.
      rmSync(summary, { force: true })
      const run = await check('talks.jsonl', ...all)
      judged.push(run.ms)
      memory = Math.max(memory, run.mb)
      again = Math.max(again, run.asked)
    }
    row('annotation requests of a second run', again, '', { goal: goals.secondCheck })
    row('second run with all six reports', median(judged) / 1_000, 's', {
      note: `reading alone ${(median(planned) / 1_000).toFixed(2)} s`,
    })
    const beyond = median(judged.map((ms, at) => ms - (planned[at] ?? Number.NaN)))
    row('judging and all reports', beyond / 1_000, 's', { goal: goals.checkReports })
    row('peak resident memory', memory, 'MB', { goal: goals.checkMemory })
    const written = [...files, { id: 'github summary', name: 'summary.md' }]
    remark(written.map(({ id, name }) => `${id} ${(statSync(join(folder, name)).size / 1e6).toFixed(1)} MB`).join(', '))
    await changed(folder, check)
  } finally {
    await close()
    rmSync(folder, { recursive: true })
  }
}

async function changed(folder: string, check: (path: string) => Promise<{ asked: number }>): Promise<void> {
  const write = (at: number, text: string) => writeFileSync(join(folder, 'talks', `${at}.json`), text)
  mkdirSync(join(folder, 'talks'))
  for (let at = 0; at < 400; at++) write(at, talk(at + total))
  await check('talks')
  for (const at of [7, 200, 399]) write(at, talk(at + 2 * total))
  const { asked } = await check('talks')
  row('annotation requests with 3 of 400 changed', asked, '', { goal: goals.changedCheck })
}
