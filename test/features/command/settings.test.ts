import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { keySettings, settingNames, settings } from '../../../packages/cli/src/settings.js'
import { blocksOf } from '../../helpers/blocks.js'
import { type CliOptions, createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const nothing = {
  SVC_API_KEY: undefined,
  SVC_BASE_URL: undefined,
  SVC_PUBLIC_BASE_URL: undefined,
  SVC_PROJECT: undefined,
}

/** A shell whose environment names only a home of its own. */
function homeShell() {
  const shell = createShell()
  const file = join(shell.cwd, 'home/.config/svc/config.json')
  const env = { ...nothing, HOME: join(shell.cwd, 'home') }
  const write = (settings: unknown, path = file) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof settings === 'string' ? settings : JSON.stringify(settings), { mode: 0o600 })
  }
  const svc = (argv: string[], options: CliOptions = {}) =>
    shell.svc(argv, { ...options, env: { ...env, ...options.env } })
  const { baseUrl, publicBaseUrl } = shell.server
  const addresses = { baseUrl, publicBaseUrl }
  return { ...shell, svc, file, write, addresses }
}

const profiles = (work: object, more: object = {}) => ({ schema: 'svc/config@1', profiles: { default: work }, ...more })

describe('the settings', () => {
  it('the settings come from the default profile if nothing else is set', async () => {
    const { svc, write, addresses, project } = homeShell()
    write(profiles({ apiKey: referenceKey, ...addresses, project }))
    expect(await svc(['transcripts', 'list'])).toMatchObject({ code: 0, err: 'no transcripts\n' })
  })

  it('the settings come from XDG_CONFIG_HOME, from SVC_CONFIG before it, and never from a relative XDG folder', async () => {
    const { svc, write, cwd, file } = homeShell()
    const path = async (env: Record<string, string>) => (await svc(['config', 'path'], { env })).out.trim()
    expect(await path({})).toBe(file)
    expect(await path({ XDG_CONFIG_HOME: join(cwd, 'xdg') })).toBe(join(cwd, 'xdg/svc/config.json'))
    expect(await path({ XDG_CONFIG_HOME: 'relative' })).toBe(file)
    expect(await path({ XDG_CONFIG_HOME: join(cwd, 'xdg'), SVC_CONFIG: 'mine.json' })).toBe(join(cwd, 'mine.json'))
    write(profiles({ baseUrl: 'https://mine.test' }), join(cwd, 'mine.json'))
    expect((await svc(['config', 'get', 'baseUrl'], { env: { SVC_CONFIG: 'mine.json' } })).out).toBe(
      'https://mine.test\n',
    )
  })

  it('a chosen profile goes before the environment, and the environment before the file; an empty variable is unset', async () => {
    const { svc, write } = homeShell()
    const of = (name: string) => ({ baseUrl: `https://${name}.test` })
    write({ schema: 'svc/config@1', profiles: { default: of('default'), work: of('work') } })
    const url = async (argv: string[], SVC_BASE_URL: string) =>
      (await svc(['config', 'get', 'baseUrl', ...argv], { env: { SVC_BASE_URL } })).out.trim()
    expect(await url([], '')).toBe('https://default.test')
    expect(await url([], 'https://env.test')).toBe('https://env.test')
    expect(await url(['--profile', 'work'], 'https://env.test')).toBe('https://work.test')
  })

  it('never mix two profiles', async () => {
    const { svc, write } = homeShell()
    write({
      schema: 'svc/config@1',
      profiles: { default: { baseUrl: 'https://a.test' }, work: { apiKey: referenceKey } },
    })
    expect((await svc(['config', 'get', 'baseUrl', '--profile', 'work'])).code).toBe(3)
  })

  it('name the profile that was likely meant', async () => {
    const { svc, write } = homeShell()
    write({ schema: 'svc/config@1', profiles: { work: {} } })
    const { code, err } = await svc(['health', '--profile', 'wrok'])
    expect([code, err]).toEqual([3, expect.stringContaining('hint: did you mean work?')])
    expect((await svc(['health', '--config', 'none.json'])).code).toBe(3)
  })

  it('say so when a key goes to an address that its source did not name, and only when it goes', async () => {
    const { svc, write, addresses } = homeShell()
    write(profiles(addresses))
    const env = { SVC_API_KEY: referenceKey }
    const { code, err } = await svc(['projects', 'list'], { env })
    expect(code).toBe(0)
    expect(err).toMatch(
      /^warning: the key from SVC_API_KEY goes to the base URL from profile default in \/.*: http.*\n/,
    )
    expect((await svc(['health'], { env })).err).toBe('')
    expect((await svc(['projects', 'list', '--quiet'], { env })).err).toBe(err)
    const both = { SVC_API_KEY: referenceKey, SVC_PUBLIC_BASE_URL: addresses.publicBaseUrl }
    expect((await svc(['projects', 'list'], { env: both })).err).not.toContain('warning')
  })

  it('show a host that mixes scripts in ASCII, and one of a single script as it is', async () => {
    const { svc } = createShell({ ...createSession(), fetch: async () => new Response('no', { status: 400 }) })
    // Its first letter is Cyrillic.
    const host = '\u0430pple.example'
    const io = { lookup: async () => ['192.0.2.1'], tls: async () => Promise.reject(new Error('none')) }
    for (const argv of [['config', 'list'], ['auth', 'status', '--offline', '--json'], ['doctor'], ['health']]) {
      const { out, err } = await svc(argv, { env: { SVC_BASE_URL: `https://${host}:8443` }, io })
      expect(out + err).toContain('xn--pple-43d.example')
      expect(out + err).not.toContain('\u0430')
    }
    const withUser = { SVC_BASE_URL: `https://me@${host}/v1` }
    expect((await svc(['config', 'get', 'baseUrl'], { env: withUser })).out).toBe('https://…@xn--pple-43d.example/v1\n')
    for (const host of ['пример.example', '日本語のドメイン.jp', 'bücher.example']) {
      const { out } = await svc(['config', 'get', 'baseUrl'], { env: { SVC_BASE_URL: `https://${host}/x` } })
      expect(out).toBe(`https://${host}/x\n`)
    }
  })

  it('the settings need neither home nor file', async () => {
    const { svc, server } = createShell()
    expect((await svc(['health'])).code).toBe(0)
    expect((await svc(['config', 'path'])).code).toBe(3)
    expect(server.baseUrl).toContain('svc.test')
  })

  it('the settings are refused with the place of each problem, and never with a value', async () => {
    const { svc, write, file } = homeShell()
    const secret = 'sk-service-api03-abcdefghijklmnop'
    const reported = async (settings: unknown) => {
      write(settings)
      const { code, err } = await svc(['health'])
      expect(code).toBe(3)
      expect(err).not.toContain('abcdefgh')
      return err
    }
    expect(await reported(`{\n  "profiles": { "default": { "apiKey": ${secret} } }\n}`)).toContain(
      `${file}:2:40 expected a value`,
    )
    expect(
      await reported(`\n{ "schema": "svc/config@1",\n "profiles": { "a": { "apikey": "${secret}" } } }`),
    ).toContain(`${file}:3:33 /profiles/a/apikey unknown name; did you mean apiKey?`)
    expect(await reported({ schema: 'svc/config@1', profiles: { a: { apiKey: 7 } } })).toContain(
      '/profiles/a/apiKey expected a text',
    )
    expect(await reported({ schema: 'svc/config@2' })).toContain('/schema expected "svc/config@1"')
    mkdirSync(join(dirname(file), 'folder'))
    expect((await svc(['health', '--config', join(dirname(file), 'folder')])).err).toContain(
      'cannot read the settings (EISDIR)',
    )
  })

  it('the settings are made private if others could open them, with one warning', async () => {
    const { svc, write, file } = homeShell()
    write(profiles({ baseUrl: 'https://svc.test' }))
    chmodSync(file, 0o644)
    expect((await svc(['health'])).err).toContain(`warning: other users could read ${file}`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await svc(['health'])).err).toBe('')
  })
})

