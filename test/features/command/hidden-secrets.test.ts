import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { type CliOptions, type CliResult, createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const random = 'q7Zk2Lw9Xb4Rt6Yv'
const key = `sk-service-api03-${random}`
const legacyKey = `sk-legacy-api03-${random}`
const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${random}`
/** A key of the annotation surface, whose form is not published. */
const ownKey = `ann/${random}+of=mine`

const base64 = (text: string, before = 0) => Buffer.from('Bearer '.slice(0, before) + text).toString('base64')
const everyCharacter = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`).join('')

/** Each secret in every form, as one word of a command line, a header or a text. */
const forms = Object.entries({
  'service key': key,
  'legacy key': legacyKey,
  JWT: token,
  'configured key': ownKey,
}).flatMap(([what, secret]): [string, string][] => [
  [`${what}, plain`, secret],
  [`${what}, URL-encoded`, encodeURIComponent(secret)],
  [`${what}, URL-encoded in every character`, everyCharacter(secret)],
  [`${what}, base64`, base64(secret)],
  [`${what}, base64 after one character`, base64(secret, 1)],
  [`${what}, base64 after two characters`, base64(secret, 2)],
  [`${what}, base64url`, Buffer.from(`user:${secret}`).toString('base64url')],
])
const inUrl = 'https://somebody:hunter2hunter2@annotate.example'

/** Texts that must not occur in the output: the random part in plain, and twelve characters of an encoded form. */
function partsOf(form: string): string[] {
  const at = Math.floor(form.length / 2) - 6
  return [random, form, form.slice(at, at + 12), 'hunter2']
}

const json = (body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { headers: { 'content-type': 'application/json', ...headers } })

const places: [string, string[], CliOptions?, ((form: string) => Response)?][] = [
  ['an unknown command', ['FORM']],
  ['an unknown option', ['upload', '--FORM']],
  ['an operand too many', ['health', 'FORM']],
  ['a choice that there is not', ['api', 'GET', '/x', '--surface', 'FORM']],
  ['a refused header', ['api', 'GET', '/x', '-H', 'Authorization: Bearer FORM']],
  ['a header without a name', ['api', 'GET', '/x', '-H', 'Bearer FORM']],
  ['an unknown field', ['projects', 'create', '--name', 'x', '--fields', 'FORM']],
  ['the path of a file', ['upload', 'FORM.json']],
  ['a profile', ['config', 'list', '--profile', 'FORM']],
  ['an unknown profile', ['config', 'set', 'profile', 'FORM']],
  ['the base URL', ['config', 'list', '--show-origin'], { env: { SVC_BASE_URL: 'https://a.example/FORM' } }],
  ['the project', ['config', 'list'], { env: { SVC_PROJECT: 'FORM' } }],
  ['one setting', ['config', 'get', 'project'], { env: { SVC_PROJECT: 'FORM' } }],
  ['the project in doctor', ['doctor', '--offline'], { env: { SVC_PROJECT: 'FORM' } }],
  [
    'the base URL in auth status',
    ['auth', 'status', '--offline', '--json'],
    { env: { SVC_BASE_URL: 'https://a.example/FORM' } },
  ],
  ['a project that is none', ['upload', '-', '--json'], { env: { SVC_PROJECT: 'FORM' }, stdin: '[]' }],
  ['a name in a project file', ['config', 'list'], { files: { 'svc.config.json': '{"x FORM":1}' } }],
  ['a name in a policy', ['check', 'x'], { files: { 'svc.checks.json': '{"x FORM":1}' } }],
  ['health', ['health'], {}, (form) => json({ status: form, substrate: 'lambda', [form]: form })],
  ['health in JSON', ['health', '--json'], {}, (form) => json({ status: form, substrate: 'lambda', more: [form] })],
  ['health in doctor', ['doctor'], {}, (form) => json({ status: form, substrate: form, data: [] })],
  ['a refusal', ['projects', 'list'], {}, (form) => new Response(form, { status: 400 })],
  [
    'a refusal in JSON',
    ['projects', 'list', '--json'],
    {},
    (form) => Response.json({ error: { message: form, type: form, code: 400 } }, { status: 400 }),
  ],
  [
    'the trace',
    ['transcripts', 'list', '--annotation', 'k:FORM', '--debug'],
    {},
    (form) => json({ data: [] }, { 'x-request-id': form }),
  ],
]

const fill = <Given>(given: Given, form: string): Given =>
  JSON.parse(JSON.stringify(given).replaceAll('FORM', JSON.stringify(form).slice(1, -1)))

async function run(argv: string[], options: CliOptions, form: string, answer?: (form: string) => Response) {
  const session = createSession()
  const shell = createShell(answer ? { ...session, fetch: async () => answer(form) } : session)
  const { env, ...rest } = fill(options, form)
  const io = { lookup: async () => ['192.0.2.1'], ...options.io }
  return shell.svc(fill(argv, form), { ...rest, io, env: { SVC_ANNOTATION_API_KEY: ownKey, ...env } })
}

