import { readFile } from 'node:fs/promises'
import * as client from '@svc/client'
import { describe, expect, it } from 'vitest'
import { exitCodes, topics } from '../../../packages/cli/src/commands/help/index.js'
import { exit } from '../../../packages/cli/src/exit.js'
import { createShell } from '../../helpers/run-cli.js'

const { svc } = createShell()

describe('a request for help', () => {
  it.each([
    ['help', 'Usage: svc [options] [command]'],
    ['help upload', 'Usage: svc upload [options] [path...]'],
    ['help projects create', 'Usage: svc projects create [options]'],
    ['projects help', 'Usage: svc projects [options] [command]'],
    ['projects help create', 'Usage: svc projects create [options]'],
    ['projects create -h', 'Usage: svc projects create [options]'],
  ])('svc %s prints the page and exits 0', async (words, usage) => {
    const { code, out, err } = await svc(words.split(' '))
    expect([code, err]).toEqual([0, ''])
    expect(out.startsWith(`${usage}\n`)).toBe(true)
  })

  it.each([
    ['help projcts', 'projects'],
    ['projcts --help', 'projects'],
    ['projects help creat', 'create'],
    ['projects creat --help', 'create'],
  ])('svc %s exits 2 and names the nearest command', async (words, nearest) => {
    const { code, out, err } = await svc(words.split(' '))
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(new RegExp(`^svc: Unknown command ".*"\\.\nhint: did you mean ${nearest}\\?\n$`))
  })

  it('a request for help is not made by an argument "help" of a command that takes paths or ids', async () => {
    const files = { help: '[{"role":"user","content":"hi"}]' }
    expect(await svc(['upload', 'help', '--dry-run'], { files })).toMatchObject({ code: 0, out: 'help\t1\thelp\n' })
    expect((await svc(['transcripts', 'get', 'help'])).code).toBe(5)
  })
})

describe('svc help TOPIC', () => {
  it.each(Object.keys(topics))('%s prints a page without network, of at most 80 columns', async (topic) => {
    const { code, out, err } = await svc(['help', topic], { env: { SVC_BASE_URL: 'nonsense', SVC_API_KEY: undefined } })
    expect([code, err]).toEqual([0, ''])
    expect(out.split('\n').length).toBeGreaterThan(5)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect((await svc(['--help'])).out).toContain(topic)
  })
})

describe('svc explain', () => {
  it('knows every exit code, and so does the page of exit codes', async () => {
    expect(exitCodes.map(({ code }) => code)).toEqual(Object.values(exit))
    const page = await readFile('docs/reference/exit-codes.md', 'utf8')
    for (const { code, meaning, next } of exitCodes) {
      const { out } = await svc(['explain', String(code)])
      expect(out).toBe(`Exit code ${code}: ${meaning}\nNext: ${next}\n`)
      expect(page).toMatch(new RegExp(`^\\|.*\\b${code}\\b.*\\|.*\\|$`, 'm'))
    }
  })

  it('knows the kind of an error that a command reported as JSON', async () => {
    const failed = await svc(['projects', 'get', 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10', '--json'])
    const { kind } = failed.json().error as { kind: string }
    expect((await svc(['explain', kind, '--json'])).json()).toMatchObject({
      schema: 'svc/exit-code@1',
      code: failed.code,
    })
  })

  it.each([301, 400, 401, 403, 404, 405, 408, 413, 418, 422, 429, 500, 501, 502, 503, 504])(
    'knows the exit code of an answer with HTTP status %i',
    async (status) => {
      const shell = createShell()
      const fetch = async () => new Response('{}', { status, headers: { 'retry-after': '3600' } })
      const failed = await shell.clock.until(shell.svc(['projects', 'list', '--json'], { io: { fetch } }))
      const { kind } = failed.json().error as { kind: string }
      const explained = (await svc(['explain', String(status), '--json'])).json()
      expect(explained).toMatchObject({
        code: failed.code,
        about: expect.stringContaining(`${status} is an error of kind ${kind}`),
      })
    },
  )

  it('knows the code that a shell writes for a process that a signal ended', async () => {
    expect((await svc(['explain', '137'])).out).toMatch(
      /^Exit code 137: Ended by SIGKILL: .*\nNext: Run the same command again/,
    )
  })

  it('knows that a status 2xx is a success', async () => {
    expect((await svc(['explain', '201'])).out).toMatch(/^HTTP status 201 is a success\..*\nExit code 0: /)
  })

  it.each(Object.entries(client).filter(([name]) => name.endsWith('Error') && /^[A-Z]/.test(name)))(
    'knows the error class %s of the client',
    async (name) => {
      const { code, out } = await svc(['explain', name])
      expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^${name}: .*\nExit code \\d+: .*\nNext: `))])
    },
  )

  it('exits 2 for an unknown code and names the nearest', async () => {
    expect(await svc(['explain', 'ratelimited'])).toMatchObject({
      code: 2,
      err: 'svc: Unknown code "ratelimited".\nhint: did you mean rate_limited?\n',
    })
    expect((await svc(['explain', 'InputErr'])).err).toContain('did you mean InputError?')
    expect((await svc(['explain', '999'])).code).toBe(2)
    expect((await svc(['explain', '9'])).err).toContain('svc help exit-codes')
  })
})

describe('short flags', () => {
  it.each(['-nqj4', '-qnj4', '-nqj'])('combine in any order: %s', async (cluster) => {
    const more = cluster === '-nqj' ? ['4'] : []
    const files = { 'a.json': '[{"role":"user","content":"hi"}]' }
    expect((await svc(['upload', 'a.json', cluster, ...more], { files })).code).toBe(0)
  })

  it('keep their value when it looks like flags', async () => {
    const { code, err } = await svc(['api', 'GET', '/projects', '-fq=-nj'])
    expect([code, err]).toEqual([0, ''])
  })

  it('short flags are not read after --', async () => {
    expect((await svc(['upload', '-nq', '--', '-nq'])).err).toContain('-nq: no such file')
  })
})
