import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession, type RequestHandler } from '../../helpers/session.js'

const conversation = (name: string, more: object = {}) => ({
  name,
  turns: [{ role: 'user', content: `words of ${name}` }],
  ...more,
})

describe('svc projects', () => {
  it('creates one and prints its bare id, for a shell variable to take', async () => {
    const { svc, server } = createShell()
    const { code, out, err } = await svc(['projects', 'create', '--name', 'Support', '--domain', 'ai_coding'])
    expect(code).toBe(0)
    expect(out).toMatch(/^hp-[0-9a-f-]{36}\n$/)
    expect(err).toBe('created project "Support"\n')
    expect(server.world.project(out.trim())?.domain).toBe('ai_coding')
  })

  it('lists them as TSV in a pipe and as a table on a terminal', async () => {
    const { svc, project } = createShell()
    const piped = await svc(['projects', 'list'])
    expect(piped.out).toBe(`${project}\tTest project\t0\t\n`)
    const { out } = await svc(['projects', 'list'], { tty: true })
    expect(out.split('\n')[0]).toMatch(/^ID +NAME +TRANSCRIPTS/)
    expect(out).toContain('Test project')
  })

  it('reports that a page is incomplete, and lists everything with --all', async () => {
    const { svc, server } = createShell()
    for (let i = 0; i < 149; i++) server.world.createProject({ name: `P${i}` })
    const page = await svc(['projects', 'list', '--limit', '2', '--page', '3', '--json'])
    expect(page.json()).toMatchObject({ pagination: { page: 3, limit: 2, total: 150 } })
    expect(page.err).toContain('2 of 150 items (page 3); --all shows the rest')
    const all = await svc(['projects', 'list', '--all', '--json'])
    expect(all.json().data).toHaveLength(150)
  })

  it.each([false, true])('--all prints the items of an incomplete list, and exits 75 or 6 (JSON: %s)', async (json) => {
    const { svc, server } = createShell()
    const add = (count: number) => {
      for (let i = 0; i < count; i++) server.world.createProject({ name: 'P' })
    }
    add(149)
    const list = async (fetch: RequestHandler) => {
      const { code, out, err, lines } = await svc(['projects', 'list', '--all', ...(json ? ['--json'] : [])], {
        io: { fetch },
      })
      const [{ data, error }] = json
        ? (lines() as [{ data: unknown[]; error: unknown }])
        : [{ data: out.trim().split('\n'), error: undefined }]
      return { code, items: data.length, err, error }
    }
    const short = await list(async (request) => {
      const answer = (await (await server.fetch(request)).json()) as { pagination: { total: number } }
      answer.pagination.total += 5
      return Response.json(answer)
    })
    expect(short).toMatchObject({
      code: 6,
      items: 150,
      err: expect.stringContaining('The list is incomplete: the service counts 155 projects and lists 150.'),
    })
    const moved = await list(async (request) => {
      if (!request.url.includes('page=1&')) add(100)
      return server.fetch(request)
    })
    expect(moved).toMatchObject({
      code: 75,
      items: 100,
      err: expect.stringContaining('projects moved from page to page while it was read'),
    })
    if (json) expect([short.error, moved.error]).toMatchObject([{ exit: 6 }, { exit: 75 }])
  })

  it('lists at most so many with --max-items, over pages of --limit', async () => {
    const { svc, server } = createShell()
    for (let i = 0; i < 149; i++) server.world.createProject({ name: `P${i}` })
    const all = (await svc(['projects', 'list', '--all', '--quiet'])).out.split('\n').filter(Boolean)
    const before = server.requests.length
    const some = await svc(['projects', 'list', '--max-items', '5', '--limit', '2', '--quiet'])
    expect([some.code, some.out.split('\n').filter(Boolean)]).toEqual([0, all.slice(0, 5)])
    expect(server.requests.slice(before).map(({ path }) => path)).toEqual(
      [1, 2, 3].map((page) => `/projects?page=${page}&limit=2`),
    )
    const most = await svc(['projects', 'list', '--all', '--max-items', '120', '--json'])
    expect(most.json().data).toHaveLength(120)
    expect((await svc(['projects', 'list', '--max-items', '5', '--page', '2'])).code).toBe(2)
    expect((await svc(['projects', 'list', '--max-items', '0'])).code).toBe(2)
  })

  it('shows one with every field, also those that the interface does not show', async () => {
    const id = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
    const seed = { projects: [{ id, name: 'P', extra: { executive_summary: { score: 7 } } }] }
    const { svc } = createShell(createSession({ seed }))
    const { out } = await svc(['projects', 'get', id])
    expect(out).toContain('executive_summary\t{"score":7}')
    expect((await svc(['projects', 'get', id, '--json'])).json()).toMatchObject({ executive_summary: { score: 7 } })
  })

  it('lists one page or all, and reports a page past the last', async () => {
    const { svc } = createShell()
    expect((await svc(['projects', 'list', '--all', '--page', '2'])).code).toBe(2)
    const { out, err } = await svc(['projects', 'list', '--page', '9'])
    expect([out, err]).toEqual(['', 'page 9 is past the last of 1 item\n'])
  })

  it('never cuts an id to fit a terminal', async () => {
    const { svc, project, server } = createShell()
    server.world.createProject({ name: 'n'.repeat(300) })
    const { out } = await svc(['projects', 'list'], { tty: true })
    expect(out).toContain(`${project}  Test project`)
    expect(out).toContain('nnn…')
  })

  it('exits with the code of the service’s error', async () => {
    const { svc } = createShell()
    expect((await svc(['projects', 'get', 'hp-unknown'])).code).toBe(5)
    expect((await svc(['projects', 'get', '..'])).code).toBe(3)
    // The one violation is named once.
    const err = 'svc: projects.create: /name: expected 1 to 500 characters, got 0.\n'
    expect(await svc(['projects', 'create', '--name', ''])).toMatchObject({ code: 3, err })
    expect((await svc(['projects', 'create', '--name', 'x', '--domain', 'cooking'])).code).toBe(2)
    expect((await svc(['projects', 'list', '--limit', '101'])).code).toBe(2)
  })
})

