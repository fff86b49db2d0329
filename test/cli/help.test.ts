import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createShell } from '../run-cli.js'
import { createSession } from '../session.js'

const commands = [
  [],
  ['upload'],
  ['annotate'],
  ['check'],
  ['projects'],
  ['projects', 'list'],
  ['projects', 'get'],
  ['projects', 'create'],
  ['transcripts'],
  ['transcripts', 'list'],
  ['transcripts', 'get'],
  ['annotators'],
  ['annotators', 'list'],
  ['health'],
  ['mock'],
]

describe('svc --help', () => {
  it('is what docs/reference/cli.md shows, for every command', async () => {
    const { svc } = createShell()
    const pages: string[] = ['# `svc`\n\nEvery `--help`, as the command prints it.\n']
    for (const command of commands) {
      const { code, out, err } = await svc([...command, '--help'])
      expect([code, err]).toEqual([0, ''])
      pages.push(`## \`${['svc', ...command].join(' ')}\`\n\n\`\`\`\n${out.trimEnd()}\n\`\`\`\n`)
    }
    await expect(pages.join('\n')).toMatchFileSnapshot('../../docs/reference/cli.md')
  })

  it('has an example for every command that does something', async () => {
    const { svc } = createShell()
    for (const command of commands.filter(
      ([noun, verb]) => noun && (verb || !['projects', 'transcripts', 'annotators'].includes(noun)),
    )) {
      expect((await svc([...command, '--help'])).out).toContain('Examples:\n  $ svc')
    }
  })

  it('needs neither key nor address', async () => {
    const { svc } = createShell()
    const env = { SVC_API_KEY: '', SVC_BASE_URL: 'nonsense' }
    expect((await svc(['--help'], { env })).code).toBe(0)
  })
})

describe('svc', () => {
  it('prints its version, which is the package’s', async () => {
    const { svc } = createShell()
    const manifest = JSON.parse(await readFile(new URL('../../packages/cli/package.json', import.meta.url), 'utf8'))
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

  it('suggests what may have been meant', async () => {
    const { svc } = createShell()
    expect(await svc(['uplod'])).toMatchObject({
      code: 2,
      err: "svc: unknown command 'uplod'.\nhint: Did you mean upload?\n",
    })
  })

  it('is quiet with --quiet, and traces requests without keys with --debug', async () => {
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

  it('gives up on an attempt after --timeout, and waits no longer than --max-wait', async () => {
    const { svc, clock } = createShell()
    expect((await svc(['health', '--timeout', 'soon'])).code).toBe(2)
    const busy = async () => new Response('{}', { status: 429, headers: { 'retry-after': '30' } })
    const shell = createShell({ ...createSession(), fetch: busy })
    const { code, err } = await shell.svc(['projects', 'list', '--max-wait', '10s'])
    expect(code).toBe(75)
    expect(err).toContain('hint: try again after ')
    expect(clock.pending).toEqual([])
  })
})
