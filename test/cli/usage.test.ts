import { describe, expect, it } from 'vitest'
import { createShell } from '../run-cli.js'

describe('a command line that names no command', () => {
  it.each([
    [['--json'], /^one of upload, uploads, annotate, .*, mock$/],
    [['projects', '--json'], 'one of projects list, projects get, projects create'],
    [['--fields', 'id', 'uploads'], /^one of uploads list, /],
  ])('%j is met with the commands that there are, and no page of help', async (argv, hint) => {
    const { code, json, err } = await createShell().svc(argv)
    expect([code, json()]).toEqual([
      2,
      {
        schema: 'svc/error@1',
        error: {
          kind: 'usage',
          message: 'No command is named.',
          details: [],
          hint: typeof hint === 'string' ? hint : expect.stringMatching(hint),
          exit: 2,
        },
      },
    ])
    expect(err).toBe(`svc: No command is named.\nhint: ${String((json().error as { hint: string }).hint)}\n`)
  })

  it('is met with help for a person', async () => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['projects'])
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^Usage: svc projects /)])
    expect(await svc(['projects', '--json', '--help'])).toMatchObject({ code: 0, err: '', out: err })
  })
})

describe('the hint to help', () => {
  it.each([
    [['upload', '-j', '0', 'talk.json'], 'svc upload'],
    [['--quiet', 'projects', 'list', '--limit', 'x'], 'svc projects list'],
    [['projects', '--no-such-flag-at-all'], 'svc projects'],
    [['--timeout', 'soon', 'health'], 'svc'],
  ])('of %j names the command', async (argv, command) => {
    const { code, err } = await createShell().svc(argv)
    expect([code, err]).toEqual([2, expect.stringContaining(`hint: \`${command} --help\` shows how it is used\n`)])
  })
})