describe('svc transcripts', () => {
  const files = {
    'a.json': conversation('A', { modelName: 'm-1', language: 'en', sourceTimestamp: '2026-01-01T00:00:00Z' }),
    'b.json': conversation('B', { sourceSystem: 'crm', sourceTimestamp: '2026-02-01T00:00:00Z' }),
  }

  it('lists those of a project that every filter lets through', async () => {
    const { svc } = createShell()
    await svc(['upload', 'a.json', 'b.json', '-j', '1'], { files })
    const names = async (...filters: string[]) => {
      const { json } = await svc(['transcripts', 'list', '--json', ...filters])
      return (json().data as { name: string }[]).map(({ name }) => name).sort()
    }
    expect(await names()).toEqual(['A', 'B'])
    expect(await names('--all')).toEqual(['A', 'B'])
    expect(await names('--q', 'of b')).toEqual(['B'])
    expect(await names('--model-name', 'm-1')).toEqual(['A'])
    expect(await names('--language', 'en')).toEqual(['A'])
    expect(await names('--source-system', 'crm')).toEqual(['B'])
    expect(await names('--annotation', 'key:value')).toEqual([])
    expect(await names('--from-date', '2026-01-15')).toEqual(['B'])
    expect(await names('--to-date', '2026-01-15')).toEqual(['A'])
    // A has the time at which the clock stands.
    expect([await names('--from-date', '1h'), await names('--to-date', '1h')]).toEqual([['A', 'B'], []])
    expect(await names('--max-items', '1')).toHaveLength(1)
    expect((await svc(['transcripts', 'list', '--annotation', 'nocolon'])).code).toBe(2)
    expect((await svc(['transcripts', 'list', '--from-date', 'soon'])).code).toBe(2)
  })

  it('lists by date with a note about those without a source_timestamp', async () => {
    const { svc } = createShell()
    await svc(['upload', 'a.json', 'b.json'], { files: { ...files, 'b.json': conversation('B') } })
    const { err } = await svc(['transcripts', 'list', '--from-date', '2025-01-01'])
    expect(err).toContain('note: 1 transcript has no source_timestamp, and date_from and date_to leave it out')
    expect((await svc(['transcripts', 'list'])).err).not.toContain('source_timestamp')
  })

  it('shows one with its turns, numbered as signals name them', async () => {
    const { svc } = createShell()
    const uploaded = await svc(['upload', 'a.json', '--json'], { files })
    const { id } = uploaded.json().transcript as { id: string }
    expect((await svc(['transcripts', 'get', id, '--json'])).json()).toMatchObject({ id, turns: files['a.json'].turns })
    const { out } = await svc(['transcripts', 'get', id])
    expect(out).toContain(`id\t${id}\n`)
    expect(out).toContain('turn\t1\tuser\twords of A\n')
    expect((await svc(['transcripts', 'get', 'tr_none'])).code).toBe(5)
  })

  it('lets nothing in a text reach the terminal as a command', async () => {
    const { svc } = createShell()
    const evil = conversation('\u001b[2Jname\u202e', {
      turns: [{ role: 'user', content: 'a\u001b]0;title\u0007b\nnext\tcell' }],
    })
    const uploaded = await svc(['upload', 'evil.json'], { files: { 'evil.json': evil } })
    expect(uploaded.out).toContain('\\x1b[2Jname\\x202e')
    const id = uploaded.out.split('\t')[0] ?? ''
    for (const tty of [true, false]) {
      const { out } = await svc(['transcripts', 'get', id], { tty, env: { NO_COLOR: '1' } })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect(out).not.toMatch(/[\u001b\u0007\u202e]/)
      expect(out).toContain('a\\x1b]0;title\\x07b next cell')
    }
    const { out, json } = await svc(['transcripts', 'get', id, '--json'])
    expect(out).not.toMatch(/[\u0080-\u009f\u202e]/)
    expect(json()).toMatchObject({ name: '\u001b[2Jname\u202e' })
  })
})

