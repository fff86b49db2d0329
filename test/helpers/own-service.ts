import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn as spawnPty } from '@lydell/node-pty'
import { bin } from './built.js'

export { bin }

type Variables = Record<string, string | undefined>

/** The environment of the tests without what would change how the command behaves. */
export const cleanEnv: Variables = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(SVC_|XDG_|CI$|NO_COLOR$|FORCE_COLOR$|TERM$)/.test(name)),
)

/** A service with scripted answers, and the variables that point a command to it, with its own state folder. */
export async function ownService(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(tmpdir(), 'svc-own-'))
  const env: Variables = {
    ...cleanEnv,
    SVC_API_KEY: 'sk-service-api03-test',
    SVC_BASE_URL: url,
    SVC_PUBLIC_BASE_URL: `${url}/public/api/v1`,
    SVC_PROJECT: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10',
    SVC_STATE_DIR: join(folder, 'state'),
    SVC_CACHE_DIR: join(folder, 'cache'),
    SVC_CONFIG: join(folder, 'config.json'),
  }
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { env, folder, close }
}

/** Runs the built command with standard input closed. */
export function runProcess(argv: string[], env: Variables, cwd = tmpdir(), command = bin) {
  const child = spawn(process.execPath, [command, ...argv], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  )
}

/** Starts the built command on a terminal; `sent` is all that the terminal was sent. */
export function onTerminal(argv: string[], env: Variables, columns = 100, command = [process.execPath, bin]) {
  const [program = '', ...first] = command
  const pty = spawnPty(program, [...first, ...argv], {
    cols: columns || 1,
    rows: 30,
    cwd: tmpdir(),
    env: { TERM: 'xterm', ...(env as Record<string, string>) },
  })
  let sent = ''
  pty.onData((data) => {
    sent += data
  })
  const ended = new Promise<{ code: number; sent: string }>((resolve) =>
    pty.onExit(({ exitCode }) => resolve({ code: exitCode, sent })),
  )
  return { pty, ended }
}
