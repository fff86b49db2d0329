import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it, vi } from 'vitest'
import { type CliOptions, createShell } from '../../helpers/run-cli.js'

function settingsShell() {
  const shell = createShell()
  const file = join(shell.cwd, 'config.json')
  const svc = (argv: string[], options: CliOptions = {}) =>
    shell.svc(argv, { ...options, env: { SVC_API_KEY: undefined, SVC_CONFIG: file, ...options.env } })
  return { ...shell, svc, stored: () => JSON.parse(readFileSync(file, 'utf8')) }
}

describe('settings that are changed by many commands at once', () => {
  it('keeps what each of them stores', async () => {
    const { svc, stored, cwd } = settingsShell()
    writeFileSync(join(cwd, 'svc.config.json'), '{"baseUrl":"https://b.test"}')
    const names = Array.from({ length: 12 }, (_, n) => `p${n}`)
    const key = `${referenceKey}of-a-profile`
    const codes = await Promise.all([
      ...names.map((name) => svc(['config', 'set', 'baseUrl', `https://${name}.test`, '--profile', name])),
      ...names.map((name) => svc(['auth', 'login', '--no-verify', '--profile', name], { stdin: key })),
      svc(['config', 'trust', '--yes']),
    ])
    expect(codes.map(({ code, err }) => [code, err])).toEqual(codes.map(({ err }) => [0, err]))
    const profile = (name: string) => ({ baseUrl: `https://${name}.test`, apiKey: key })
    expect(stored()).toEqual({
      schema: 'svc/config@1',
      profiles: Object.fromEntries(names.map((name) => [name, profile(name)])),
      trusted: expect.anything(),
    })
    expect(readdirSync(cwd).filter((name) => name.startsWith('config.json'))).toEqual(['config.json'])
  })

  it('says who holds them when a process that is not seen does, and stores nothing', async () => {
    const { svc, cwd } = settingsShell()
    const claim = { pid: 1, host: 'gone', id: '0', ledger: 'config.json', at: '2026-01-01T00:00:00.000Z' }
    writeFileSync(join(cwd, 'config.json.0.lock'), JSON.stringify(claim))
    writeFileSync(join(cwd, 'config.json.0.held'), '')
    // The wait is in the time of the machine, of which six seconds pass between two looks at it.
    let now = 0
    const monotonic = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 6_000
      return now
    })
    const { code, err } = await svc(['config', 'set', 'baseUrl', 'https://a.test'])
    monotonic.mockRestore()
    expect([code, existsSync(join(cwd, 'config.json'))]).toEqual([75, false])
    expect(err).toContain('another process changes the settings: pid 1 on gone')
    expect(err).toContain(`remove ${join(cwd, 'config.json.0.lock')}`)
  })
})

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
