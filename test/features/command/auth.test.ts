import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { type CliOptions, createShell } from '../../helpers/run-cli.js'
import { createSession, type Session } from '../../helpers/session.js'

const masked = `sk-service-api03-…${referenceKey.slice(-4)}`

/** A shell with the addresses of the server, a file of settings of its own, and no key. */
function keylessShell(session?: Session) {
  const shell = createShell(session)
  const file = join(shell.cwd, 'settings/config.json')
  const svc = (argv: string[], options: CliOptions = {}) =>
    shell.svc(argv, { ...options, env: { SVC_API_KEY: undefined, SVC_CONFIG: file, ...options.env } })
  const store = (profiles: object) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify({ schema: 'svc/config@1', profiles }), { mode: 0o600 })
  }
  const stored = () => JSON.parse(readFileSync(file, 'utf8'))
  return { ...shell, svc, file, store, stored }
}

describe('svc auth login', () => {
  it('stores the key from standard input privately, after both surfaces accepted it', async () => {
    const { svc, file, stored } = keylessShell()
    const { code, out, err } = await svc(['auth', 'login'], { stdin: `\n  ${referenceKey} \n` })
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain(`stored the key ${masked} in profile default of ${file}\n`)
    expect(err).not.toContain(referenceKey)
    expect(stored()).toEqual({ schema: 'svc/config@1', profiles: { default: { apiKey: referenceKey } } })
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
    expect((await svc(['projects', 'list'])).code).toBe(0)
  })

  it('asks for it unseen on a terminal, and never under --no-input', async () => {
    const { svc, stored } = keylessShell()
    const { code, asked } = await svc(['auth', 'login'], { tty: true, answers: [referenceKey] })
    expect([code, asked]).toEqual([0, [{ question: 'API key (not shown): ', hidden: true }]])
    expect(stored().profiles.default.apiKey).toBe(referenceKey)
    const silent = await svc(['auth', 'login', '--no-input'], { tty: true, answers: [referenceKey] })
    expect([silent.code, silent.asked]).toEqual([2, []])
    const piped = await svc(['auth', 'login', '--with-key'], { tty: true, answers: [], stdin: referenceKey })
    expect([piped.code, piped.asked]).toEqual([0, []])
    expect((await svc(['auth', 'login'], { stdin: ' \n' })).err).toContain('No key was given.')
  })

  it.each([
    [['--no-input'], {}, {}, '--no-input is set'],
    [[], { CI: 'true' }, {}, 'CI is set'],
    [[], { CI: '1' }, {}, 'CI is set'],
    [[], {}, { tty: false }, 'error output is not a terminal'],
  ])('does not ask with %j, %j and %j, and says why', async (flags, env, terminal, why) => {
    const { svc } = keylessShell()
    const { code, err, asked } = await svc(['auth', 'login', ...flags], { tty: true, answers: ['x'], env, ...terminal })
    expect([code, err, asked]).toEqual([2, expect.stringContaining(`Cannot ask for the key: ${why}.`), []])
  })

  it.each(['', '0', 'false', 'False'])('asks while CI is "%s", because that is no CI', async (CI) => {
    const { svc } = keylessShell()
    const { code, asked } = await svc(['auth', 'login'], { tty: true, answers: [referenceKey], env: { CI } })
    expect([code, asked.length]).toEqual([0, 1])
  })

  it('keeps a key for one surface beside the other, and one for both in place of all', async () => {
    const { svc, stored, server } = keylessShell()
    const { key } = server.world.createKey({ key: 'sk-service-api03-another-key-0001' })
    await svc(['auth', 'login', '--surface', 'annotation'], { stdin: referenceKey })
    await svc(['auth', 'login', '--surface', 'workspace'], { stdin: key })
    expect(stored().profiles.default).toEqual({ annotationApiKey: referenceKey, workspaceApiKey: key })
    await svc(['auth', 'login'], { stdin: key })
    expect(stored().profiles.default).toEqual({ apiKey: key })
  })

  it('stores several profiles, and prints how to use the new one', async () => {
    const { svc, stored } = keylessShell()
    const { err } = await svc(['auth', 'login', '--profile', 'work'], { stdin: referenceKey })
    expect(err).toContain('note: it is used with --profile work; `svc config set profile work` makes it the default')
    expect((await svc(['projects', 'list'])).code).toBe(4)
    expect((await svc(['projects', 'list', '--profile', 'work'])).code).toBe(0)
    expect((await svc(['config', 'set', 'profile', 'work'])).code).toBe(0)
    expect((await svc(['projects', 'list'])).code).toBe(0)
    expect(stored()).toMatchObject({ profile: 'work', profiles: { work: { apiKey: referenceKey } } })
  })

  it('does not store a key that the service refuses, and keeps the old one', async () => {
    const { svc, store, stored, server } = keylessShell()
    store({ default: { apiKey: referenceKey } })
    const wrong = await svc(['auth', 'login'], { stdin: 'sk-service-api03-wrong-wrong-wrong' })
    expect([wrong.code, wrong.err]).toEqual([
      4,
      expect.stringContaining('The key was not stored: annotation surface: refused (401)'),
    ])
    server.world.createKey({ key: 'sk-service-api03-revoked-0001', revoked: true })
    const revoked = await svc(['auth', 'login'], { stdin: 'sk-service-api03-revoked-0001' })
    expect([revoked.code, revoked.err]).toEqual([4, expect.stringContaining('revoked or disabled (403)')])
    expect(stored().profiles.default.apiKey).toBe(referenceKey)
    const forced = await svc(['auth', 'login', '--no-verify'], { stdin: 'sk-service-api03-wrong-wrong-wrong' })
    expect(forced.code).toBe(0)
  })

  it('takes a key that may only write', async () => {
    const { svc, server } = keylessShell()
    server.world.createKey({ key: 'sk-service-api03-only-writes-01', permissions: ['projects-write'] })
    const { code, err } = await svc(['auth', 'login'], { stdin: 'sk-service-api03-only-writes-01' })
    expect([code, err]).toEqual([0, expect.stringContaining('accepted, may not read')])
  })

  it('notes a legacy key, and asks for confirmation of an unusual key', async () => {
    const { svc } = keylessShell()
    const login = (stdin: string, ...argv: string[]) => svc(['auth', 'login', '--no-verify', ...argv], { stdin })
    expect(await login('sk-legacy-api03-abcdefghijkl')).toMatchObject({
      code: 0,
      err: expect.stringContaining('legacy'),
    })
    const token = 'eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl'
    expect(await login(token)).toMatchObject({
      code: 3,
      err: expect.stringContaining('most endpoints do not accept such tokens'),
    })
    expect((await login(token, '--force')).code).toBe(0)
    const ask = (answer: string) => svc(['auth', 'login', '--no-verify'], { tty: true, answers: [token, answer] })
    expect([(await ask('y')).code, (await ask('')).code]).toEqual([0, 3])
    expect((await login('other-form-of-key')).code).toBe(3)
    expect((await login('other-form-of-key', '--surface', 'annotation')).code).toBe(0)
    expect((await login('two words', '--force')).code).toBe(3)
  })

  it('warns that a variable overrides the stored key', async () => {
    const { svc } = keylessShell()
    const { code, err } = await svc(['auth', 'login'], { stdin: referenceKey, env: { SVC_API_KEY: 'x' } })
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('warning: SVC_API_KEY is set and wins over the stored key'),
    ])
  })

  it('reports a settings file that cannot be written', async () => {
    const { svc } = keylessShell()
    const { code, err } = await svc(['auth', 'login'], {
      stdin: referenceKey,
      env: { SVC_CONFIG: '/dev/null/config.json' },
    })
    expect([code, err]).toEqual([3, expect.stringContaining('/dev/null/config.json: cannot write the settings (')])
    const homeless = await svc(['auth', 'login'], { stdin: referenceKey, env: { SVC_CONFIG: undefined } })
    expect([homeless.code, homeless.err]).toEqual([3, expect.stringContaining('no home folder')])
  })

  it('stores a key without a check if no base URL is set, and reports it', async () => {
    const { svc } = keylessShell()
    const env = { SVC_BASE_URL: undefined, SVC_PUBLIC_BASE_URL: undefined }
    const { code, err } = await svc(['auth', 'login'], { stdin: referenceKey, env })
    expect([code, err]).toEqual([0, expect.stringContaining('the base URL of the workspace surface is not set')])
  })
})