describe('the settings of a project', () => {
  it('count when they are trusted as they stand', async () => {
    const { svc, write, addresses, project, cwd, file } = homeShell()
    write(profiles({ apiKey: referenceKey }))
    write({ ...addresses, project }, join(cwd, 'svc.config.json'))
    const before = await svc(['projects', 'list'])
    expect([before.code, before.err.split('\n')[0]]).toEqual([
      3,
      `note: ${cwd}/svc.config.json is not trusted: its base URLs are ignored; check it, then run \`svc config trust\``,
    ])
    expect((await svc(['config', 'get', 'project'])).code).toBe(3)
    const trusted = await svc(['config', 'trust', '--yes'])
    expect(trusted).toMatchObject({ code: 0, out: expect.stringContaining(`baseUrl\t${addresses.baseUrl}\n`) })
    expect(JSON.parse(readFileSync(file, 'utf8')).profiles.default.apiKey).toBe(referenceKey)
    expect(await svc(['projects', 'list'])).toMatchObject({ code: 0, err: '' })
    expect((await svc(['config', 'get', 'project'])).out).toBe(`${project}\n`)
    write({ ...addresses }, join(cwd, 'svc.config.json'))
    expect((await svc(['projects', 'list'])).err).toContain('has changed since it was trusted')
  })

  it('name no project before they are trusted, nor let another take its place', async () => {
    const { svc, write, addresses, project, cwd, server } = homeShell()
    const other = server.world.createProject({ name: 'Other' }).record.id
    write(profiles({ apiKey: referenceKey, ...addresses, project: other }))
    write({ project }, join(cwd, 'svc.config.json'))
    const conversation = { files: { 'a.json': [{ role: 'user', content: 'Hi' }] } }
    for (const argv of [
      ['upload', 'a.json'],
      ['transcripts', 'list'],
      ['uploads', 'rebuild'],
    ]) {
      const { code, err } = await svc(argv, conversation)
      expect([code, err]).toEqual([
        3,
        `note: ${cwd}/svc.config.json is not trusted: its project is ignored; check it, then run \`svc config trust\`\n` +
          `svc: ${cwd}/svc.config.json names a project, but is not trusted.\n` +
          'hint: check the file, then run `svc config trust`; or add --project\n',
      ])
    }
    expect(server.requests).toEqual([])
    expect((await svc(['transcripts', 'list', '--project', other])).code).toBe(0)
    expect((await svc(['transcripts', 'list'], { env: { SVC_PROJECT: other } })).code).toBe(0)
    expect((await svc(['config', 'trust', '--yes'])).code).toBe(0)
    expect(await svc(['upload', 'a.json'])).toMatchObject({ code: 0 })
    expect(server.requests.at(-1)?.path).toBe(`/projects/${project}/transcripts`)
    write({ project: other }, join(cwd, 'svc.config.json'))
    expect((await svc(['upload', 'a.json'])).err).toContain('names a project, but has changed since it was trusted.')
  })

  it('the settings of a project are not mentioned if stronger settings override them', async () => {
    const { svc, write, addresses, cwd } = homeShell()
    write(addresses, join(cwd, 'svc.config.json'))
    const env = { SVC_BASE_URL: addresses.baseUrl, SVC_PUBLIC_BASE_URL: addresses.publicBaseUrl }
    expect(await svc(['health'], { env })).toMatchObject({ code: 0, err: '' })
  })

  it('the settings of a project are asked about on a terminal, and not trusted without an answer', async () => {
    const { svc, write, addresses, cwd } = homeShell()
    write(addresses, join(cwd, 'svc.config.json'))
    const piped = await svc(['config', 'trust'])
    expect([piped.code, piped.err]).toEqual([2, expect.stringContaining('trust the file: input is not a terminal.')])
    const silent = await svc(['config', 'trust', '--no-input'], { tty: true, answers: ['y'] })
    expect([silent.code, silent.err]).toEqual([2, expect.stringContaining('trust the file: --no-input is set.')])
    expect((await svc(['config', 'trust'], { tty: true, answers: ['no'] })).code).toBe(3)
    expect((await svc(['config', 'trust'], { tty: true, answers: ['y'] })).code).toBe(0)
    expect((await svc(['health'])).code).toBe(0)
  })

  it('the settings of a project may hold no key', async () => {
    const { svc, write, cwd } = homeShell()
    write({ apiKey: 'sk-service-api03-abcdefgh' }, join(cwd, 'svc.config.json'))
    const { code, err } = await svc(['health'])
    expect([code, err]).toEqual([3, expect.stringContaining('a project file must not contain a key ("apiKey")')])
    expect(err).not.toContain('abcdefgh')
    write({ baseurl: 'https://svc.test' }, join(cwd, 'svc.config.json'))
    expect((await svc(['health'])).err).toContain('svc.config.json:1:12 /baseurl unknown name; did you mean baseUrl?')
  })
})

