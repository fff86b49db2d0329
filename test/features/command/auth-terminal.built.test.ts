import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { afterAll, describe, expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-auth-'))
afterAll(() => rmSync(folder, { recursive: true }))

const key = 'sk-service-api03-typed-unseen-4711'

/** Types into `svc auth login` on a real terminal once it asks; gives what the screen showed, and the exit code. */
function login(file: string, typed: string[], ...flags: string[]): Promise<{ code: number; screen: string }> {
  const { PATH, HOME = folder } = process.env
  const pty = spawn(process.execPath, [bin, 'auth', 'login', '--no-verify', ...flags], {
    cols: 100,
    rows: 30,
    cwd: folder,
    env: { PATH: PATH ?? '', HOME, TERM: 'xterm', SVC_CONFIG: join(folder, file) },
  })
  const rest = [...typed]
  let screen = ''
  let seen = 0
  pty.onData((data) => {
    screen += data
    // The next answer is for the next question.
    if (!/(shown\): |\[y\/N\] )$/.test(screen) || screen.length === seen) return
    seen = screen.length
    pty.write(rest.shift() ?? '\u0004')
  })
  return new Promise((resolve) => pty.onExit(({ exitCode }) => resolve({ code: exitCode, screen })))
}

const stored = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')).profiles.default.apiKey

describe('svc auth login on a terminal', () => {
  it('stores the typed key, and never shows it', async () => {
    const { code, screen } = await login('typed.json', [`${key}x\u007f\r`])
    expect(code).toBe(0)
    expect(screen).toContain('API key (not shown): \r\n')
    expect(screen).toContain('stored the key sk-service-api03-…4711')
    expect(screen).not.toContain('typed-unseen')
    expect(stored('typed.json')).toBe(key)
  })

  it('takes a paste with line breaks around it', async () => {
    const { code, screen } = await login('pasted.json', [`\u001b[200~\n  ${key}\n\u001b[201~`])
    expect([code, screen.includes('typed-unseen')]).toEqual([0, false])
    expect(stored('pasted.json')).toBe(key)
  })

  it('ends with 130 at Ctrl-C, and stores nothing', async () => {
    const { code, screen } = await login('none.json', [`${key.slice(0, 30)}\u0003`])
    expect([code, screen.includes('typed-unseen')]).toEqual([130, false])
    expect(() => stored('none.json')).toThrow('ENOENT')
  })

  it('asks about a key that could not be checked, and prints the answer', async () => {
    const { code, screen } = await login('doubt.json', ['eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl\r', 'y\r'])
    expect([code, screen]).toEqual([0, expect.stringContaining('Store it? [y/N] y\r\n')])
    expect(screen).not.toContain('eyJzdWIi')
  })

  it('ends with 143 at SIGTERM during the prompt', async () => {
    const pty = spawn(process.execPath, [bin, 'auth', 'login'], {
      cwd: folder,
      env: { HOME: folder, TERM: 'xterm', SVC_CONFIG: join(folder, 'stopped.json') },
    })
    let screen = ''
    pty.onData((data) => {
      screen += data
      if (screen.endsWith('shown): ')) pty.kill('SIGTERM')
    })
    expect(await new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))).toBe(143)
  })
})
