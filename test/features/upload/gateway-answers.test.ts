import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'
import { createSession } from '../../helpers/session.js'

const page = (title = 'Request blocked') =>
  new Response(`<html><head><title>${title}</title></head><body>Incident 7</body></html>`, {
    status: 403,
    headers: { 'content-type': 'text/html' },
  })
const forms: [string, (status: number) => Response, string][] = [
  ['a page', (status) => new Response('<title>Request blocked</title>', { status }), 'Request blocked'],
  ['a page without a title', (status) => new Response('<p>Not acceptable.</p>', { status }), 'Not acceptable.'],
  ['the JSON of a gateway', (status) => Response.json({ message: 'Forbidden' }, { status }), 'Forbidden'],
  ['a fault', (status) => Response.json({ fault: { faultstring: 'Denied by rule' } }, { status }), 'Denied by rule'],
  ['an empty body', (status) => new Response(null, { status }), '403 permission'],
]

const gatewayHint = 'did not answer as the service does'

/** A shell before whose service a firewall stands, which answers each write whose body matches. */
function behindFirewall(matches: RegExp, answer: () => Response) {
  const session = createSession()
  let refused = 0
  const fetch = async (request: Request) => {
    if (request.method === 'POST' && matches.test(await request.clone().text())) {
      refused++
      return answer()
    }
    return session.fetch(request)
  }
  const shell = createShell({ ...session, fetch })
  return { ...shell, refusals: () => refused, stored: () => shell.server.world.transcripts(shell.project).length }
}

const chats = (contents: readonly string[]) => contents.map((content) => ({ messages: [{ role: 'user', content }] }))
const many = (n: number, text: string) => Array.from({ length: n }, (_, at) => `${text} ${at}`)

describe('svc upload behind a firewall', () => {
  it.each(forms)(
    'svc upload fails a transcript that a firewall answers 403 with %s, and stores the others',
    async (_, answer, said) => {
      const { svc, stored } = behindFirewall(/UNION SELECT/, () => answer(403))
      const files = { 'chats.json': chats(['a', 'UNION SELECT', 'b', 'c', 'd', 'e', 'f', 'g']) }
      const { code, err, lines } = await svc(['upload', 'chats.json', '--json', '-j', '1'], { files })
      expect([code, stored()]).toEqual([8, 7])
      expect(lines().at(-1)).toMatchObject({ uploaded: 7, failed: 1, not_sent: 0 })
      expect(lines().find(({ result }) => result === 'failed')).toMatchObject({ error: { status: 403, exit: 6 } })
      expect(err).toContain(said)
      expect(err).toContain(`hint: svc.test ${gatewayHint}: a firewall`)
      expect(err).not.toContain('revoked')
      const again = await svc(['uploads', 'list', '--json'])
      expect(again.lines().filter(({ state }) => state === 'refused')).toHaveLength(1)
    },
  )

  it('stops with 4 when all of the first ten transcripts are refused, and says who refuses them', async () => {
    const { svc, refusals } = behindFirewall(/./, page)
    const files = { 'chats.json': chats(many(50, 'chat')) }
    const { code, err, lines } = await svc(['upload', 'chats.json', '--json', '-j', '1'], { files })
    expect([code, refusals()]).toEqual([4, 10])
    expect(lines().at(-1)).toMatchObject({ uploaded: 0, failed: 10, not_sent: 40 })
    expect(err).toContain(
      'The first 10 requests were refused: transcripts.upload: 403 permission: Request blocked (POST',
    )
    expect(err).not.toContain('revoked')
  })

  it('goes on after more than ten refusals where another transcript was stored', async () => {
    const { svc, refusals, stored } = behindFirewall(/UNION SELECT/, page)
    const files = { 'chats.json': chats(['a', ...many(15, 'UNION SELECT'), 'b']) }
    const { code } = await svc(['upload', 'chats.json', '-j', '1'], { files })
    expect([code, refusals(), stored()]).toEqual([8, 15, 2])
  })

  it('stops at once with 4 when the service itself answers 403', async () => {
    const declared = { error: { message: 'The key is revoked.', type: 'authorization_error', code: 403 } }
    const { svc, refusals } = behindFirewall(/./, () => Response.json(declared, { status: 403 }))
    const { code, err } = await svc(['upload', 'chats.json', '-j', '1'], { files: { 'chats.json': chats(['a', 'b']) } })
    expect([code, refusals()]).toEqual([4, 1])
    expect(err).toContain('hint: the key is valid but may not do this')
  })

  it('stops at once with 4 at a page that asks to sign in, and does not blame the key', async () => {
    const { svc, refusals } = behindFirewall(/./, () => new Response('<title>Sign in</title>', { status: 401 }))
    const { code, err } = await svc(['upload', 'chats.json', '-j', '1'], { files: { 'chats.json': chats(['a', 'b']) } })
    expect([code, refusals()]).toEqual([4, 1])
    expect(err).toContain('401 authentication: Sign in')
    expect(err).toContain(`hint: svc.test ${gatewayHint}: a firewall, proxy or gateway may ask to sign in`)
  })

  it('shows no control characters of the page', async () => {
    const { svc } = behindFirewall(/./, () => page('\u001b[2Jgone\u0007'))
    const { err } = await svc(['upload', 'chat.json'], { files: { 'chat.json': chats(['a']) } })
    expect(err).toContain('\\x1b[2Jgone')
  })
})

