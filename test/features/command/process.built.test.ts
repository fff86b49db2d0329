import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { spawn as spawnPty } from '@lydell/node-pty'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { greeting as conversation } from '../../helpers/conversations.js'
import { mockService } from '../../helpers/mock-service.js'
import { bin, runProcess } from '../../helpers/own-service.js'
import { createShell } from '../../helpers/run-cli.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-process-'))
let service: Awaited<ReturnType<typeof mockService>>
beforeAll(async () => {
  service = await mockService()
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

writeFileSync(join(folder, 'conversation.json'), JSON.stringify(conversation))
writeFileSync(join(folder, 'conversations.jsonl'), `${JSON.stringify(conversation)}\n`.repeat(3))

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_') && name !== 'CI'),
)

/** Runs the built command as a process of its own, with standard input closed. */
const svc = (...argv: string[]) => runProcess(argv, env, folder)

/** The target of a link, undefined where it is gone. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Runs a command line in a shell whose `svc` has a service. */
const inShell = (script: string) => service.run(['sh', '-c', script], folder)

describe('the process', () => {
  it('prints its version and exits 0', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../packages/cli/package.json', import.meta.url), 'utf8'))
    expect(await svc('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
  })

  it('exits 2 for bad usage and 3 for bad input', async () => {
    expect((await svc('upload')).code).toBe(2)
    expect((await svc('annotate', 'nope.json', '--annotator', 'a')).code).toBe(3)
  })

  it('exits 75 when the service does not answer', async () => {
    // The port of an open socket that does not listen: nobody else can take it meanwhile.
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const held = connect((server.address() as AddressInfo).port, '127.0.0.1')
    await once(held, 'connect')
    const { code, err } = await runProcess(['health'], { ...env, SVC_BASE_URL: `http://127.0.0.1:${held.localPort}` })
    held.destroy()
    server.close()
    expect([code, err]).toEqual([75, expect.stringContaining('ECONNREFUSED')])
  })

  it.each([
    ['SIGINT', ['convert']],
    ['SIGTERM', ['check', 'conversation.json', '--annotator', 'patterns', '--options']],
    ['SIGINT', ['report', 'merge']],
  ] as const)('ends by %s while the pipe of svc %j has no writer', async (signal, argv) => {
    const pipe = join(folder, `${signal}-${argv.length}.pipe`)
    execFileSync('mkfifo', [pipe])
    const child = spawn(process.execPath, [bin, ...argv, pipe], { cwd: folder, env, stdio: 'ignore' })
    const files = `/proc/${child.pid}/fd`
    const isOpen = () => readdirSync(files).some((name) => linkAt(join(files, name)) === pipe)
    while (!isOpen()) await new Promise(setImmediate)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([signal === 'SIGINT' ? 130 : 143, null])
  })

  it('reads a named pipe with a late writer', async () => {
    const pipe = join(folder, 'late.pipe')
    execFileSync('mkfifo', [pipe])
    const converted = svc('convert', pipe)
    await writeFile(pipe, JSON.stringify(conversation))
    expect(await converted).toMatchObject({ code: 0, out: expect.stringContaining('"turns"') })
  })

  it('reads the files that match a pattern', async () => {
    const files = { 'conversation.json': conversation, 'other.json': conversation }
    const { code, err } = await createShell().svc(['convert', 'conversation*.json', '--to', 'upload'], { files })
    expect([code, err]).toEqual([0, '1 transcript with 2 turns converted to upload bodies\n'])
  })

  it('the process is not troubled by a reader that leaves', async () => {
    const lines = `${'x'.repeat(400)} `.repeat(2).trim()
    writeFileSync(join(folder, 'many.jsonl'), `${JSON.stringify([{ role: 'user', content: lines }])}\n`.repeat(200))
    const { code, out, err } = await inShell(
      '{ svc annotate many.jsonl --annotator structural --json --quiet; echo "exit $?" >&2; } | head -c 1',
    )
    expect([code, out, err]).toEqual([0, '{', 'exit 0\n'])
  })

  it('gives each of many transcripts its own answer', async () => {
    const conversations = Array.from({ length: 600 }, (_, n) => [
      { role: 'user', content: `Where is my order number ${n}, please?` },
      { role: 'assistant', content: 'It has been sent.' },
    ])
    writeFileSync(join(folder, 'own.jsonl'), conversations.map((each) => `${JSON.stringify(each)}\n`).join(''))
    const script = 'svc annotate own.jsonl --annotator structural --json; svc check own.jsonl --annotator structural'
    const { code, out, err } = await inShell(script)
    const titles = out.split('\n').flatMap((line) => {
      const { record, annotation } = line.startsWith('{') ? JSON.parse(line) : {}
      return annotation ? [[record, annotation.summary.title]] : []
    })
    expect(titles.sort(([a], [b]) => a - b)).toEqual(conversations.map(([asked], n) => [n + 1, asked?.content]))
    // A slow machine sees how far it is.
    expect(err.replaceAll(/^((checking|annotating) )?\d+ of 600 transcripts.*\n/gm, '')).toBe('')
    expect([code, out]).toEqual([0, expect.stringMatching(/\npassed: no transcript .* \(600 judged\)\n$/)])
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends on %s while it reads standard input, with %i', async (signal, expected) => {
    const child = spawn(process.execPath, [bin, 'upload', '-'], {
      cwd: folder,
      env: {
        ...env,
        SVC_PROJECT: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10',
        SVC_API_KEY: 'sk-service-api03-test',
        SVC_PUBLIC_BASE_URL: 'http://127.0.0.1:9',
        SVC_STATE_DIR: join(folder, 'state'),
        SVC_CONFIG: join(folder, 'config.json'),
      },
    })
    const closed = new Promise((resolve) => child.on('close', resolve))
    // More than a pipe holds: when all of it is written, the command has begun to read, and waits for the rest.
    await new Promise((resolve) => child.stdin.write(' '.repeat(1_000_000), resolve))
    child.kill(signal)
    expect(await closed).toBe(expected)
  })
})

/** Runs a command under `svc mock` in this process. */
const mocked = (...command: string[]) => createShell().svc(['mock', '--', ...command], { env })

describe('svc mock -- command', () => {
  it('gives the command a service, a project, folders of its own, and this svc', async () => {
    const script = [
      'svc upload conversations.jsonl --project "$SVC_PROJECT" --json',
      'id=$(svc transcripts list --json | sed "s/.*\\"id\\":\\"\\(tr_[^\\"]*\\)\\".*/\\1/")',
      'svc transcripts get "$id" --json',
      'echo "$SVC_STATE_DIR $SVC_CACHE_DIR $SVC_CONFIG"',
    ].join('\n')
    const { code, out, err } = await svc('mock', '--', 'sh', '-c', script)
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(JSON.parse(lines[3] ?? '')).toMatchObject({ schema: 'svc/upload-summary@1', uploaded: 3 })
    expect(JSON.parse(lines[4] ?? '')).toMatchObject({ turns: conversation.messages })
    const folders = lines[5]?.split(' ') ?? []
    expect(folders.map((path) => path.startsWith(tmpdir()))).toEqual([true, true, true])
    expect(existsSync(dirname(folders[0] ?? ''))).toBe(false)
    expect(err).toContain('3 transcripts uploaded to hp-')
  })

  it('passes the exit code on, also one that svc never uses', async () => {
    expect((await mocked('sh', '-c', 'exit 77')).code).toBe(77)
    expect((await mocked('sh', '-c', 'kill -KILL $$')).code).toBe(137)
  })

  it('reports a command that cannot be run', async () => {
    const { code, err } = await mocked('no-such-command')
    expect([code, err]).toEqual([2, 'svc: no-such-command: cannot be run: no such command.\n'])
  })

  it('hands a signal to the command, also a second one, and takes its exit code', async () => {
    const script =
      'trap "echo got INT" INT; trap "echo got TERM; exit 9" TERM; echo ready; while :; do sleep 0.05; done'
    const child = spawn(process.execPath, [bin, 'mock', '--', 'sh', '-c', script], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let out = ''
    const said = (words: string) =>
      new Promise<void>((resolve) => {
        const look = () => out.includes(words) && resolve()
        child.stdout.on('data', (chunk) => {
          out += chunk
          look()
        })
        look()
      })
    const closed = new Promise((resolve) => child.on('close', resolve))
    await said('ready')
    child.kill('SIGINT')
    await said('got INT')
    child.kill('SIGTERM')
    expect(await closed).toBe(9)
    expect(out).toContain('got TERM')
  })

  it('reports a folder that cannot be created, and ends', async () => {
    const child = spawn(process.execPath, [bin, 'mock', '--', 'true'], {
      cwd: folder,
      env: { ...env, TMPDIR: '/nonexistent' },
    })
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(3)
    expect(err).toContain('hint: set TMPDIR')
  })

  it('takes the flags after -- for the command', async () => {
    const { code } = await mocked('sh', '-c', '[ "$*" = "--json --port" ]', 'sh', '--json', '--port')
    expect(code).toBe(0)
  })
})

describe('on a terminal', () => {
  /** Runs the command on a terminal of 100 columns: its exit code, and the bytes that the terminal gets. */
  const onTerminal = (argv: string[], more: Record<string, string> = {}): Promise<{ code: number; sent: string }> => {
    const pty = spawnPty(process.execPath, [bin, ...argv], {
      cols: 100,
      rows: 30,
      cwd: folder,
      env: { ...(service.env as Record<string, string>), TERM: 'xterm', ...more },
    })
    let sent = ''
    pty.onData((data) => {
      sent += data
    })
    return new Promise((resolve) => pty.onExit(({ exitCode }) => resolve({ code: exitCode, sent })))
  }

  it('a spinner turns while the work goes on, and the table is for a person', async () => {
    const { code, sent } = await onTerminal(['upload', 'conversations.jsonl'])
    expect(code).toBe(0)
    expect(sent).toContain('uploading ──────────────── 0 of 3 transcripts')
    expect(sent).toMatch(/ID +NAME +TURNS/)
  })

  it('nothing is coloured under NO_COLOR, and nothing turns on a dumb one', async () => {
    const plain = await onTerminal(['health'], { NO_COLOR: '1' })
    expect(plain.sent).not.toContain('\u001b[')
    const dumb = await onTerminal(['upload', 'conversation.json'], { TERM: 'dumb' })
    expect(dumb.sent).not.toContain('\u001b[')
    expect(dumb.sent).not.toContain('uploading')
  })
})

describe('in a pipe', () => {
  it('nothing turns and nothing is coloured', async () => {
    const { out, err } = await inShell(
      'svc upload conversation.json; svc annotate conversation.json --annotator structural',
    )
    expect(out + err).not.toContain('\u001b')
    expect(err).not.toContain('uploading')
  })
})
