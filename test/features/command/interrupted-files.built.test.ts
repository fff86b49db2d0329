import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLong } from '../../helpers/long.js'
import { mockService } from '../../helpers/mock-service.js'
import { bin } from '../../helpers/own-service.js'

const total = 150

let service: Awaited<ReturnType<typeof mockService>>
let cwd: string
beforeAll(async () => {
  service = await mockService()
  cwd = service.workplace('work', total)
  const { code } = await service.run(['svc', 'upload', 'transcripts', '-j', '8', '--ledger', 'first', '-q'], cwd)
  expect(code).toBe(0)
}, 60_000)
afterAll(() => service.close())

const read = (path: string) => readFileSync(join(cwd, path), 'utf8')
const namesIn = (folder: string) => (existsSync(join(cwd, folder)) ? readdirSync(join(cwd, folder)) : [])

interface Job {
  argv: string[]
  /** Puts the files into the state before it. */
  begin(): void
  /** Throws if a file is neither as it was nor as it is after the whole job. */
  check(): void
}

const before = 'before\n'
const transcripts = join('transcripts')
const reports = ['json', 'html', 'md', 'junit', 'sarif']
const ends: Record<string, RegExp> = { json: /\}\n$/, html: /<\/html>\n$/, junit: /<\/testsuites>\n$/, sarif: /\}\n?$/ }

/** Either what was there, or something that ends as the format does. */
const isWhole = (path: string, format: string) => {
  const text = read(path)
  if (text === before) return
  expect([path, text.slice(-80)]).toEqual([path, expect.stringMatching(ends[format] ?? /\n$/)])
  if (format === 'json' || format === 'sarif') JSON.parse(text)
}

const jobs: Record<string, Job> = {
  'uploads rebuild': {
    argv: ['uploads', 'rebuild', '--ledger', 'rebuilt'],
    begin: () => rmSync(join(cwd, 'rebuilt'), { recursive: true, force: true }),
    check() {
      const ledgers = namesIn('rebuilt').filter((name) => name.endsWith('.jsonl'))
      for (const name of ledgers) expect(read(join('rebuilt', name)).split('\n')).toHaveLength(total + 3)
    },
  },
  'config set': {
    argv: ['config', 'set', 'baseUrl', 'https://a.test', '--config', 'config/own.json'],
    begin() {
      mkdirSync(join(cwd, 'config'), { recursive: true })
      const profiles = { other: { baseUrl: 'https://other.test' } }
      writeFileSync(join(cwd, 'config/own.json'), JSON.stringify({ schema: 'svc/config@1', profiles }), { mode: 0o600 })
    },
    check: () => expect(JSON.parse(read('config/own.json')).profiles.other).toEqual({ baseUrl: 'https://other.test' }),
  },
  convert: {
    argv: ['convert', transcripts, '--out', 'out/out.jsonl', '--force'],
    begin() {
      mkdirSync(join(cwd, 'out'), { recursive: true })
      writeFileSync(join(cwd, 'out/out.jsonl'), before)
    },
    check: () => expect([2, total + 1]).toContain(read('out/out.jsonl').split('\n').length),
  },
  check: {
    argv: [
      ...['check', transcripts, '--annotator', 'structural', '--cache', 'cache', '-j', '8', '--no-policy'],
      ...['--baseline', 'reports/baseline.json', '--update-baseline'],
      ...reports.flatMap((format) => ['--report', `${format}=reports/${format}`]),
    ],
    begin() {
      rmSync(join(cwd, 'reports'), { recursive: true, force: true })
      mkdirSync(join(cwd, 'reports'), { recursive: true })
      for (const format of reports) writeFileSync(join(cwd, 'reports', format), before)
    },
    check() {
      // A check that is stopped while it writes its reports leaves none.
      for (const format of namesIn('reports').filter((name) => reports.includes(name)))
        isWhole(join('reports', format), format)
      if (existsSync(join(cwd, 'reports/baseline.json')))
        expect(JSON.parse(read('reports/baseline.json')).transcripts).toHaveLength(total)
      for (const name of namesIn('cache').filter((each) => !each.startsWith('.'))) JSON.parse(read(join('cache', name)))
    },
  },
}

/** Runs a job, or kills it after so many milliseconds; resolves with how long it ran. */
async function run({ argv }: Job, signal?: NodeJS.Signals, afterMs?: number) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [bin, ...argv], { cwd, env: service.env, stdio: 'ignore' })
  const timer = afterMs === undefined ? undefined : setTimeout(() => child.kill(signal), afterMs)
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  clearTimeout(timer)
  return { code, ms: performance.now() - startedAt }
}

it.each(Object.entries(jobs))(
  'svc %s leaves whole files, whenever it is interrupted',
  async (_, job) => {
    job.begin()
    const { ms } = await run(job)
    job.check()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('SIGKILL', 'SIGINT', 'SIGTERM'),
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        async (signal, share) => {
          job.begin()
          await run(job, signal, share * ms)
          job.check()
        },
      ),
      { numRuns: isLong ? 12 : 2, interruptAfterTimeLimit: 20_000 },
    )
    // The next complete run removes the temporary files of killed processes.
    await run(job)
    job.check()
    const left = ['rebuilt', 'config', 'out', 'reports'].flatMap(namesIn)
    expect(left.filter((name) => /^\.|\.(rebuild|lock|held|draft|new)$/.test(name))).toEqual([])
  },
  60_000,
)