describe('fields that the interface does not show', () => {
  it('fields that the interface does not show have no power over a terminal by their names either', async () => {
    const id = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
    const { svc } = createShell(createSession({ seed: { projects: [{ id, name: 'P', extra: { 'k\u001b[2J': 1 } }] } }))
    for (const tty of [true, false]) {
      const { out } = await svc(['projects', 'get', id], { tty, env: { NO_COLOR: '1' } })
      expect(out).toContain('k\\x1b[2J')
      expect(out).not.toContain('\u001b')
    }
  })
})

describe('svc annotators list and svc health', () => {
  it('work without a key where the service lets them', async () => {
    const { svc } = createShell(createSession({ ambiguities: { annotatorsNeedKey: false } }))
    const env = { SVC_API_KEY: '' }
    expect((await svc(['annotators', 'list'], { env })).out).toMatch(/^structural\t\d/)
    expect((await svc(['annotators', 'list', '--json'], { env })).json()).toMatchObject({
      annotators: [{ id: 'structural' }, {}],
    })
    expect((await svc(['health'], { env })).out).toBe('status\tok\nsubstrate\tlambda\n')
    expect((await svc(['health', '--json'], { env })).json()).toEqual({
      schema: 'svc/health@1',
      status: 'ok',
      substrate: 'lambda',
    })
  })

  it('exit 75 if the service does not respond, with a hint', async () => {
    const session = createSession()
    const refused = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) })
    }
    const { svc, clock } = createShell({ ...session, fetch: refused })
    const { code, err } = await clock.until(svc(['health']))
    expect(code).toBe(75)
    expect(err).toBe(
      'svc: health: could not connect to https://svc.test (ECONNREFUSED) (GET https://svc.test/health)\n' +
        'hint: check SVC_BASE_URL and SVC_PUBLIC_BASE_URL, and whether the service is up\n',
    )
  })

  it('say where the service is to be looked for when that is not set, or not safe', async () => {
    const { svc } = createShell()
    const unset = await svc(['health'], { env: { SVC_BASE_URL: '' } })
    expect([unset.code, unset.err]).toEqual([3, expect.stringContaining('set SVC_BASE_URL')])
    const unsafe = await svc(['health'], { env: { SVC_BASE_URL: 'http://svc.test' } })
    expect([unsafe.code, unsafe.err]).toEqual([3, expect.stringContaining('plain http')])
  })
})
