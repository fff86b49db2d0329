import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { Io } from '@svc/cli'
import { buildProgram } from '@svc/cli'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'
import { commandPages, exitCodeTable } from './command-pages.js'

const conversation = JSON.stringify([{ role: 'user', content: 'hi' }])

type Command = Awaited<ReturnType<typeof buildProgram>>

const pathsOf = (command: Command, above: string[] = []): { words: string[]; isGroup: boolean; flags: string[] }[] => [
  {
    words: above,
    isGroup: command.commands.length > 0,
    flags: command.options.flatMap(({ flags, hidden }) => (hidden ? [] : flags)),
  },
  ...command.commands.flatMap((each) => pathsOf(each, [...above, each.name()])),
]
const program = await buildProgram({} as Io, () => {})
const commands = pathsOf(program)
const pages = commandPages(program)

describe('svc --help', () => {
  it.each([...pages.keys()])('docs/reference/cli/%s shows what the program declares', async (name) => {
    await expect(pages.get(name)).toMatchFileSnapshot(`../../../docs/reference/cli/${name}`)
  })

  it('docs/reference/exit-codes.md has the codes that svc explain prints', async () => {
    const page = readFileSync('docs/reference/exit-codes.md', 'utf8')
    const written = page.replace(/^\| exit +\|.*\n(\|.*\n)*/m, exitCodeTable)
    expect(written).toContain(exitCodeTable())
    await expect(written).toMatchFileSnapshot('../../../docs/reference/exit-codes.md')
  })

  it('docs/reference/cli has no page of a command that does not exist', async () => {
    expect((await readdir('docs/reference/cli')).sort()).toEqual([...pages.keys()].sort())
  })

  it('svc --help, or a topic that it names, prints every option of the page of a command', async () => {
    const { svc } = createShell()
    for (const { words, flags } of commands) {
      const { code, out, err } = await svc([...words, '--help'])
      expect([code, err]).toEqual([0, ''])
      const topics = /More options, which svc help TOPIC explains:\n([\s\S]*?)\n\n/.exec(out)?.[1] ?? ''
      const named = topics.matchAll(/^ {2}(\S+)/gm)
      const pages = await Promise.all([...named].map(async ([, topic = '']) => (await svc(['help', topic])).out))
      expect(flags.filter((each) => ![out, ...pages].some((page) => page.includes(`  ${each}`)))).toEqual([])
    }
  })

  it('svc --help has no line of more than 80 columns, for every command', async () => {
    const { svc } = createShell()
    for (const { words } of commands) {
      const { out } = await svc([...words, '--help'])
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
    }
  })

  it.each(['upload', 'check', 'convert'])('svc %s --help fits on two screens of 40 lines', async (command) => {
    const { out } = await createShell().svc([command, '--help'])
    expect(out.split('\n').length).toBeLessThanOrEqual(80)
    expect(out.indexOf('Options:')).toBeLessThan(out.indexOf('More options'))
  })

  it('svc --help has an example for every command that does something', async () => {
    const { svc } = createShell()
    for (const { words } of commands.filter(({ isGroup }) => !isGroup)) {
      expect((await svc([...words, '--help'])).out).toContain('Examples:\n  $ svc')
    }
  })

  it('svc --help needs neither key nor address', async () => {
    const { svc } = createShell()
    const env = { SVC_API_KEY: '', SVC_BASE_URL: 'nonsense' }
    expect((await svc(['--help'], { env })).code).toBe(0)
  })
})

describe('svc', () => {
  it('prints its version, which is the package’s', async () => {
    const { svc } = createShell()
    const manifest = JSON.parse(await readFile(new URL('../../../packages/cli/package.json', import.meta.url), 'utf8'))
    for (const flag of ['--version', '-V'])
      expect(await svc([flag])).toMatchObject({ code: 0, out: `${manifest.version}\n` })
  })

  it('shows its help on stderr, and exits 2, when nothing is asked of it', async () => {
    const { svc } = createShell()
    for (const argv of [[], ['projects']]) {
      const { code, out, err } = await svc(argv)
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain('Usage: svc')
    }
  })

  it('suggests the nearest known name', async () => {
    const { svc } = createShell()
    expect(await svc(['uplod'])).toMatchObject({
      code: 2,
      err: "svc: unknown command 'uplod'.\nhint: Did you mean upload?\n",
    })
    expect((await svc(['convert', 'a.json', '--detekt'])).err).toContain('hint: Did you mean --detect?')
  })

  it('svc is quiet with --quiet, and traces requests without keys with --debug', async () => {
    const { svc } = createShell()
    expect((await svc(['projects', 'create', '--name', 'P', '--quiet'])).err).toBe('')
    const { err } = await svc(['--debug', 'projects', 'list'])
    expect(err).toContain('→ projects.list GET https://svc.test/public/api/v1/projects')
    expect(err).not.toContain('sk-service')
  })

  it('colours for a person, and not in a pipe, under NO_COLOR or on a dumb terminal', async () => {
    const { svc } = createShell()
    const colored = async (tty: boolean, env: Record<string, string> = {}, ...flags: string[]) =>
      (await svc(['health', ...flags], { tty, env })).out.includes('\u001b[')
    expect(await colored(true)).toBe(true)
    expect(await colored(false)).toBe(false)
    expect(await colored(true, { NO_COLOR: '1' })).toBe(false)
    expect(await colored(true, { NO_COLOR: '' })).toBe(true)
    expect(await colored(true, { TERM: 'dumb' })).toBe(false)
    expect(await colored(true, { NO_COLOR: '1' }, '--color', 'always')).toBe(true)
    expect(await colored(true, {}, '--color', 'never')).toBe(false)
  })

  it('gives up on an attempt after --timeout', async () => {
    expect((await createShell().svc(['health', '--timeout', 'soon'])).code).toBe(2)
    const session = createSession()
    const { svc, clock } = createShell({ ...session, fetch: () => new Promise(() => {}) })
    const startedAt = clock.now()
    const { code, err } = await clock.until(
      svc(['annotate', '-', '--annotator', 'a', '--timeout', '3s'], { stdin: conversation }),
    )
    expect([code, clock.now() - startedAt]).toEqual([75, 3_000])
    expect(err).toContain('no complete answer within 3000 ms')
  })

  it('gives up on the whole run after --deadline, and begins nothing more', async () => {
    const session = createSession()
    let begun = 0
    const hangs = () => {
      begun++
      return new Promise<Response>(() => {})
    }
    const { svc, clock } = createShell({ ...session, fetch: hangs })
    const argv = ['annotate', '-', '--annotator', 'a', '--deadline', '5s', '-j', '1']
    const { code } = await clock.until(svc(argv, { stdin: `${conversation}\n${conversation}\n${conversation}` }))
    expect([code, begun]).toEqual([75, 1])
  })

  it('waits no longer for the service than --max-wait', async () => {
    const busy = async () => new Response('{}', { status: 429, headers: { 'retry-after': '30' } })
    const { svc, clock } = createShell({ ...createSession(), fetch: busy })
    const { code, err } = await svc(['projects', 'list', '--max-wait', '10s'])
    expect([code, clock.pending]).toEqual([75, []])
    expect(err).toContain('hint: try again after ')
  })

  it('answers with one JSON document also when nothing is asked of it', async () => {
    const { svc } = createShell()
    for (const argv of [['--json'], ['projects', '--json']]) {
      expect((await svc(argv)).json()).toMatchObject({ error: { kind: 'usage', exit: 2 } })
    }
  })
})