describe('docs/reference/settings.md', () => {
  it('shows files that are accepted', async () => {
    const { svc, write, file, cwd } = homeShell()
    const page = readFileSync(new URL('../../../docs/reference/settings.md', import.meta.url), 'utf8')
    const [user, ofProject] = blocksOf(page, 'json')
    write(user, file)
    write(ofProject, join(cwd, 'svc.config.json'))
    const { code, out } = await svc(['config', 'list'])
    expect([code, out]).toEqual([0, expect.stringContaining('publicBaseUrl\thttps://api.example.com/public/api/v1\n')])
  })

  it('shows every setting as it is declared', () => {
    const page = readFileSync(new URL('../../../docs/reference/settings.md', import.meta.url), 'utf8')
    const rows = settingNames.map((name) => {
      const { title, variable, flag } = settings[name]
      const isKey = Object.hasOwn(keySettings, name)
      const asFlag = flag ? `\`${flag}\`` : isKey ? 'never' : ''
      return [title, `\`${variable}\``, `\`${name}\``, isKey ? 'never' : 'if trusted', asFlag]
    })
    const table = page.slice(page.indexOf('| setting '), page.indexOf('\n\n', page.indexOf('| setting ')))
    const shown = table
      .split('\n')
      .slice(2)
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      )
    expect(shown).toEqual(rows)
  })
})

it('a project file behind a link to nothing is refused, so that no other address is used in its place', async () => {
  const { svc, cwd } = homeShell()
  symlinkSync('gone/svc.config.json', join(cwd, 'svc.config.json'))
  const { code, err } = await svc(['config', 'list'])
  expect([code, err]).toEqual([
    3,
    expect.stringMatching(/svc\.config\.json: cannot read the settings: the target of the link does not exist\./),
  ])
})
