import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf, isLong, variant } from '../../helpers/long.js'
import { bin, cleanEnv } from '../../helpers/own-service.js'
import { createShell } from '../../helpers/run-cli.js'

const line = (name: string, content: string) =>
  `${JSON.stringify({
    name,
    turns: [
      { role: 'user', content },
      { role: 'assistant', content: 'Soon.' },
    ],
  })}\n`
const words = 'The order has not arrived yet. '.repeat(100)

const total = isLong ? 40_000_000 : 24_000_000
/** Mebibytes of heap, of which what was read would fill more than there is. */
const heap = 24
const folder = mkdtempSync(join(tmpdir(), 'svc-convert-'))
const large = join(folder, 'large.jsonl')
let count = 0
beforeAll(() => {
  const file = openSync(large, 'w')
  for (let written = 0; written < total; count++) written += writeSync(file, line(String(count), words))
  closeSync(file)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the built command with little heap; gives its exit code, how many bytes and lines it printed, and its messages. */
async function run(...argv: string[]) {
  const child = spawn(process.execPath, [`--max-old-space-size=${heap}`, bin, ...argv], {
    cwd: folder,
    env: { ...cleanEnv, SVC_PUBLIC_BASE_URL: 'http://127.0.0.1:9', SVC_STATE_DIR: join(folder, 'state') },
    stdio: [argv.includes('-') ? openSync(large, 'r') : 'ignore', 'pipe', 'pipe'],
  })
  let lines = 0
  let bytes = 0
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
  })
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, lines, bytes, said }
}

describe(`with a heap of ${heap} MiB and ${total / 1e6} MB of transcripts`, () => {
  const project = ['--project', 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10']

  const ways: [string, string[]][] = [
    ['svc convert --json of a file', ['convert', 'large.jsonl', '--json']],
    ['svc convert of standard input', ['convert', '-']],
  ]
  it.each(casesOf(ways))('%s prints every transcript', async (_, argv) => {
    const { code, lines, bytes, said } = await run(...argv)
    expect([code, said]).toEqual([0, `${count} transcripts with ${2 * count} turns converted to upload bodies\n`])
    expect(lines).toBe(argv.includes('--json') ? count + 1 : count)
    expect(bytes).toBeGreaterThan(total)
  })

  variant('svc convert --to inspect prints one log with every transcript', async () => {
    const { code, lines, said } = await run('convert', 'large.jsonl', '--to', 'inspect')
    expect([code, said]).toEqual([0, expect.stringContaining(`${count} transcripts with `)])
    // The beginning of the log, and its end.
    expect(lines).toBe(count + 2)
  })

  variant('svc convert --out writes every transcript', async () => {
    const { code, said } = await run('convert', 'large.jsonl', '--out', 'out.jsonl')
    expect([code, said]).toEqual([0, expect.stringContaining(`${count} transcripts with `)])
    expect(readFileSync(join(folder, 'out.jsonl')).length).toBeGreaterThan(total)
  })

  it.each([
    ['svc convert --detect of a file', ['convert', '--detect', 'large.jsonl'], 1],
    ['svc upload --dry-run of standard input', ['upload', '--dry-run', '-', ...project], undefined],
  ])('%s reads every transcript', async (_, argv, wanted) => {
    const { code, lines, said } = await run(...argv)
    expect([code, lines], said).toEqual([0, wanted ?? count])
  })
})

describe('svc convert of an input with something wrong at its end', () => {
  const env = {
    SVC_API_KEY: undefined,
    SVC_BASE_URL: undefined,
    SVC_PUBLIC_BASE_URL: undefined,
    SVC_PROJECT: undefined,
  }
  // More than is held in memory.
  const good = Array.from({ length: 1_000 }, (_, index) => line(String(index), words)).join('')
  const files = { 'conversations.jsonl': `${good}{ "turns": [{ "role": "wizard", "content": "hi" }] }\n` }

  it.each([[[]], [['--to', 'annotation']]])('prints nothing with %j', async (flags) => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['convert', 'conversations.jsonl', ...flags], { env, files })
    expect([code, out]).toEqual([3, ''])
    expect(err).toMatch(/^svc: The input has 1 problem; nothing was written\.\n {2}conversations\.jsonl:1001:\d+ /)
  })

  it('prints only the error with --json', async () => {
    const { svc } = createShell()
    const { code, lines } = await svc(['convert', 'conversations.jsonl', '--json'], { env, files })
    expect([code, lines()]).toEqual([3, [expect.objectContaining({ schema: 'svc/error@1' })]])
  })

  it('writes no file, leaves none beside it, and keeps the one that it would replace', async () => {
    const { svc, cwd } = createShell()
    expect((await svc(['convert', 'conversations.jsonl', '--out', 'out.jsonl'], { env, files })).code).toBe(3)
    expect(readdirSync(cwd)).toEqual(['conversations.jsonl'])
    writeFileSync(join(cwd, 'out.jsonl'), 'mine')
    expect((await svc(['convert', 'conversations.jsonl', '--out', 'out.jsonl', '--force'], { env })).code).toBe(3)
    expect(readdirSync(cwd).sort()).toEqual(['conversations.jsonl', 'out.jsonl'])
    expect(readFileSync(join(cwd, 'out.jsonl'), 'utf8')).toBe('mine')
  })

  it.skipIf(process.platform === 'win32')('writes nothing to a device', async () => {
    writeFileSync(join(folder, 'bad.jsonl'), files['conversations.jsonl'])
    expect(await run('convert', 'bad.jsonl', '--out', '/dev/stdout', '--force')).toMatchObject({ code: 3, bytes: 0 })
  })

  it('prints output that does not fit into memory unchanged', async () => {
    const { svc } = createShell()
    const all = await svc(['convert', 'good.jsonl'], { env, files: { 'good.jsonl': good } })
    const two = await svc(['convert', 'two.jsonl'], {
      env,
      files: { 'two.jsonl': good.split('\n').slice(0, 2).join('\n') },
    })
    expect(all.code).toBe(0)
    expect(all.lines().map(({ name }) => name)).toEqual(Array.from({ length: 1_000 }, (_, index) => String(index)))
    expect(all.out.startsWith(two.out)).toBe(true)
  })

  it('explains what to do if the temporary file cannot be written', async () => {
    const { svc } = createShell()
    const makeTemporary = async () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }
    const { code, out, err } = await svc(['convert', 'good.jsonl'], {
      env,
      files: { 'good.jsonl': good },
      io: { makeTemporary },
    })
    expect([code, out]).toEqual([3, ''])
    expect(err).toBe(
      'svc: Cannot write the temporary file for the output (ENOSPC).\nhint: free disk space in the temporary folder, or set TMPDIR to another folder\n',
    )
  })

  it('stops between two transcripts at a signal, and leaves no files behind', async () => {
    const { svc, cwd } = createShell()
    const stop = new AbortController()
    async function* stdin() {
      yield line('first', words)
      stop.abort('SIGINT')
      yield line('second', words)
      yield line('third', words)
    }
    const { code } = await svc(['convert', '-', '--out', 'out.jsonl'], { env, stdin: stdin(), signal: stop.signal })
    expect([code, readdirSync(cwd)]).toEqual([130, []])
  })
})
