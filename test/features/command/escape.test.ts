import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram, type Io, realIo } from '@svc/cli'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failedCase, missingCase, reportOf } from '../../../packages/checks/test/fixtures/report.js'
import { runs } from '../../helpers/long.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession, type RequestHandler } from '../../helpers/session.js'

/**
 * Matches text that moves the cursor, changes the direction of text, begins a line of its own, or is a command to the CI
 * service. Tabs and line ends are allowed: the command writes them itself.
 */
const powerful =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  /[\0-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|^FORGED|##\w*\[|^\s*::set-output/m

const signs = [
  '\u001b[2J',
  '\u001b]0;t\u0007',
  '\u009b1A',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\u2028',
  '\r',
  '\t',
]
const piece = fc.constantFrom(
  ...signs,
  '\nFORGED',
  '\r\nFORGED',
  '\n::set-output name=x::y',
  '##[set-output name=x]y',
  '\u007f',
  '\b',
  'a',
  ' ',
  'ü',
  '🙂',
  '"',
  "'",
  '\\',
  '%s',
)
const hostile = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `x${pieces.join('')}y`)
const fileName = hostile.map((text) => text.replace(/[/\0]/g, ''))

type Command = Awaited<ReturnType<typeof buildProgram>>
const leaves = (command: Command, above: string[] = []): string[] =>
  command.commands.length === 0
    ? [above.join(' ')]
    : command.commands.flatMap((each) => leaves(each, [...above, each.name()]))

/** Each command with a text of somebody's wherever one can come in. */
const lines = (text: string, file: string, project: string, transcript: string): string[][] => [
  ['projects', 'list'],
  ['projects', 'get', project],
  ['projects', 'get', text],
  ['projects', 'create', '--name', text],
  ['transcripts', 'list'],
  ['transcripts', 'list', '--q', text, '--annotation', `k:${text}`],
  ['transcripts', 'pull', '--to', 'pulled'],
  ['transcripts', 'pull', '--to', file, '--q', text],
  ['check', '--stored', '--annotator', 'patterns', '--model-name', text],
  ['annotate', '--stored', '--annotator', 'patterns', '--q', text],
  ['transcripts', 'get', transcript],
  ['transcripts', 'get', text],
  ['transcripts', 'read', text],
  ['annotators', 'list'],
  ['health'],
  ['explain', text],
  ['upload', file, '--name', text, '--metadata', `k=${text}`],
  ['upload', `no-${file}`],
  ['upload', '-'],
  ['uploads', 'list'],
  ['uploads', 'list', '--runs'],
  ['uploads', 'show', text],
  ['uploads', 'reconcile'],
  ['uploads', 'retry', text],
  ['uploads', 'forget', text, '--yes'],
  ['uploads', 'rebuild'],
  ['annotate', file, '--annotator', 'patterns'],
  ['annotate', file, '--annotator', text],
  ['annotate', file, '--annotator', 'patterns', '--option', `${text}=1`, '--verbose'],
  ['check', file, '--annotator', 'patterns', '--fail-on', 'strong'],
  ['check', file, '--annotator', text],
  ...['junit=-', 'sarif=-', 'md=-', 'github'].map((report) => [
    ...['check', file, '--annotator', 'patterns', '--fail-on', 'strong', '--report', report],
  ]),
  ['check', file, '--annotator', 'patterns', '--report', 'json=after.json'],
  ['report', 'merge', 'before.json', 'after.json'],
  ['report', 'merge', `no-${file}`, text],
  ['report', 'compare', 'before.json', 'after.json', '--show-all'],
  ['report', 'compare', 'before.json', 'after.json', '--report', 'md=-'],
  ['report', 'compare', 'before.json', 'after.json', '--report', 'html=-'],
  ['report', 'compare', file, text],
  ['report', 'compare', 'before.json', 'after.json', '--labels', file],
  ['report', 'sample', 'before.json', '--out', 'sample.html'],
  ['report', 'sample', file],
  ['convert', file],
  ['convert', '--detect', file],
  ['convert', '--list-sessions', 'claude-code'],
  ['auth', 'login', '--no-verify', '--profile', text],
  ['auth', 'status'],
  ['auth', 'logout', '--profile', text],
  ['config', 'list', '--show-origin'],
  ['config', 'get', text],
  ['config', 'set', text, text],
  ['config', 'set', 'baseUrl', text],
  ['config', 'path', '--config', text],
  ['config', 'trust', '--yes'],
  ['config', 'trust', file, '--yes'],
  ['mock', '--seed', file],
  ['mock', '--fault', text],
  ['mock', '--like', file],
  // Its polls would wait for the clock.
  ['contract', '--yes', '--max-lag', '1ms'],
  ['contract', '--yes', '--against', file],
  ['contract', '--yes', '--project', text],
  ['api', 'GET', `/projects?x=${encodeURIComponent(text)}`],
  ['api', 'GET', text],
  ['doctor'],
  ['init', '--create-project', text, '--annotator', text, '--path', text],
  ['init', '--base-url', text, '--profile', text],
  ['completion', text],
  ['skill'],
  [text],
  ['upload', `--${text}`],
  ['projects', 'list', '--fields', text],
]