describe('svc auth status', () => {
  it('prints the source of each key and whether each surface accepts it, and never the key', async () => {
    const { svc, store, file } = keylessShell()
    store({ default: { workspaceApiKey: referenceKey } })
    const { code, out } = await svc(['auth', 'status'], { env: { SVC_ANNOTATION_API_KEY: referenceKey } })
    expect([code, out]).toEqual([
      0,
      `annotation\t${masked}\taccepted (not refused)\tSVC_ANNOTATION_API_KEY\nworkspace\t${masked}\taccepted\tprofile default in ${file}\n`,
    ])
    const { json } = await svc(['auth', 'status', '--json'])
    expect(json()).toMatchObject({
      schema: 'svc/auth-status@1',
      surfaces: [
        { surface: 'annotation', key: null, standing: 'no_key' },
        { standing: 'accepted', status: 200 },
      ],
    })
  })

  it('exits 4 when no key is set or one is refused, and 0 when one may only write', async () => {
    const { svc, server } = keylessShell()
    expect(await svc(['auth', 'status'])).toMatchObject({ code: 4, err: expect.stringContaining('`svc auth login`') })
    const of = async (key: string) => svc(['auth', 'status'], { env: { SVC_API_KEY: key } })
    expect(await of('sk-service-api03-wrong')).toMatchObject({ code: 4, out: expect.stringContaining('refused (401)') })
    server.world.createKey({ key: 'sk-service-api03-revoked-0001', revoked: true })
    expect(await of('sk-service-api03-revoked-0001')).toMatchObject({
      code: 4,
      out: expect.stringContaining('revoked'),
    })
    server.world.createKey({ key: 'sk-service-api03-only-writes-01', permissions: ['projects-write'] })
    expect(await of('sk-service-api03-only-writes-01')).toMatchObject({
      code: 0,
      out: expect.stringContaining('may not read'),
    })
  })

  it('exits 75 when the service does not answer, and sends nothing with --offline', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    const session = createSession()
    const { svc, clock } = keylessShell({ ...session, fetch: () => Promise.reject(refused) })
    const env = { SVC_API_KEY: referenceKey }
    expect(await clock.until(svc(['auth', 'status'], { env }))).toMatchObject({ code: 75 })
    expect(await svc(['auth', 'status', '--offline'], { env })).toMatchObject({
      code: 0,
      out: expect.stringContaining('not asked'),
    })
    expect((await svc(['auth', 'status', '--offline'])).code).toBe(4)
    expect(await clock.until(svc(['auth', 'login'], { stdin: referenceKey }))).toMatchObject({ code: 75 })
  })
})

describe('svc auth logout', () => {
  it('removes the key of one surface or both, and names a variable that still sets one', async () => {
    const { svc, store, stored } = keylessShell()
    store({ default: { apiKey: referenceKey, project: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10' } })
    await svc(['auth', 'logout', '--surface', 'annotation'])
    expect(Object.keys(stored().profiles.default).sort()).toEqual(['project', 'workspaceApiKey'])
    const { code, err } = await svc(['auth', 'logout'], { env: { SVC_API_KEY: referenceKey } })
    expect([code, err]).toEqual([0, expect.stringContaining('note: SVC_API_KEY still sets a key')])
    expect(stored().profiles.default).toEqual({ project: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10' })
    expect((await svc(['auth', 'logout'])).err).toContain('has no such key')
  })
})
