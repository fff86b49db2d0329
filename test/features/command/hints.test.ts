import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildProgram } from '@svc/cli'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const packages = fileURLToPath(new URL('../../../packages', import.meta.url))

/** The commands in backticks that messages and hints name, with a word for each placeholder. */
function namedCommands(): string[] {
  const files = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name === 'src')
      .flatMap(() => readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' }))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(packages, name, 'src', file), 'utf8')),
  )
  const quoted = files.flatMap((text) => text.match(/'[^'\n]*'/g) ?? []).join('\n')
  const inQuotes = [...quoted.matchAll(/`svc ([^`\n]+)`/g)]
  const inTemplates = files.flatMap((text) => [...text.matchAll(/\\`svc ([^`\\\n]+)\\`/g)])
  return [...new Set([...inQuotes, ...inTemplates].map(([, words = '']) => words.replaceAll(/\$\{[^}]*\}|…/g, 'x')))]
}

/** The problem of a command line; undefined if it parses. One that only names a command may lack its arguments. */
async function problemOf(words: readonly string[]): Promise<string | undefined> {
  const io = { stdout: { write: () => {}, isTTY: false }, stderr: { write: () => {}, isTTY: false } }
  const program = await buildProgram(io as never, (command) => command.action(() => {}))
  try {
    await program.parseAsync(words, { from: 'user' })
    return undefined
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    return /missingArgument|optionMissingArgument|missingMandatoryOptionValue|help|version/i.test(code)
      ? undefined
      : message
  }
}

describe('a command that a message names', () => {
  const named = namedCommands()

  it('is found in the sources', () => {
    expect(named).toContain('uploads reconcile')
    expect(named.length).toBeGreaterThan(40)
  })

  it.each(named)('svc %s parses', async (line) => {
    // Placeholders that stand for a value with a form of its own, and for flags.
    const words = line.replace('--surface x', '--surface both').replace(/(rebuild|--all) x$/, '$1')
    expect(await problemOf(words.split(' '))).toBeUndefined()
  })

  it.each(['uploads reconsile', 'uploads list --stat x', 'auth login --surface nowhere'])(
    'svc %s does not, so that a mistake is seen',
    async (line) => expect(await problemOf(line.split(' '))).toBeDefined(),
  )
})

describe('next, in the JSON of an error', () => {
  const conversation = [{ role: 'user', content: 'hi' }]
  const answering = (status: number) => ({ io: { fetch: async () => new Response('{}', { status }) } })

  async function errorOf(argv: string[], options = {}) {
    const shell = createShell()
    const { json } = await shell.clock.until(
      shell.svc([...argv, '--json'], { files: { 'a.json': conversation }, ...options }),
    )
    const { next } = json().error as { next?: string[] }
    if (next?.[0] === 'svc') expect(await problemOf(next.slice(1))).toBeUndefined()
    return next
  }

  it('repeats the command after a temporary failure', async () => {
    const next = await errorOf(['projects', 'list', '--limit', '5'], answering(503))
    expect(next).toEqual(['svc', 'projects', 'list', '--limit', '5', '--json'])
  })

  it('reconciles an upload whose result is unknown', async () => {
    const fetch = async ({ method }: Request) =>
      method === 'POST' ? new Response('{}', { status: 500 }) : new Response('{}', { status: 404 })
    expect(await errorOf(['upload', 'a.json'], { io: { fetch } })).toEqual(['svc', 'uploads', 'reconcile'])
  })

  it('lists the projects after one whose creation is unknown', async () => {
    const fetch = async ({ method }: Request) =>
      method === 'POST' ? new Response('{}', { status: 500 }) : new Response('{}', { status: 404 })
    const next = await errorOf(['projects', 'create', '--name', 'x'], { io: { fetch } })
    expect(next).toEqual(['svc', 'projects', 'list'])
  })

  it('shows the keys after one that is refused', async () => {
    const next = await errorOf(['projects', 'list'], { env: { SVC_API_KEY: 'sk-service-api03-unknown-key' } })
    expect(next).toEqual(['svc', 'auth', 'status'])
  })

  it('is absent where the user must decide', async () => {
    expect(await errorOf(['upload', 'missing.json'])).toBeUndefined()
    expect(await errorOf(['projects', 'list'], answering(403))).toBeUndefined()
  })

  it('shows no key that the command line holds', async () => {
    const argv = ['transcripts', 'list', '--q', 'sk-service-api03-abcdefghijklmnop', '--json']
    const shell = createShell()
    const { out } = await shell.clock.until(shell.svc(argv, answering(503)))
    expect(out).toContain('"next":["svc","transcripts","list","--q","')
    expect(out).not.toContain('abcdefghijklmnop')
  })
})