const modes: { tty?: boolean; flags: string[] }[] = [
  { flags: [] },
  { flags: ['--json'] },
  { tty: true, flags: ['--color', 'never'] },
  { tty: true, flags: ['--json', '--color', 'never'] },
  { flags: ['--debug', '--verbose'] },
]

/** A service that says this in every text of every answer, well or ill. */
const saying =
  (text: string, status: number): RequestHandler =>
  async (request) => {
    const { pathname } = new URL(request.url)
    const isPublic = pathname.includes('/public/')
    const error = isPublic ? { error: { message: text, type: text, code: status } } : { error: text, detail: text }
    const record = {
      id: text,
      name: text,
      description: text,
      status: text,
      substrate: text,
      [text]: text,
      turn_count: 1,
    }
    const list = { data: [record], annotators: [{ ...record, annotator_version: text, taxonomy_version: text }] }
    const one = { ...record, turns: [{ role: text, content: text }] }
    const annotation = {
      ...{ outcome: text, outcome_notes: text, annotator: text, annotator_version: text, taxonomy_version: text },
      summary: {
        title: text,
        keywords: [text],
        summary: text,
        quality_concerns: text,
        user_intent: text,
        domain: text,
      },
      signals: { [text]: { evidence: text, turn: 1 }, other: { evidence: text, turn: 9 } },
      usage: { tokens_in: 1, tokens_out: 1, latency_ms: 1 },
    }
    const well = pathname.endsWith('/annotations')
      ? annotation
      : /(projects|transcripts|annotators)$/.test(pathname) && request.method === 'GET'
        ? { ...list, pagination: { page: 1, limit: 20, total: 1 } }
        : isPublic
          ? { data: one }
          : record
    const headers = { 'content-type': 'application/json', 'x-request-id': encodeURIComponent(text) }
    return new Response(JSON.stringify(status < 300 ? well : error), { status, headers })
  }

/** A report that says this in every text. */
function reportSaying(text: string) {
  const gap = { why: 'not annotated' as const, detail: text, temporary: false }
  const signals = [{ key: text, evidence: text, turn: 1, line: 1, column: 1 }]
  const reasons = [{ rule: 'forbidden' as const, signal: text, known: false }]
  const versions = { annotator_version: text, taxonomy_version: text }
  return {
    ...reportOf(
      [
        failedCase({
          path: text,
          name: text,
          outcome: text,
          signals,
          reasons,
          flaky: true,
          votes: [text],
          ...versions,
        }),
        missingCase({ path: text, record: 2, name: text, gap }),
      ],
      { annotator: text },
    ),
    line: text,
  }
}

