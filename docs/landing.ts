import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Io, realIo, run } from '@svc/cli'
import { createReferenceServer, referenceKey } from '@svc/reference-server'

// The session in a terminal and the report of the landing page, from runs of the command against the reference server.
const root = fileURLToPath(new URL('..', import.meta.url))
const server = createReferenceServer({ baseUrl: 'https://svc.test' })

/** Run `svc` in a folder. Gives what a terminal with colors shows, the standard output in it, and the exit code. */
async function svc(cwd: string, argv: readonly string[]): Promise<{ shown: string; out: string; code: number }> {
  const written = { shown: '', out: '' }
  const show = (text: string) => {
    written.shown += text
  }
  const print = (text: string) => {
    written.out += text
    show(text)
  }
  const stopping = { signal: new AbortController().signal, onSignal: () => () => {} }
  const io: Io = {
    ...realIo(process, cwd, stopping),
    env: {
      SVC_API_KEY: referenceKey,
      SVC_BASE_URL: server.baseUrl,
      SVC_PUBLIC_BASE_URL: server.publicBaseUrl,
    },
    stdout: { isTTY: true, columns: 80, write: print },
    stderr: { isTTY: false, columns: 80, write: show },
    stdinIsTTY: false,
    fetch: (...request) => server.fetch(new Request(...request)),
  }
  const code = await run(argv, io)
  return { ...written, code }
}

/** The session of the README, then the same command after the fix. */
async function session(): Promise<string> {
  const example = readFileSync(join(root, 'examples/transcript.json'), 'utf8')
  const { messages, ...rest } = JSON.parse(example)
  const answered = [
    ...messages.slice(0, 3),
    { role: 'tool', tool_call_id: 'call_1', content: '{"status": "on its way", "arrives": "tomorrow"}' },
    { role: 'assistant', content: 'I am sorry for the delay. Your order is on its way and arrives tomorrow.' },
    { role: 'user', content: 'Thank you, that is all I need.' },
    { role: 'assistant', content: 'You are welcome.' },
  ]
  const cwd = mkdtempSync(join(tmpdir(), 'svc-landing-'))
  const line = 'svc check examples/transcript.json --annotator structural --fail-on poor'
  mkdirSync(join(cwd, 'examples'))
  const check = async (recorded: string) => {
    writeFileSync(join(cwd, 'examples/transcript.json'), recorded)
    const { shown, code } = await svc(cwd, line.split(' ').slice(1))
    return `$ ${line}\n${shown}$ echo $?\n${code}\n`
  }
  const comment = '# The order service answers again: record the conversation, and check it'
  try {
    return `${await check(example)}$ ${comment}\n${await check(JSON.stringify({ ...rest, messages: answered }))}`
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

/** The HTML report of all examples. */
async function report(): Promise<string> {
  if (!existsSync(join(root, 'packages/checks/src/generated/app.js'))) await import('../packages/checks/bundle-app.js')
  const paths = ['examples/transcript.json', 'examples/transcripts']
  const { out } = await svc(root, ['check', ...paths, '--annotator', 'structural', '--report', 'html=-'])
  return out
}

mkdirSync(join(root, 'docs/public'), { recursive: true })
writeFileSync(join(root, 'docs/public/report.html'), await report())
writeFileSync(join(root, 'docs/.vitepress/session.ansi'), await session())