describe('svc check behind a firewall', () => {
  /** A shell whose firewall refuses the annotation of each conversation that matches. */
  function guarded(matches: RegExp, answer: () => Response) {
    const shell = scriptedShell()
    let refused = 0
    const fetch = async (request: Request) => {
      const isAsked = request.url.endsWith('/v1/annotations')
      if (!isAsked || !matches.test(await request.clone().text())) return shell.fetch(request)
      refused++
      return answer()
    }
    const check = (words: string[], flags: string[] = []) => shell.check(words, flags, { io: { fetch } })
    return { ...shell, check, fetch, refusals: () => refused }
  }

  it.each(forms)(
    'svc check does not judge a transcript that a firewall answers 403 with %s, and judges the others',
    async (_, answer, said) => {
      const { check } = guarded(/UNION/, () => answer(403))
      const { code, json, err } = await check(['strong', 'UNION', 'mixed', 'strong b'], ['--json', '-j', '1'])
      expect([code, json()]).toMatchObject([101, { judged: 3, total: 4 }])
      expect((json().cases as { gap: object | null }[])[1]?.gap).toMatchObject({
        why: 'not annotated',
        detail: expect.stringContaining(said),
        temporary: false,
      })
      expect(err).toContain(`hint: svc.test ${gatewayHint}`)
      expect(err).not.toContain('revoked')
    },
  )

  it('lets a finding decide beside a transcript that was refused', async () => {
    expect((await guarded(/UNION/, page).check(['poor', 'UNION'])).code).toBe(100)
  })

  it('stops with 4 when all of the first ten requests are refused', async () => {
    const { check, refusals } = guarded(/./, page)
    const { code, err } = await check(many(50, 'strong'), ['-j', '1', '--no-cache'])
    expect([code, refusals()]).toEqual([4, 10])
    expect(err).toContain('The first 10 requests were refused: annotations.create: 403 permission: Request blocked')
  })

  it('stops at once with 4 when the service itself refuses the key', async () => {
    const revoked = { error: 'forbidden', detail: 'The key is revoked.' }
    const { check, refusals } = guarded(/./, () => Response.json(revoked, { status: 403 }))
    expect([(await check(['strong', 'mixed'], ['-j', '1'])).code, refusals()]).toEqual([4, 1])
  })

  it('svc annotate goes on after a transcript that a firewall refuses', async () => {
    const { svc, fetch } = guarded(/UNION/, page)
    const files = Object.fromEntries(
      ['strong', 'UNION', 'mixed'].map((each, at) => [`c/${at}.json`, conversation(each)]),
    )
    const { code, out, err } = await svc(['annotate', 'c', '--annotator', 'structural', '-j', '1'], {
      files,
      io: { fetch },
    })
    expect([code, out.trim().split('\n').length]).toEqual([8, 2])
    expect(err).toContain('2 transcripts annotated, 1 failed')
  })
})

