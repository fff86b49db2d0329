import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { type CliOptions, createShell } from '../run-cli.js'

function settingsShell() {
  const shell = createShell()
  const file = join(shell.cwd, 'config.json')
  const svc = (argv: string[], options: CliOptions = {}) =>
    shell.svc(argv, { ...options, env: { SVC_API_KEY: undefined, SVC_CONFIG: file, ...options.env } })
  return { ...shell, svc, stored: () => JSON.parse(readFileSync(file, 'utf8')) }
}

describe('settings that are changed while somebody is asked', () => {
  it('login keeps settings that are changed while it asks', async () => {
    const { svc, stored } = settingsShell()
    const ask = async () => {
      await svc(['config', 'set', 'baseUrl', 'https://a.test'])
      return referenceKey
    }
    const { code } = await svc(['auth', 'login'], { tty: true, answers: [], io: { ask } })
    expect(code).toBe(0)
    expect(stored().profiles.default).toEqual({ baseUrl: 'https://a.test', apiKey: referenceKey })
  })

  it('trust keeps settings that are changed while it asks', async () => {
    const { svc, stored, cwd } = settingsShell()
    writeFileSync(join(cwd, 'svc.config.json'), '{"baseUrl":"https://b.test"}')
    const ask = async () => {
      await svc(['auth', 'login', '--no-verify'], { stdin: referenceKey })
      return 'y'
    }
    const { code } = await svc(['config', 'trust'], { tty: true, answers: [], io: { ask } })
    expect(code).toBe(0)
    expect(Object.keys(stored().trusted)).toEqual([join(cwd, 'svc.config.json')])
    expect(stored().profiles.default).toEqual({ apiKey: referenceKey })
  })

  it('settings that became unreadable during a question are not overwritten', async () => {
    const { svc, cwd } = settingsShell()
    const ask = async () => {
      writeFileSync(join(cwd, 'config.json'), '{ half', { mode: 0o600 })
      return referenceKey
    }
    const { code, err } = await svc(['auth', 'login'], { tty: true, answers: [], io: { ask } })
    expect([code, err]).toEqual([3, expect.stringContaining('the settings cannot be used')])
    expect(readFileSync(join(cwd, 'config.json'), 'utf8')).toBe('{ half')
  })
})
