import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ExitCode, type Io, realIo, run } from '@svc/cli'
import { referenceKey } from '@svc/reference-server'
import { openStream } from '@svc/transcripts/containers'
import { afterEach } from 'vitest'
import { createSession, fetchOf, type RequestHandler, type Session } from './session.js'

/** The exit code and the output of a run of the command. */
export interface CliResult {
  code: ExitCode
  out: string
  err: string
  /** The questions on the terminal, in order. */
  asked: { question: string; hidden: boolean }[]
  /** Standard output as one JSON document. */
  json(): Record<string, unknown>
  /** Standard output as JSON lines. */
  lines(): Record<string, unknown>[]
}

export interface CliOptions {
  /** Variables that are added to, or with undefined taken from, those that point at the session's server. */
  env?: Record<string, string | undefined>
  /** Files to write into the working directory, as text or as what becomes JSON. */
  files?: Record<string, unknown>
  /** All of it, or its parts as they come. */
  stdin?: string | AsyncIterable<string>
  /** True if stdout and stderr are a terminal. Default false. */
  tty?: boolean
  /** The width of the terminal. Default 100. */
  columns?: number
  /** The lines that the user types as answers; standard input is a terminal then. */
  answers?: string[]
  signal?: AbortSignal
  /** Replaces other parts of the environment of the command. */
  io?: Partial<Omit<Io, 'fetch'>> & { fetch?: RequestHandler }
}

async function* bytesOf(parts: string | AsyncIterable<string>) {
  for await (const part of typeof parts === 'string' ? [parts] : parts) yield new TextEncoder().encode(part)
}

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A session in which `svc` can be run: the real command, on real files, against the session's server. */
export function createShell(session: Session = createSession()) {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-test-'))
  folders.push(cwd)
  const project = session.server.world.createProject({ name: 'Test project' }).record.id

  async function svc(argv: string[], options: CliOptions = {}): Promise<CliResult> {
    for (const [path, content] of Object.entries(options.files ?? {})) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content))
    }
    const written = { out: '', err: '' }
    const output = (name: 'out' | 'err') => ({
      isTTY: options.tty ?? false,
      columns: options.columns ?? 100,
      write(text: string) {
        written[name] += text
      },
    })
    const asked: CliResult['asked'] = []
    const answers = [...(options.answers ?? [])]
    const signal = options.signal ?? new AbortController().signal
    const io: Io = {
      ...realIo(process, cwd, { signal, onSignal: () => () => {} }),
      env: {
        SVC_API_KEY: referenceKey,
        SVC_BASE_URL: session.server.baseUrl,
        SVC_PUBLIC_BASE_URL: session.server.publicBaseUrl,
        SVC_PROJECT: project,
        SVC_STATE_DIR: join(cwd, '.state'),
        ...options.env,
      },
      stdout: output('out'),
      stderr: output('err'),
      stdinIsTTY: options.answers !== undefined,
      ask: async (question, hidden) => {
        asked.push({ question, hidden })
        return answers.shift() ?? ''
      },
      readStdin: async () => new TextEncoder().encode(String(options.stdin ?? '')),
      openStdin: (keepBytes) => openStream(bytesOf(options.stdin ?? ''), keepBytes),
      clock: session.clock,
      ...options.io,
      fetch: fetchOf(options.io?.fetch ?? session.fetch),
    }
    const code = await run(argv, io)
    const { out, err } = written
    const lines = () =>
      out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    return { code, out, err, asked, json: () => JSON.parse(out), lines }
  }

  return { ...session, project, cwd, svc }
}