describe('a key behind a gateway', () => {
  const refusing = (request: Request) => /batches|projects/.test(request.url)
  const shell = () => {
    const session = createSession()
    return createShell({ ...session, fetch: async (request) => (refusing(request) ? page() : session.fetch(request)) })
  }

  it('is not called revoked or accepted by svc auth login and svc doctor', async () => {
    const login = await shell().svc(['auth', 'login', '--with-key'], {
      stdin: 'sk-service-api03-some-key-0001',
      env: { SVC_CONFIG: 'settings.json', SVC_API_KEY: undefined },
    })
    expect([login.code, login.err]).toEqual([6, expect.stringContaining('403 permission: Request blocked (GET')])
    const doctor = await shell().svc(['doctor'])
    expect(doctor.out + doctor.err).toContain(gatewayHint)
    for (const { out, err } of [login, doctor]) expect(out + err).not.toMatch(/revoked|may not read/)
  })

  it('is not blamed by svc api', async () => {
    const { code, err } = await shell().svc(['api', 'GET', '/projects'])
    expect([code, err]).toEqual([4, expect.stringContaining(`hint: the host ${gatewayHint}`)])
  })

  it('is not blamed by a command with one request, which ends with 4', async () => {
    const { code, err } = await shell().svc(['projects', 'list'])
    expect([code, err]).toEqual([4, expect.stringContaining(`hint: svc.test ${gatewayHint}`)])
  })
})

describe('the hint of an answer', () => {
  const refusal = (body: object, status = 400) => behindFirewall(/./, () => Response.json(body, { status }))
  const hint = '; if it refuses the stamp in metadata.svc, upload with --no-stamp\n'

  it.each([
    ['metadata.svc', { error: { message: 'metadata.svc is not allowed', type: 'invalid_request_error' } }, 400],
    ['the field metadata', { errors: [{ field: 'metadata', message: 'unknown field' }] }, 422],
    ['the property svc', { message: ['property svc should not exist'], statusCode: 400 }, 400],
  ])('the hint after a refusal of %s names --no-stamp, once for all transcripts', async (_, body, status) => {
    const { svc } = refusal(body, status)
    const files = { 'chats.json': chats(['a', 'b', 'c']) }
    const stamped = await svc(['upload', 'chats.json', '--json'], { files })
    expect([stamped.code, stamped.err.split(hint)]).toEqual([8, [expect.anything(), expect.anything()]])
    expect(stamped.lines()[0]).toMatchObject({ error: { kind: 'invalid_request', status, exit: 6 } })
    expect(stamped.err).not.toContain('stamp: false')
    const plain = await svc(['upload', 'chats.json', '--no-stamp'])
    expect([plain.code, plain.err]).toEqual([8, expect.not.stringContaining('stamp')])
  })

  it('of another refused field does not name the stamp', async () => {
    const { svc } = refusal({ error: { message: 'name: see https://svc.test/docs', type: 'invalid_request_error' } })
    const { code, err } = await svc(['upload', 'chat.json'], { files: { 'chat.json': chats(['a']) } })
    expect([code, err]).toEqual([6, expect.not.stringContaining('stamp')])
  })

  it.each([
    [{ error: 'blocked by rule 7' }, 'blocked by rule 7'],
    [{ errors: ['no', { message: 'none' }] }, 'no; none'],
    [{ message: ['name is empty'] }, 'name is empty'],
    [{ fault: { faultstring: 'Spike arrest' } }, 'Spike arrest'],
  ])('%j of a gateway is shown with its reason', async (body, reason) => {
    const { svc } = refusal(body)
    const { err } = await svc(['upload', 'chat.json'], { files: { 'chat.json': chats(['a']) } })
    expect(err).toContain(`400 invalid_request: ${reason} (POST`)
  })

  it('of a redirect says where it points, without its query', async () => {
    const fetch = async () => Response.redirect('https://login.example/start?token=t', 302)
    const { code, err } = await createShell({ ...createSession(), fetch }).svc(['projects', 'list'])
    expect([code, err]).toEqual([
      6,
      expect.stringContaining('not followed to https://login.example/start; correct the base URL'),
    ])
    expect(err).not.toContain('token')
  })

  it.each([401, 403])('of a %i of /health says that no key was sent', async (status) => {
    const fetch = async () => Response.json({ error: 'unauthorized', detail: 'Give a key.' }, { status })
    const { code, err } = await createShell({ ...createSession(), fetch }).svc(['health'])
    expect([code, err]).toEqual([4, expect.stringContaining('hint: svc sends no key to /health, which needs none')])
    if (status === 401) expect(err).toContain('Give a key. (no key was sent)')
  })
})
