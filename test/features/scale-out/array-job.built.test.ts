import { spawn, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { variant } from '../../helpers/long.js'
import { bin, ownService, runProcess } from '../../helpers/own-service.js'
import { conversation } from '../../helpers/scripted-annotator.js'

const script = fileURLToPath(new URL('../../../examples/scale-out/array-job.sh', import.meta.url))
const versions = { annotator_version: '1', taxonomy_version: '1' }
const annotation = {
  summary: { title: 't', keywords: [], summary: 's', quality_concerns: '', user_intent: '', domain: '' },
  ...{ outcome_notes: '', signals: {}, annotator: 'structural', ...versions },
  usage: { tokens_in: 1, tokens_out: 1, latency_ms: 1 },
}

let service: Awaited<ReturnType<typeof ownService>>
/** The contents that were annotated; each of them was paid for. */
let paid: string[] = []
/** Answers a request otherwise, if it returns true. */
let otherwise: (content: string, response: ServerResponse) => boolean = () => false
beforeAll(async () => {
  service = await ownService(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    response.setHeader('content-type', 'application/json')
    if (request.method === 'GET') {
      response.end(JSON.stringify({ annotators: [{ id: 'structural', description: '', ...versions }] }))
      return
    }
    const content: string = JSON.parse(Buffer.concat(parts).toString()).transcript[0].content
    if (otherwise(content, response)) return
    paid.push(content)
    response.end(JSON.stringify({ ...annotation, outcome: content === 'bad' ? 'critical' : 'strong' }))
  })
  symlinkSync(bin, join(service.folder, 'svc'))
})
afterAll(async () => {
  await service.close()
  rmSync(service.folder, { recursive: true })
})

/** A folder of its own with these files in `transcripts`, and their paths in the list `files`. */
function workplace(files: Record<string, unknown>) {
  const cwd = mkdtempSync(join(service.folder, 'work-'))
  mkdirSync(join(cwd, 'transcripts'))
  for (const [name, content] of Object.entries(files)) {
    const text = Array.isArray(content) ? content.map((line) => JSON.stringify(line)).join('\n') : content
    writeFileSync(join(cwd, 'transcripts', name), String(text))
  }
  writeFileSync(
    join(cwd, 'files'),
    `${Object.keys(files)
      .map((name) => `transcripts/${name}`)
      .join('\n\n')}\n`,
  )
  paid = []
  otherwise = () => false
  return cwd
}

