import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

describe('a command line without a command', () => {
  it.each([
    [['--json'], /^use one of upload, uploads, convert, annotate, .*, mock, contract, explain$/],
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