describe('a secret in settings, errors and diagnostics', () => {
  it.each(places)(
    'a secret in settings, errors and diagnostics is not shown by %s, in any form',
    async (_, argv, options = {}, answer) => {
      const shown: string[] = []
      for (const [what, form] of [...forms, ['user and password', inUrl] as const]) {
        const { out, err } = await run(argv, options, form, answer)
        expect(out + err).not.toBe('')
        if (partsOf(form).some((part) => (out + err).includes(part))) shown.push(`${what}: ${out}${err}`)
      }
      expect(shown).toEqual([])
    },
  )

  it('a key in a profile is not shown where the file cannot be read as settings', async () => {
    const stored = `prv-${random}`
    const files = { 'c.json': `{"schema":"svc/config@1","profiles":{"a":{"apiKey":"${stored}"}},}` }
    const env = { SVC_CONFIG: 'c.json', SVC_API_KEY: undefined }
    const { code, err } = await createShell().svc(['projects', 'get', stored], { files, env })
    expect([code, err]).toEqual([3, expect.not.stringContaining(random)])
    const parsed = await createShell().svc([stored], { files, env })
    expect([parsed.code, parsed.err]).toEqual([2, expect.stringContaining("unknown command '…'")])
  })

  it('leaves a file or host name that only resembles a secret', async () => {
    const { err } = await createShell().svc(['upload', 'eyes-and-ears.part-one.more.json', 'a/b@c:1/d.json'])
    expect(err).toContain('eyes-and-ears.part-one.more.json')
    const { out } = await createShell().svc(['config', 'get', 'baseUrl'], {
      env: { SVC_BASE_URL: 'https://annotate.example:8443/of/somebody@example.com' },
    })
    expect(out).toBe('https://annotate.example:8443/of/somebody@example.com\n')
  })
})

describe('a configured key in data', () => {
  const other = `sk-service-api03-${random}`
  const text = `mine is ${ownKey}, theirs ${other} at ${inUrl}`
  const left = `mine is …, theirs ${other} at ${inUrl}`
  const env = { SVC_ANNOTATION_API_KEY: ownKey }
  const reported = 'warning: the output contained an API key of yours; it is replaced by "…"\n'
  const record = { id: 'p', name: text }
  const conversation = [
    { role: 'user', content: text },
    { role: 'assistant', content: 'Yes.' },
  ]
  const service = () => json({ data: record })
  const answering = () => createShell({ ...createSession(), fetch: async () => service() })

  it.each<[string, (shell: ReturnType<typeof createShell>) => Promise<CliResult>]>([
    ['a record', ({ svc }) => svc(['projects', 'get', 'p', '--quiet'], { env })],
    ['a record in JSON', ({ svc }) => svc(['projects', 'get', 'p', '--json'], { env })],
    ['a body as it came', ({ svc }) => svc(['api', 'GET', '/projects/p'], { env })],
    ['a converted transcript', ({ svc }) => svc(['convert', 'a.json'], { env, files: { 'a.json': conversation } })],
  ])('a configured key in data is hidden in %s with a warning, and all else stays', async (_, act) => {
    const { code, out, err } = await act(answering())
    expect([code, out.includes(left), err.includes(reported)]).toEqual([0, true, true])
    expect(out + err).not.toContain(ownKey)
  })

  it('a configured key in data is hidden in a file of converted transcripts, and in one buffered on the disk', async () => {
    const { svc } = createShell()
    const files = {
      'a.jsonl': Array.from({ length: 4 }, () =>
        JSON.stringify({ messages: [...conversation, { role: 'user', content: 'x'.repeat(400_000) }] }),
      ).join('\n'),
    }
    const { code, err } = await svc(['convert', 'a.jsonl', '--out', 'b.jsonl'], { env, files })
    expect([code, err.split(reported)]).toEqual([0, [expect.anything(), expect.anything()]])
    const { out } = await svc(['convert', 'b.jsonl'], { env })
    expect(out.split(left)).toHaveLength(5)
  })

  it('a configured key in data is hidden in every report', async () => {
    const { svc, cwd } = createShell()
    const reports = ['json', 'html', 'junit', 'sarif', 'md']
    const targets = reports.flatMap((id) => ['--report', `${id}=r.${id}`])
    const argv = [
      'check',
      'a.json',
      '--annotator',
      'patterns',
      '--allow-secrets',
      '--with-turns',
      '--fail-on',
      'strong',
    ]
    const stored = { SVC_API_KEY: referenceKey, SVC_WORKSPACE_API_KEY: ownKey }
    const { err } = await svc([...argv, ...targets], {
      env: stored,
      files: { 'a.json': { name: text, messages: conversation } },
    })
    expect(err).toContain(reported)
    for (const id of reports) {
      const report = readFileSync(join(cwd, `r.${id}`), 'utf8')
      expect([report.includes('theirs'), report.includes(ownKey)]).toEqual([true, false])
    }
  })

  it('a configured key in data is hidden in every report that escapes it', async () => {
    const { svc, cwd } = createShell()
    const key = 'own<se&cret>"key"|12345'
    const ids = ['json', 'html', 'junit', 'sarif', 'md']
    const targets = ids.flatMap((id) => ['--report', `${id}=r.${id}`])
    const messages = [
      { role: 'user', content: `My key is ${key}, is it not?` },
      { role: 'assistant', content: key },
    ]
    const argv = ['check', 'a.json', '--annotator', 'structural', '--allow-secrets', '--with-turns']
    await svc([...argv, '--fail-on', 'strong', ...targets], {
      env: { SVC_API_KEY: referenceKey, SVC_WORKSPACE_API_KEY: key },
      files: { 'a.json': { name: `Of ${key}`, messages } },
    })
    for (const id of ids)
      expect([id, readFileSync(join(cwd, `r.${id}`), 'utf8')]).not.toMatchObject([
        id,
        expect.stringMatching(/own.{1,9}se.{1,9}cret/),
      ])
  })

  it('a configured key in data is printed by svc mock, because its key is meant to be used', async () => {
    const { out, err } = await createShell().svc(['mock', '--json'], { signal: AbortSignal.abort('SIGINT') })
    expect([JSON.parse(out).SVC_API_KEY, err]).toEqual([referenceKey, expect.not.stringContaining('warning')])
  })
})