describe('a text of somebody’s', () => {
  it.each([200, 400, 403, 404, 422, 501])(
    'reaches neither stream with power, from a service that answers %i',
    async (status) => {
      await fc.assert(
        fc.asyncProperty(hostile, fileName, fc.constantFrom(...modes), async (text, name, mode) => {
          const { svc, project } = createShell({ ...createSession(), fetch: saying(text, status) })
          const file = `${name}.json`
          const files = {
            [file]: [
              { role: 'user', content: text },
              { role: text, content: text },
            ],
            'svc.config.json': { baseUrl: text },
            'before.json': reportSaying(text),
            'sessions/projects/p/s.jsonl': `${JSON.stringify({ type: 'user', sessionId: text, cwd: text, message: { role: 'user', content: text }, timestamp: '2026-01-01T00:00:00Z', uuid: 'u' })}\n`,
          }
          const env = { CLAUDE_CONFIG_DIR: 'sessions' }
          for (const argv of lines(text, file, project, 'tr_1')) {
            const { out, err } = await svc([...argv, ...mode.flags], {
              files,
              env,
              stdin: text,
              ...(mode.tty && { tty: true }),
            })
            const found = powerful.exec(out + err)
            if (found)
              expect.fail(
                `svc ${JSON.stringify([...argv, ...mode.flags])} wrote ${JSON.stringify((out + err).slice(Math.max(0, found.index - 80), found.index + 40))}`,
              )
          }
        }),
        { numRuns: runs(1) },
      )
    },
    240_000,
  )

  it('a text of somebody’s is given here to every command there is', async () => {
    const asked = lines('x', 'x', 'x', 'x').map((argv) => argv.join(' '))
    const all = leaves(await buildProgram({} as Io, () => {}))
    expect(all.filter((words) => !asked.some((line) => line.startsWith(words)))).toEqual([])
  })
})

describe('a folder with a hostile name', () => {
  it.skipIf(process.platform === 'win32')(
    'a folder with a hostile name is shown without power by every command that names it',
    async () => {
      const shell = createShell()
      const folder = join(shell.cwd, 'x\u001b[2J\nFORGED\n::set-output name=x::y\u202e')
      mkdirSync(folder)
      for (const [name, content] of Object.entries({
        'svc.config.json': { baseUrl: shell.server.baseUrl, project: shell.project },
        'svc.checks.json': { annotator: 'patterns', paths: ['..'] },
        'a.json': [{ role: 'user', content: 'Hi' }],
      })) {
        writeFileSync(join(folder, name), JSON.stringify(content))
      }
      const signal = new AbortController().signal
      const { env, stdout, stderr, ask, readStdin, openStdin, fetch, ...files } = realIo(process, folder, {
        signal,
        onSignal: () => () => {},
      })
      const own = { SVC_CONFIG: join(folder, 'c.json'), SVC_STATE_DIR: folder, SVC_CACHE_DIR: folder }
      for (const argv of [
        ['health'],
        ['config', 'list', '--show-origin'],
        ['config', 'path'],
        ['config', 'set', 'baseUrl', shell.server.baseUrl],
        ['config', 'trust', '--yes'],
        ['doctor'],
        ['auth', 'login', '--no-verify', '--force'],
        ['auth', 'logout'],
        ['upload', 'a.json'],
        ['transcripts', 'list'],
        ['uploads', 'list'],
        ['check'],
        ['check', 'a.json', '--no-policy', '--annotator', 'patterns', '--verbose'],
        ['convert', '--detect', '.'],
      ]) {
        for (const flags of [[], ['--json'], ['--debug']]) {
          const { out, err } = await shell.svc([...argv, ...flags], {
            env: { ...own, SVC_BASE_URL: flags.length > 0 ? shell.server.baseUrl : undefined, SVC_PROJECT: undefined },
            io: files,
            stdin: 'sk-service-api03-0123456789',
          })
          expect([...argv, ...flags, powerful.exec(out + err)?.[0]]).toEqual([...argv, ...flags, undefined])
        }
      }
    },
  )
})