const one = (content: string) => JSON.stringify(conversation(content))
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.json`, one(`conversation ${n}`)]))

/** Starts the script in a process group of its own. */
function start(cwd: string, argv: readonly string[], more: Record<string, string> = {}) {
  const env = { ...service.env, PATH: [service.folder, process.env.PATH].join(delimiter), PAUSE: '0', ...more }
  const child = spawn(script, argv, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = new Promise<{ code: number | null; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, err })),
  )
  return { ended, kill: () => process.kill(-(child.pid ?? expect.fail()), 'SIGKILL') }
}

const structural = ['--annotator', 'structural']
const annotate = (cwd: string, shards = '2', ...flags: string[]) =>
  start(cwd, ['annotate', 'files', shards, ...structural, ...flags]).ended

/** The number of transcripts in each result. */
function results(cwd: string): Record<string, number> {
  const path = join(cwd, 'annotations')
  const names = readdirSync(path).filter((name) => /\.(jsonl|failed)$/.test(name))
  return Object.fromEntries(
    names.map((name) => {
      const lines = readFileSync(join(path, name), 'utf8').trimEnd().split('\n')
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ schema: 'svc/annotation@1' })
      return [name, lines.length]
    }),
  )
}

/** The first request of each content is answered so. */
const firstOf = (contents: readonly string[], answer: (response: ServerResponse) => void) => {
  const left = new Set(contents)
  otherwise = (content, response) => {
    if (!left.delete(content)) return false
    answer(response)
    return true
  }
}

const exhausted = (response: ServerResponse) =>
  response.writeHead(429, { 'retry-after': '3600' }).end('{"error":"rate_limited","detail":"later"}')

describe('array-job.sh annotate', () => {
  it('annotates each file once, continues after 75, and annotates nothing in a second run', async () => {
    const cwd = workplace({ ...many(7), 'a b.jsonl': [conversation('first'), conversation('second')] })
    firstOf(['conversation 3', 'second'], exhausted)
    expect(await annotate(cwd, '3')).toMatchObject({ code: 0 })
    const whole = { ...Object.fromEntries(Object.keys(many(7)).map((name) => [`transcripts%2F${name}.jsonl`, 1])) }
    expect(results(cwd)).toEqual({ ...whole, 'transcripts%2Fa b.jsonl.jsonl': 2 })
    // The file with two transcripts was annotated again as a whole.
    expect(paid.filter((content) => content !== 'first')).toHaveLength(8)
    paid = []
    expect(await annotate(cwd, '3')).toEqual({ code: 0, err: '' })
    expect(paid).toEqual([])
  })

  it('leaves whole results or none when it is killed, and annotates only the files without one again', async () => {
    const cwd = workplace({ ...many(3), 'log.jsonl': [conversation('first'), conversation('second')] })
    const run = start(cwd, ['annotate', 'files', '1', ...structural, '-j', '1'])
    firstOf(['second'], run.kill)
    expect((await run.ended).code).toBe(null)
    const before = Object.keys(many(3)).map((name) => [`transcripts%2F${name}.jsonl`, 1])
    expect(results(cwd)).toEqual(Object.fromEntries(before))
    expect(await annotate(cwd, '1', '-j', '1')).toEqual({ code: 0, err: '' })
    expect(results(cwd)).toEqual({ ...Object.fromEntries(before), 'transcripts%2Flog.jsonl.jsonl': 2 })
    expect(paid.filter((content) => content.startsWith('conversation'))).toHaveLength(3)
  })

  variant(
    'goes on after a file that is refused, keeps what was answered, and fails until the file is annotated',
    async () => {
      const cwd = workplace({ 'log.jsonl': [conversation('first'), conversation('second')], ...many(2) })
      firstOf(['second'], (response) => response.writeHead(422).end('{"error":"invalid","detail":"no"}'))
      expect(await annotate(cwd, '1')).toMatchObject({ code: 8 })
      const others = { 'transcripts%2F0.json.jsonl': 1, 'transcripts%2F1.json.jsonl': 1 }
      expect(results(cwd)).toEqual({ ...others, 'transcripts%2Flog.jsonl.jsonl.failed': 2 })
      paid = []
      expect(await annotate(cwd, '1')).toMatchObject({ code: 0 })
      expect(results(cwd)).toEqual({ ...others, 'transcripts%2Flog.jsonl.jsonl': 2 })
      expect(paid).toEqual(['first', 'second'])
    },
  )

  it('stops at a failure that all files share', async () => {
    const cwd = workplace(many(5))
    otherwise = (content, response) => {
      paid.push(content)
      response.writeHead(401).end('{"error":"unauthorized","detail":"no"}')
      return true
    }
    expect((await annotate(cwd, '1')).code).toBe(4)
    expect(paid).toHaveLength(1)
  })

  variant('annotates a file again if it was changed after its result, and refuses other flags', async () => {
    const cwd = workplace(many(3))
    await annotate(cwd)
    const later = new Date(Date.now() + 60_000)
    utimesSync(join(cwd, 'transcripts', '1.json'), later, later)
    paid = []
    expect(await annotate(cwd)).toEqual({ code: 0, err: '' })
    expect(paid).toEqual(['conversation 1'])
    const { code, err } = await annotate(cwd, '2', '--option', 'a=1')
    expect([code, err]).toEqual([2, expect.stringContaining('is of other flags')])
    expect(paid).toHaveLength(1)
  })
})

describe('array-job.sh check', () => {
  const judge = (cwd: string) =>
    runProcess(['check', 'transcripts', ...structural, '--cache', 'cache', '--no-policy'], service.env, cwd)
  const check = (cwd: string, shards = '3') => start(cwd, ['check', 'files', shards, ...structural]).ended

  it('annotates each file once, although a task is killed, and one check of all judges without a request', async () => {
    const cwd = workplace({ ...many(12), 'x.json': one('bad') })
    const task = (number: string) =>
      start(cwd, ['check', 'files', '3', ...structural, '-j', '1'], { SLURM_ARRAY_TASK_ID: number })
    // 1, 4, 7, 10 and 13 of the list.
    const killed = task('0')
    firstOf(['conversation 9'], killed.kill)
    expect((await killed.ended).code).toBe(null)
    firstOf(['conversation 9', 'conversation 1'], exhausted)
    // Two of them fail by their own findings; the verdict is not theirs.
    expect((await Promise.all(['0', '1', '2'].map((number) => task(number).ended))).map(({ code }) => code)).toEqual([
      100, 0, 0,
    ])
    expect(paid.sort()).toEqual(
      [...Object.keys(many(12)).map((name) => `conversation ${parseInt(name, 10)}`), 'bad'].sort(),
    )
    paid = []
    const verdict = await judge(cwd)
    expect([verdict.code, verdict.out]).toEqual([100, expect.stringContaining('1 of 13')])
    expect(paid).toEqual([])
  })

  variant('leaves to the last check what no task has annotated', async () => {
    const cwd = workplace(many(4))
    writeFileSync(join(cwd, 'files'), 'transcripts/0.json\n')
    expect(await check(cwd)).toMatchObject({ code: 0 })
    expect(paid).toEqual(['conversation 0'])
    expect((await judge(cwd)).code).toBe(0)
    expect(paid).toHaveLength(4)
  })

  it('checks nothing in a shard without a file, whatever paths the policy has', async () => {
    const cwd = workplace(many(1))
    writeFileSync(join(cwd, 'svc.checks.json'), '{ "paths": ["transcripts"], "annotator": "structural" }')
    writeFileSync(join(cwd, 'files'), '')
    expect(await check(cwd)).toEqual({ code: 0, err: '' })
    expect(paid).toEqual([])
  })

  it.each(['annotate', 'check'])('fails with 3 if the list of %s cannot be read', async (command) => {
    const cwd = workplace({})
    const { code, err } = await start(cwd, [command, 'missing', '2', ...structural]).ended
    expect([code, err]).toEqual([3, expect.stringContaining('missing')])
  })
})

const hasShellCheck = spawnSync('shellcheck', ['--version']).error === undefined
describe('the shell scripts of the examples', () => {
  it.skipIf(!hasShellCheck).each(['scale-out/array-job.sh', 'scale-out/queue.sh', 'gate/gate.sh', 'gate/pre-commit'])(
    `ShellCheck finds nothing in %s${hasShellCheck ? '' : ' (skipped: shellcheck is not installed)'}`,
    (name) => {
      const path = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))
      expect(spawnSync('shellcheck', ['--shell=sh', path], { encoding: 'utf8' }).stdout).toBe('')
    },
  )
})
