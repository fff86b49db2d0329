import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession, type RequestHandler } from '../../helpers/session.js'

describe('svc api', () => {
  it('sends one request with the key of its surface, and prints the response', async () => {
    const { svc, server } = createShell()
    const { code, json } = await svc(['api', 'get', '/projects', '-F', 'limit=1'])
    expect(code).toBe(0)
    expect(json()).toMatchObject({ data: [{ name: 'Test project' }], pagination: { limit: 1 } })
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    [['/health'], '/health'],
    [['health'], '/health'],
    [['/v1/annotators'], '/v1/annotators'],
    [['/openapi.json'], '/openapi.json'],
    [['/docs'], '/docs'],
    [['/healthy'], '/public/api/v1/healthy'],
    [['/projects?page=2', '-f', 'q=a b'], '/public/api/v1/projects?page=2&q=a+b'],
    [['/health', '--surface', 'workspace'], '/public/api/v1/health'],
    [['/projects', '--surface', 'annotation'], '/projects'],
  ])('sends %j to the surface that it is of', async (argv, expected) => {
    const session = createSession()
    const { svc } = createShell({ ...session, fetch: async ({ url }) => Response.json({ url }) })
    const { origin } = new URL(session.server.baseUrl)
    expect((await svc(['api', 'GET', ...argv])).json()).toEqual({ url: `${origin}${expected}` })
  })

  it('makes a JSON body of fields: texts of -f, values of -F', async () => {
    const { svc } = createShell()
    const created = await svc(['api', 'POST', '/projects', '-f', 'name=7', '-F', 'domain=ai_coding'])
    expect(created.code).toBe(0)
    expect(created.json()).toMatchObject({ data: { name: '7' } })
    const refused = await svc(['api', 'POST', '/projects', '-F', 'name=7'])
    expect(refused.code).toBe(6)
    expect(refused.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  })

  it('takes a body from a file and from standard input, and puts fields into the query then', async () => {
    const { svc, server } = createShell()
    const body = { name: 'From a file' }
    const fromFile = await svc(['api', 'POST', '/projects', '--input', 'p.json', '-f', 'x=1'], {
      files: { 'p.json': body },
    })
    expect(fromFile.json()).toMatchObject({ data: body })
    const fromStdin = await svc(['api', 'POST', '/projects', '--input', '-'], { stdin: JSON.stringify(body) })
    expect(fromStdin.json()).toMatchObject({ data: body })
    expect(JSON.stringify(server.requests[0])).toContain('x=1')
    expect((await svc(['api', 'POST', '/projects', '--input', 'none.json'])).code).toBe(3)
  })

  it('prints the body of a refusal once, explains it on stderr, and exits like every command', async () => {
    const { svc } = createShell()
    const { code, json, err } = await svc(['api', 'GET', '/projects', '--json'], {
      env: { SVC_API_KEY: 'sk-service-api03-wrong' },
    })
    expect(code).toBe(4)
    expect(json()).toMatchObject({ error: { type: 'authentication_error' } })
    expect(err).toMatch(/^svc: GET \/projects: 401 authentication\.\nhint: check the key: /)
  })

  it('shows status and headers where asked', async () => {
    const { out } = await createShell().svc(['api', 'GET', '/health', '--include'])
    const [head = '', body = ''] = out.split('\n\n')
    expect(head).toMatch(/^HTTP 200\n(.+\n)*content-type: application\/json/)
    expect(JSON.parse(body)).toMatchObject({ status: 'ok' })
  })

  it('prints every item of a list as one array', async () => {
    const { svc, server } = createShell()
    for (let i = 0; i < 7; i++) server.world.createProject({ name: `P${i}` })
    const { code, out } = await svc(['api', 'GET', '/projects?limit=3', '--paginate'])
    expect(code).toBe(0)
    expect((JSON.parse(out) as { name: string }[]).map(({ name }) => name).sort()).toEqual([
      'P0',
      'P1',
      'P2',
      'P3',
      'P4',
      'P5',
      'P6',
      'Test project',
    ])
    expect((await svc(['api', 'GET', '/v1/annotators', '--paginate'])).code).toBe(6)
    expect((await svc(['api', 'GET', '/projects/hp-none/transcripts', '--paginate'])).code).toBe(5)
    expect((await svc(['api', 'POST', '/projects', '--paginate'])).code).toBe(2)
  })

  it('--paginate prints the items of a list that the service does not give whole, and exits 6', async () => {
    const { svc, server } = createShell()
    const fetch: RequestHandler = async (request) => {
      const answer = (await (await server.fetch(request)).json()) as { pagination: { total: number } }
      answer.pagination.total += 5
      return Response.json(answer)
    }
    const { code, out, err } = await svc(['api', 'GET', '/projects', '--paginate'], { io: { fetch } })
    expect([code, JSON.parse(out)]).toEqual([6, [expect.objectContaining({ name: 'Test project' })]])
    expect(err).toContain('the list is incomplete: got 1 of 6 items')
  })

  it.each([
    [['api', 'FETCH', '/projects'], /Unknown method FETCH/],
    [['api', 'GET', 'https://elsewhere.example/projects'], /Expected a path, not a full URL/],
    [['api', 'GET', '//elsewhere.example/projects'], /Expected a path, not a full URL/],
    [['api', 'GET', '/../../v1/annotators'], /is not a valid path/],
    [['api', 'GET', '/x/%2e%2E/y'], /is not a valid path/],
    [['api', 'GET', '/projects', '-f', 'name'], /Expected key=value/],
    [['api', 'GET', '/projects', '-H', 'Authorization: Bearer x'], /set the key with `svc auth login`/],
    [['api', 'GET', '/projects', '-H', 'host: x'], /cannot set host: svc sets it/],
    [['api', 'GET', '/projects', '-H', 'x: a\nb'], /--header x: the value has a line end/],
    [['api', 'GET', '/projects', '-H', 'x: 😀'], /--header x: the value has a line end or another character/],
    [['api', 'GET', '/projects', '-i', '--json'], /--include prints headers, which are not JSON/],
    [['api', 'GET', '/projects', '--include', '--fields', 'data'], /--include prints headers/],
    [['api', 'GET', '/projects?page=2', '--paginate'], /--paginate fetches every page and cannot/],
    [['api', 'GET', '/projects', '--paginate', '-F', 'page=2'], /--paginate fetches every page/],
  ])('%j is a usage error, and nothing is sent', async (argv, reported) => {
    const { svc, server } = createShell()
    const { code, err } = await svc(argv)
    expect(code).toBe(2)
    expect(err).toMatch(reported)
    expect(server.requests).toEqual([])
  })

  const answering = (answer: () => Response | Promise<Response>) => {
    const session = createSession()
    return createShell({ ...session, fetch: async () => answer() })
  }

  it.each([
    ['GET', 6],
    ['POST', 10],
  ])('reads no more than 64 MiB of an answer to a %s', async (method, exit) => {
    const block = new Uint8Array(2 ** 20).fill(0x20)
    let given = 0
    const pull = (stream: ReadableStreamDefaultController) => {
      if (given++ < 100) stream.enqueue(block)
      else stream.close()
    }
    const fetch = async () => new Response(new ReadableStream({ pull }))
    const { code, out, err } = await createShell({ ...createSession(), fetch }).svc(['api', method, '/projects'])
    expect([code, out.length]).toEqual([exit, 0])
    expect(err).toContain(`the answer exceeds maxResponseBytes (${method} `)
    expect(given).toBeLessThan(70)
  })

  const deep = `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`

  it.each([
    ['a success', 200, 6, ''],
    ['a refusal', 404, 5, deep],
  ])('reports %s that is nested too deep to be printed', async (_, status, exit, printed) => {
    for (const argv of [
      ['GET', '/x'],
      ['GET', '/x', '--paginate'],
      ['POST', '/x', '-f', 'a=b'],
    ]) {
      const { svc } = answering(() => new Response(deep, { status }))
      const { code, out, err } = await svc(['api', ...argv])
      expect([code, out]).toEqual([exit, printed])
      expect(err).toContain(`${argv[0]} /x: ${status}`)
      expect(err).not.toContain('bug')
    }
  })

  it('reports a deeply nested answer of every other command that reads as unexpected', async () => {
    const { svc } = answering(() => new Response(deep))
    const reads = [
      'health',
      'annotators list',
      'projects list',
      'transcripts list',
      'transcripts get t',
      'projects get hp-1',
    ]
    for (const command of reads) {
      const { code, err } = await svc([...command.split(' '), '--json'])
      expect([command, code]).toEqual([command, 6])
      expect(err).toContain('the answer is not the declared JSON')
    }
  })

  it('sends a value as it was typed, with every digit of its numbers', async () => {
    const bodies: string[] = []
    const { svc } = createShell({
      ...createSession(),
      fetch: async (request) => {
        bodies.push(await request.text())
        return Response.json({})
      },
    })
    const fields = ['a=1e400', 'b=12345678901234567890', 'c=[1, 2]', 'd=text', 'a={"x":1e400}']
    await svc(['api', 'POST', '/x', ...fields.flatMap((each) => ['-F', each]), '-f', 'e=1'])
    expect(bodies).toEqual(['{"e":"1","a":{"x":1e400},"b":12345678901234567890,"c":[1, 2],"d":"text"}'])
  })

  it('follows no redirect', async () => {
    const { svc } = answering(
      () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
    )
    const { code, err } = await svc(['api', 'GET', '/projects'])
    expect(code).toBe(6)
    expect(err).toContain('redirects are not followed')
  })

  it('reports that a write without a response may be stored, and that a read can be retried', async () => {
    const { svc } = answering(() => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNRESET' })))
    expect((await svc(['api', 'GET', '/projects'])).code).toBe(75)
    expect((await svc(['api', 'POST', '/v1/annotations', '-f', 'annotator=x'])).code).toBe(75)
    const { code, err } = await svc(['api', 'POST', '/projects', '-f', 'name=x'])
    expect(code).toBe(10)
    expect(err).toContain('it may be stored: the connection broke while waiting (ECONNRESET) (POST ')
  })

  it('reports a write that was never sent as not stored, and an untrusted certificate', async () => {
    const refused = answering(() => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })))
    expect((await refused.svc(['api', 'POST', '/projects', '-f', 'name=x'])).code).toBe(75)
    const untrusted = answering(() =>
      Promise.reject(Object.assign(new Error('x'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })),
    )
    expect((await untrusted.svc(['api', 'POST', '/projects', '-f', 'name=x'])).code).toBe(3)
  })

  it('reports that a write may be stored after a server error', async () => {
    const { svc } = answering(() => Response.json({ error: { message: 'x' } }, { status: 502 }))
    const { code, json } = await svc(['api', 'POST', '/projects', '-f', 'name=x'])
    expect(code).toBe(10)
    expect(json()).toEqual({ error: { message: 'x' } })
  })

  it('prints nothing that moves a cursor, and not the key', async () => {
    const { svc } = answering(() => new Response(`page \u001b[2J\u202e of ${referenceKey}\n\tend`))
    expect((await svc(['api', 'GET', '/docs'])).out).toBe('page \\x1b[2J\\x202e of …\n\tend')
  })
})
