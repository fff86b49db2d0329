import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { mockService } from '../../helpers/mock-service.js'
import { onTerminal, ownService } from '../../helpers/own-service.js'
import { type CliOptions, createShell } from '../../helpers/run-cli.js'

const none = { SVC_API_KEY: undefined, SVC_BASE_URL: undefined, SVC_PUBLIC_BASE_URL: undefined, SVC_PROJECT: undefined }

const schema = './node_modules/@svc/cli/svc.checks.schema.json'

/** A shell of a newcomer: no variable, and a settings file that is not there. */
function newcomer() {
  const shell = createShell()
  const { baseUrl, publicBaseUrl } = shell.server
  const file = join(shell.cwd, 'home/config.json')
  const svc = (argv: string[], options: CliOptions = {}) =>
    shell.svc(['init', ...argv], { ...options, env: { ...none, SVC_CONFIG: file, ...options.env } })
  const addresses = ['--base-url', baseUrl, '--public-base-url', publicBaseUrl]
  const profile = () => JSON.parse(readFileSync(file, 'utf8')).profiles.default
  const policy = () => JSON.parse(readFileSync(join(shell.cwd, 'svc.checks.json'), 'utf8'))
  const transcripts = () => {
    mkdirSync(join(shell.cwd, 'transcripts'))
    writeFileSync(join(shell.cwd, 'transcripts/a.json'), '[{"role":"user","content":"hi"}]')
  }
  const check = () => shell.svc(['check', '--json'])
  return { ...shell, check, baseUrl, publicBaseUrl, file, svc, addresses, profile, policy, transcripts }
}

