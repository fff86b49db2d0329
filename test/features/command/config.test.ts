import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { type CliOptions, createShell } from '../../helpers/run-cli.js'

function configShell() {
  const shell = createShell()
  const file = join(shell.cwd, 'config.json')
  const svc = (argv: string[], options: CliOptions = {}) =>
    shell.svc(['config', ...argv], { ...options, env: { SVC_CONFIG: file, ...options.env } })
  return { ...shell, svc, file, stored: () => JSON.parse(readFileSync(file, 'utf8')) }
}

describe('svc config', () => {
  it('lists the settings with their origin, keys by prefix and last four', async () => {
    const { svc, server, project } = configShell()
    const shown = `sk-service-api03-…${referenceKey.slice(-4)}`
    const { code, out } = await svc(['list', '--show-origin'])
    expect([code, out]).toEqual([
      0,
      [
        'profile\tdefault\tdefault',
        `baseUrl\t${server.baseUrl}\tSVC_BASE_URL`,
        `publicBaseUrl\t${server.publicBaseUrl}\tSVC_PUBLIC_BASE_URL`,
        `project\t${project}\tSVC_PROJECT`,
        `annotationApiKey\t${shown}\tSVC_API_KEY`,
        `workspaceApiKey\t${shown}\tSVC_API_KEY\n`,
      ].join('\n'),
    ])
    const plain = (await svc(['list', '--json'])).json()
    expect(plain).toMatchObject({ schema: 'svc/settings@1', settings: { baseUrl: server.baseUrl } })
    const origins = (await svc(['list', '--show-origin', '--json'])).json()
    expect(origins).toMatchObject({ settings: { project: { value: project, origin: 'SVC_PROJECT' } } })
  })

  it('prints one setting, and refuses names that no setting has', async () => {
    const { svc, project } = configShell()
    expect((await svc(['get', 'project'])).out).toBe(`${project}\n`)
    expect((await svc(['get', 'workspaceApiKey'])).out).not.toContain(referenceKey)
    expect(await svc(['get', 'baseurl'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean baseUrl?'),
    })
    expect((await svc(['get', 'baseUrl'], { env: { SVC_BASE_URL: '' } })).code).toBe(3)
  })

  it('stores a setting in a profile, and takes it out again', async () => {
    const { svc, stored } = configShell()
    const set = await svc(['set', 'baseUrl', 'https://a.test/base'])
    expect(set).toMatchObject({
      code: 0,
      err: expect.stringContaining('warning: SVC_BASE_URL is set and wins over it'),
    })
    await svc(['set', 'publicBaseUrl', 'http://localhost:8080/public/api/v1', '--profile', 'mock'])
    expect(stored().profiles).toEqual({
      default: { baseUrl: 'https://a.test/base' },
      mock: { publicBaseUrl: 'http://localhost:8080/public/api/v1' },
    })
    const taken = await svc(['set', 'baseUrl', ''])
    expect(stored().profiles.default).toEqual({})
    expect(taken.err).toContain('note: SVC_BASE_URL still sets baseUrl; unset it to work without it')
  })

  it('refuses an unsafe base URL and an invalid id', async () => {
    const { svc } = configShell()
    for (const url of ['http://a.test', 'nonsense', 'https://me:pass@a.test', 'ftp://a.test', 'https://a.test?x=1'])
      expect((await svc(['set', 'baseUrl', url])).code).toBe(3)
    expect((await svc(['set', 'project', 'hp-1'])).code).toBe(2)
    expect((await svc(['set', 'profile', 'none'])).code).toBe(3)
  })

  it('explains the reason in terms of a shell', async () => {
    const { svc } = configShell()
    const plain = await svc(['set', 'baseUrl', 'http://a.test'])
    expect(plain.err).toBe(
      'svc: baseUrl would send the key over plain http to a.test.\nhint: use an https URL, or http for this machine\n',
    )
    expect((await svc(['set', 'baseUrl', 'https://me:pass@a.test'])).err).toMatch(/^svc: baseUrl holds credentials\.\n/)
  })

  it('never takes a key, nor repeats it', async () => {
    const { svc } = configShell()
    for (const name of ['apiKey', 'annotationApiKey', 'token']) {
      const { code, err } = await svc(['set', name, referenceKey])
      expect([code, err]).toEqual([2, expect.stringContaining('`svc auth login` stores a key')])
      expect(err).not.toContain(referenceKey)
    }
  })

  it('writes through a link, which stays one', async () => {
    const { svc, cwd, file } = configShell()
    mkdirSync(join(cwd, 'dotfiles'))
    writeFileSync(join(cwd, 'dotfiles/svc.json'), '{"schema":"svc/config@1"}', { mode: 0o600 })
    symlinkSync(join(cwd, 'dotfiles/svc.json'), file)
    await svc(['set', 'baseUrl', 'https://a.test'])
    expect(JSON.parse(readFileSync(join(cwd, 'dotfiles/svc.json'), 'utf8')).profiles.default.baseUrl).toBe(
      'https://a.test',
    )
  })
})
