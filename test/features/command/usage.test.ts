import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

describe('a command line without a command', () => {
  it.each([
    [['--json'], /^use one of upload, uploads, convert, annotate, .*, mock, contract, explain, skill$/],
    [['projects', '--json'], 'use one of projects list, projects get, projects create'],
    [['--fields', 'id', 'uploads'], /^use one of uploads list, /],
  ])('%j is refused with the list of commands, without a help page', async (argv, hint) => {
    const { code, json, err } = await createShell().svc(argv)
    expect([code, json()]).toEqual([
      2,
      {
        schema: 'svc/error@1',
        error: {
          kind: 'usage',
          code: 'usage',
          message: 'Missing command.',
          details: [],
          hint: typeof hint === 'string' ? hint : expect.stringMatching(hint),
          exit: 2,
        },
      },
    ])
    expect(err).toBe(`svc: Missing command.\nhint: ${String((json().error as { hint: string }).hint)}\n`)
  })

  it('prints help for a person', async () => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['projects'])
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^Usage: svc projects /)])
    expect(await svc(['projects', '--json', '--help'])).toMatchObject({ code: 0, err: '', out: err })
  })
})

describe('an empty path or id, as of a variable that is not set', () => {
  const files = { 'a.json': '[{"role":"user","content":"hi"}]' }

  it.each([
    ['path', ['upload', '']],
    ['path', ['check', 'a.json', '', '--annotator', 'structural']],
    ['--baseline', ['check', 'a.json', '--annotator', 'structural', '--baseline', '']],
    ['--exclude', ['upload', 'a.json', '--exclude', '*.md', '--exclude', '']],
    ['--ledger', ['upload', 'a.json', '--ledger=']],
    ['--config', ['projects', 'list', '--config', '']],
    ['projectId', ['projects', 'get', '']],
  ])('%s is refused in %j, and nothing is read or sent', async (what, argv) => {
    const { svc, server } = createShell()
    const { code, err } = await svc(argv, { files })
    expect([code, err]).toEqual([2, `svc: ${what} is empty.\nhint: Is a variable not set?\n`])
    expect(server.requests).toEqual([])
  })
})

describe('a file whose name begins with a dash', () => {
  const files = { '-dash.json': '[{"role":"user","content":"hi"}]', '-q4.json': '[]', '-j4.json': '[]', 'a.json': '[]' }

  it.each([
    [['upload', '-dash.json', 'a.json'], '-dash.json'],
    [['check', 'a.json', '-q4.json', '--annotator', 'a'], '-q4.json'],
    [['upload', '-j4.json', 'a.json'], '-j4.json'],
  ])('%j names the file, and how to write it', async (argv, file) => {
    const { code, err } = await createShell().svc(argv, { files })
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`hint: ${file} is a file: write ./${file}, or -- before the`),
    ])
  })

  it.each([['./-dash.json'], ['--', '-dash.json']])('is read as %j', async (...paths) => {
    expect((await createShell().svc(['convert', ...paths], { files })).code).toBe(0)
  })
})

describe('the hint to help', () => {
  it.each([
    [['upload', '-j', '0', 'conversation.json'], 'svc upload'],
    [['--quiet', 'projects', 'list', '--limit', 'x'], 'svc projects list'],
    [['projects', '--no-such-flag-at-all'], 'svc projects'],
    [['--timeout', 'soon', 'health'], 'svc'],
  ])('the hint to help of %j names the command', async (argv, command) => {
    const { code, err } = await createShell().svc(argv)
    expect([code, err]).toEqual([2, expect.stringContaining(`hint: run \`${command} --help\` for usage\n`)])
  })
})

describe('a mistake of the first hour', () => {
  it.each([
    [['projects', 'list', '--api-key', 'secret-value']],
    [['upload', 'a.json', '--api-key=secret-value']],
    [['--token', 'secret-value', 'projects', 'list']],
  ])('%j is refused, and names SVC_API_KEY but not the value', async (argv) => {
    const { code, err } = await createShell().svc(argv)
    expect(code).toBe(2)
    expect(err).toMatch(/^svc: No option takes a key: remove --(api-key|token)\.\nhint: set SVC_API_KEY, or /)
    expect(err).not.toContain('secret-value')
  })

  it.each([
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1:8080/public/api/v1', 'http://127.0.0.1:8080/public/api/v1'],
    ['svc.example/public/api/v1', 'https://svc.example/public/api/v1'],
  ])('the base URL %s without a scheme gets the hint %s', async (value, url) => {
    const { svc } = createShell()
    const { code, err } = await svc(['projects', 'list'], { env: { SVC_PUBLIC_BASE_URL: value } })
    expect(code).toBe(3)
    expect(err).toContain(`to the base URL: ${url}\n`)
    expect((await svc(['config', 'set', 'publicBaseUrl', value, '--config', 'own.json'])).err).toContain(url)
  })

  it('a key in place of a base URL is not shown', async () => {
    const key = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc'
    const { code, err } = await createShell().svc(['projects', 'list'], { env: { SVC_PUBLIC_BASE_URL: key } })
    expect(code).toBe(3)
    expect(err).not.toContain('eyJ')
  })

  it('a file that does not exist is reported before a project that is not set', async () => {
    const { svc } = createShell()
    const env = { SVC_PROJECT: undefined }
    const missing = await svc(['upload', 'missing.json'], { env })
    expect([missing.code, missing.err]).toEqual([3, 'svc: missing.json: no such file or directory.\n'])
    const files = { 'a.json': [{ role: 'user', content: 'hi' }] }
    expect((await svc(['upload', 'a.json'], { env, files })).err).toContain('Missing project.')
  })
})