describe('svc init on a terminal', () => {
  it('asks for addresses, key, project, paths and annotator, and stores what the service accepted', async () => {
    const { svc, baseUrl, publicBaseUrl, file, profile, policy, project, transcripts } = newcomer()
    transcripts()
    const answers = [baseUrl, publicBaseUrl, referenceKey, '1', 'transcripts', '1']
    const { code, asked, err } = await svc([], { tty: true, answers })
    expect([code, asked.map(({ question, hidden }) => [question.replace(/ \(.*/, ''), hidden])]).toEqual([
      0,
      [
        ['Base URL of the annotation surface', false],
        ['Base URL of the workspace surface, with its version prefix', false],
        ['API key', true],
        ['Project', false],
        ['Files or folders to check, separated by blanks', false],
        ['Annotator', false],
      ],
    ])
    expect(profile()).toEqual({ baseUrl, publicBaseUrl, apiKey: referenceKey, project })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(policy()).toEqual({ $schema: schema, annotator: expect.any(String), paths: ['transcripts'] })
    expect(err).toContain('annotation surface at')
    expect(err).toMatch(
      /next: svc check --dry-run\nnext: svc check\nnext: svc upload transcripts --dry-run\nnext: svc doctor\n$/,
    )
    expect(err).not.toContain(referenceKey)
  })

  it('creates a project that is named, and asks for nothing that a flag or variable gives', async () => {
    const { svc, addresses, profile, server } = newcomer()
    const answers = ['New one', '']
    const { code, asked } = await svc(addresses, { tty: true, answers, env: { SVC_API_KEY: referenceKey } })
    expect([code, asked.length]).toEqual([0, 2])
    const created = server.world
      .projects([...server.world.keys()][0]?.workspace ?? '')
      .find(({ record }) => record.name === 'New one')
    expect(profile().project).toBe(created?.record.id)
    expect(profile().apiKey).toBeUndefined()
  })
})

describe('svc init without a terminal', () => {
  it('writes a policy by which a new repository passes without a note', async () => {
    const { svc, check, addresses, transcripts } = newcomer()
    transcripts()
    await svc([...addresses, '--with-key', '--annotator', 'patterns', '--path', 'transcripts'], { stdin: referenceKey })
    const { code, json, err } = await check()
    expect([code, json()]).toMatchObject([0, { notes: [], unmatched: [], left_out: [] }])
    expect(err).not.toMatch(/note:|warning:/)
  })

  it('does all of it by flags, and prints one document', async () => {
    const { svc, addresses, profile, policy, project, transcripts } = newcomer()
    transcripts()
    const flags = ['--with-key', '--project', project, '--annotator', 'structural', '--path', 'transcripts', '--json']
    const { code, asked, json } = await svc([...addresses, ...flags], { stdin: referenceKey })
    expect([code, asked]).toEqual([0, []])
    expect(json()).toMatchObject({
      ...{ schema: 'svc/init@1', profile: 'default', project, annotator: 'structural', policy: 'svc.checks.json' },
      key_status: { annotation: 'accepted', workspace: 'accepted' },
    })
    expect(profile()).toMatchObject({ apiKey: referenceKey, project })
    expect(policy()).toEqual({ $schema: schema, annotator: 'structural', paths: ['transcripts'] })
  })

  it.each<[string, number, string, (shell: ReturnType<typeof newcomer>) => [string[], CliOptions]]>([
    ['no address', 2, 'Missing base URL.', () => [[], {}]],
    ['no key', 3, 'No key was given.', ({ addresses }) => [addresses, {}]],
    ['a refused key', 4, 'refused (401)', ({ addresses }) => [addresses, { stdin: 'sk-service-api03-wrong-wrong' }]],
    ['a bad address', 3, 'https', () => [['--base-url', 'http://example.com'], { stdin: referenceKey }]],
    [
      'no such project',
      5,
      '404',
      ({ addresses }) => [
        [...addresses, '--project', 'hp-00000009-0000-4000-8000-000000000009'],
        { stdin: referenceKey },
      ],
    ],
    [
      'a malformed project',
      2,
      'Not a project id: "x".',
      ({ addresses }) => [[...addresses, '--project', 'x'], { stdin: referenceKey }],
    ],
    [
      'no such annotator',
      2,
      'did you mean structural?',
      ({ addresses }) => [[...addresses, '--annotator', 'structrual', '--path', '.'], { stdin: referenceKey }],
    ],
    [
      'no path',
      2,
      'A policy file needs an annotator and a path.',
      ({ addresses }) => [[...addresses, '--annotator', 'structural'], { stdin: referenceKey }],
    ],
    [
      'a missing path',
      3,
      'gone: no such file or folder.',
      ({ addresses }) => [[...addresses, '--annotator', 'structural', '--path', 'gone'], { stdin: referenceKey }],
    ],
    [
      'two projects',
      2,
      'cannot be used together',
      ({ addresses }) => [[...addresses, '--project', 'x', '--create-project', 'y'], {}],
    ],
  ])('writes nothing with %s', async (_, expected, message, of) => {
    const shell = newcomer()
    const [argv, options] = of(shell)
    const { code, err } = await shell.svc(argv, options)
    expect([code, err]).toEqual([expected, expect.stringContaining(message)])
    expect([existsSync(shell.file), existsSync(join(shell.cwd, 'svc.checks.json'))]).toEqual([false, false])
    expect(shell.server.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('replaces a policy file only with --force', async () => {
    const { svc, addresses, cwd, policy, transcripts } = newcomer()
    transcripts()
    writeFileSync(join(cwd, 'svc.checks.json'), '{"annotator":"patterns"}')
    const flags = [...addresses, '--annotator', 'structural', '--path', 'transcripts']
    expect(await svc(flags, { stdin: referenceKey })).toMatchObject({ code: 2 })
    expect(policy().annotator).toBe('patterns')
    expect((await svc([...flags, '--force'], { stdin: referenceKey })).code).toBe(0)
    expect(policy().annotator).toBe('structural')
    const kept = await svc(addresses, { stdin: referenceKey })
    expect([kept.code, kept.err]).toEqual([
      0,
      expect.stringContaining('svc.checks.json already exists and stays as it is'),
    ])
  })
})

it('leads a stranger from the installed command to a red and a green gate on their own files', async () => {
  const service = await mockService()
  try {
    const cwd = join(service.folder, 'stranger')
    mkdirSync(join(cwd, 'mine'), { recursive: true })
    const bad = [{ role: 'user', content: 'I already told you. This is ridiculous.' }]
    writeFileSync(join(cwd, 'mine/a.json'), JSON.stringify(bad))
    const variables = ['SVC_API_KEY', 'SVC_BASE_URL', 'SVC_PUBLIC_BASE_URL', 'SVC_PROJECT', 'SVC_CONFIG']
    const unset = variables.map((name) => `-u ${name}`).join(' ')
    const script = `
      printf '%s' "$SVC_API_KEY" > key.txt
      as() { env ${unset} SVC_CONFIG=$PWD/own.json "$@"; }
      as svc init --base-url "$SVC_BASE_URL" --public-base-url "$SVC_PUBLIC_BASE_URL" --create-project Mine \\
        --annotator patterns --path mine < key.txt
      as svc check --no-cache --quiet && exit 1 || echo "red $?"
      echo '[{"role":"user","content":"Thanks, solved!"},{"role":"assistant","content":"Glad to help."}]' > mine/a.json
      as svc check --no-cache && echo green
      as svc upload mine`
    const { code, out, err } = await service.run(['sh', '-e', '-c', script], cwd)
    expect([code, out], err).toEqual([0, expect.stringMatching(/red 100[\s\S]*green/)])
  } finally {
    service.close()
  }
})

it('ends with 130 and leaves nothing after Ctrl-C at a prompt', async () => {
  const { folder, env, close } = await ownService((_, response) => response.end('{}'))
  try {
    const config = join(folder, 'new.json')
    const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !(name in none)))
    const { pty, ended } = onTerminal(['init'], { ...rest, SVC_CONFIG: config })
    pty.onData((data) => {
      if (data.includes('Base URL of the annotation surface')) pty.write('\u0003')
    })
    expect([(await ended).code, existsSync(config)]).toEqual([130, false])
  } finally {
    await close()
  }
})
