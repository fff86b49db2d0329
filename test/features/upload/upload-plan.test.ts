import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs, variant } from '../../helpers/long.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const conversation = (content: string, more = {}) => ({
  name: content.slice(0, 20),
  turns: [{ role: 'user', content }],
  ...more,
})

describe('a plan', () => {
  it('skips invalid transcripts with --continue-on-invalid, and writes them to --rejects before anything is sent', async () => {
    const { svc, cwd } = createShell()
    const files = {
      'conversations.jsonl': `${JSON.stringify(conversation('a'))}\noops\n${JSON.stringify(conversation('b', { language: 'x'.repeat(11) }))}\n`,
    }
    const argv = ['upload', 'conversations.jsonl', '--json', '--continue-on-invalid', '--rejects', 'rejects.jsonl']
    const { code, lines, err } = await svc(argv, { files })
    expect([code, lines().at(-1)]).toMatchObject([8, { uploaded: 1, invalid: 2, failed: 0 }])
    expect(err).toMatch(
      /svc: 2 transcripts left out\.\n {2}conversations\.jsonl:2:1 .*\n {2}conversations\.jsonl:3:64 \/language/,
    )
    expect(readFileSync(join(cwd, 'rejects.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
    expect(statSync(join(cwd, 'rejects.jsonl')).mode & 0o777).toBe(0o600)
  })

  it('an empty transcript is a problem of its line in a folder, whatever the other lines are', async () => {
    const { svc } = createShell()
    const lines = [conversation('a'), { ...conversation('b'), turns: [] }]
    const files = { 'all/some.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') }
    const { code, err } = await svc(['upload', 'all'], { files })
    expect([code, err]).toEqual([3, expect.stringContaining('all/some.jsonl:2:1 expected at least one turn')])
  })

  it('a plan is refused for rejects that nothing fills, or that cannot be written', async () => {
    const { svc, server } = createShell()
    const files = { 'conversations.jsonl': `${JSON.stringify(conversation('a'))}\noops\n` }
    expect((await svc(['upload', 'conversations.jsonl', '--rejects', 'r'], { files })).code).toBe(2)
    const withRejects = ['upload', 'conversations.jsonl', '--continue-on-invalid', '--rejects']
    const dry = await svc([...withRejects, 'r', '--dry-run'])
    expect([dry.code, dry.err]).toEqual([2, expect.stringContaining('--rejects and --dry-run cannot be used together')])
    const argv = [...withRejects, 'no/such/folder']
    expect(await svc(argv)).toMatchObject({
      code: 3,
      err: expect.stringContaining('cannot write the rejects (ENOENT)'),
    })
    expect(server.requests).toHaveLength(0)
  })

  it('counts a record once, whatever is wrong with it, and leaves no rejects of an earlier run', async () => {
    const { svc, cwd } = createShell()
    const bad = {
      name: '',
      turns: [
        { role: 'bot', content: 'x' },
        { role: 'user', content: 7 },
      ],
    }
    const files = {
      'conversations.json': [
        conversation('a'),
        bad,
        conversation('b', { language: 'x'.repeat(11), modelName: 'x'.repeat(101) }),
      ],
    }
    const argv = ['upload', 'conversations.json', '--json', '--continue-on-invalid', '--rejects', 'rejects.jsonl']
    const rejects = () => readFileSync(join(cwd, 'rejects.jsonl'), 'utf8').split('\n').filter(Boolean)
    const first = await svc(argv, { files })
    expect(first.lines().at(-1)).toMatchObject({ uploaded: 1, invalid: 2 })
    expect(rejects().map((line) => JSON.parse(line))).toMatchObject([
      {
        path: 'conversations.json',
        record: 2,
        problems: [{ pointer: '/turns/0/role' }, { pointer: '/turns/1/content' }],
      },
      { path: 'conversations.json', record: 3, problems: [{}, {}], upload: { language: 'x'.repeat(11) } },
    ])
    const written = readFileSync(join(cwd, 'rejects.jsonl'), 'utf8')
    expect((await svc(argv, { files })).err).not.toContain('.before')
    const corrected = written.replaceAll('x'.repeat(11), 'en')
    const emptied = await svc(argv, {
      files: { 'conversations.json': [conversation('a')], 'rejects.jsonl': corrected },
    })
    expect(rejects()).toEqual([])
    expect(emptied.err).toContain('note: the rejects of an earlier run are kept in rejects.jsonl.before')
    expect(readFileSync(join(cwd, 'rejects.jsonl.before'), 'utf8')).toBe(corrected)
  })

  it('rejects have no content of a file that is refused as a whole, or whose bytes are no text', async () => {
    const { svc, cwd, server, project } = createShell()
    const rows = [1, 2, 3].map((n) => ({ q: `question ${n}?`, reply: `answer ${n}` }))
    mkdirSync(join(cwd, 'all'))
    writeFileSync(join(cwd, 'all', 'rows.json'), JSON.stringify(rows))
    writeFileSync(join(cwd, 'all', 'latin.json'), Buffer.from(JSON.stringify(conversation('caf\xe9')), 'latin1'))
    writeFileSync(join(cwd, 'all', 'good.json'), JSON.stringify(conversation('good')))
    const { code } = await svc(['upload', 'all', '--continue-on-invalid', '--rejects', 'rejects.jsonl'])
    const rejects = readFileSync(join(cwd, 'rejects.jsonl'), 'utf8').trim().split('\n')
    expect([code, rejects.length]).toEqual([8, 2])
    for (const reject of rejects) {
      expect(Object.keys(JSON.parse(reject))).not.toContainEqual(expect.stringMatching(/^(upload|value|text|rows)$/))
      const plain = await svc(['upload', 'one.jsonl'], { files: { 'one.jsonl': reject } })
      expect([plain.code, plain.err]).toEqual([3, expect.stringContaining('svc upload one.jsonl --retry-rejects')])
      const again = await svc(['upload', 'one.jsonl', '--retry-rejects'], { files: { 'one.jsonl': reject } })
      expect([again.code, again.err]).toEqual([
        3,
        expect.stringMatching(/hint: correct all\/\w+\.json itself, or map it/),
      ])
    }
    expect(server.world.transcripts(project)).toHaveLength(1)
  })

  it('refuses --retry-rejects beside the ledgers of some shards only, whose others would send them again', async () => {
    const { svc, server, project } = createShell()
    const files = { 'all.json': ['one', 'two', 'three', 'four'].map((content) => conversation(content)) }
    const line = (content: string) =>
      JSON.stringify({ schema: 'svc/reject@1', path: 'x', upload: conversation(content) })
    await svc(['upload', 'all.json', '--shard', '1/2'], { files: { ...files, 'rejects.jsonl': line('five') } })
    const stored = server.world.transcripts(project).length
    const refused = await svc(['upload', 'rejects.jsonl', '--retry-rejects'])
    expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/some of 2 shards only.*--shard 1\/2/s)])
    expect(server.world.transcripts(project)).toHaveLength(stored)
    await svc(['upload', 'all.json', '--shard', '2/2'])
    expect((await svc(['upload', 'rejects.jsonl', '--retry-rejects'])).code).toBe(0)
    expect(server.world.transcripts(project)).toHaveLength(5)
  })

  it('gives the hint for the content and the hint for the format, if both are wrong', async () => {
    const { svc } = createShell()
    const rows = [1, 2, 3].map((n) => ({ q: `question ${n}?`, reply: `answer ${n}` }))
    const files = { 'in/rows.json': rows, 'in/key.json': conversation(`AKIA${'QWERTYUIOPASDFGH'}`) }
    const { err } = await svc(['upload', 'in'], { files })
    expect(err).toMatch(/hint: --redact=all hides credentials.*; to read in\/rows\.json, check and add --map/)
  })

  it('uploads the corrected lines of --rejects with --retry-rejects, whatever their formats', async () => {
    const { svc, cwd } = createShell()
    const openai = { messages: [{ role: 'user', content: 5 }], model: 'm' }
    const files = {
      'a.jsonl': `${JSON.stringify(conversation('a'))}\n{"name": "cut"\n${JSON.stringify(conversation('b', { language: 'x'.repeat(11) }))}\n`,
      'b.json': openai,
    }
    const rejecting = ['upload', 'a.jsonl', 'b.json', '--continue-on-invalid', '--rejects', 'rejects.jsonl']
    expect((await svc(rejecting, { files })).code).toBe(8)
    const rejects = readFileSync(join(cwd, 'rejects.jsonl'), 'utf8').trim().split('\n')
    expect(rejects.map((line) => JSON.parse(line))).toMatchObject([
      { path: 'a.jsonl', record: 2, text: '{"name": "cut"' },
      { path: 'b.json', value: openai },
      { path: 'a.jsonl', record: 3, upload: { name: 'b', language: 'x'.repeat(11) } },
    ])
    const retry = ['upload', 'rejects.jsonl', '--retry-rejects', '--json']
    expect(await svc(retry)).toMatchObject({ code: 3 })
    const corrected = rejects.map((line) => {
      const { text, value, upload, ...reject } = JSON.parse(line)
      if (text) return { ...reject, text: JSON.stringify(conversation('c')) }
      if (value) return { ...reject, value: { ...value, messages: [{ role: 'user', content: 'five' }] } }
      return { ...reject, upload: { ...upload, language: 'en' } }
    })
    writeFileSync(join(cwd, 'rejects.jsonl'), `${corrected.map((each) => JSON.stringify(each)).join('\n')}\n`)
    const { code, lines } = await svc(retry)
    expect([code, lines().at(-1)]).toMatchObject([0, { uploaded: 3, invalid: 0 }])
    expect((await svc(retry)).lines().at(-1)).toMatchObject({ uploaded: 0, already_uploaded: 3 })
  })

  it.each([
    ['{"name":"a"}', 'rejects.jsonl line 1 is not a line of --rejects; nothing was sent.'],
    ['{"schema":"svc/reject@1","path":"a"}', 'rejects.jsonl line 1 has no upload, value, text or rows to send'],
    ['oops', 'rejects.jsonl line 1 is not a line of --rejects'],
  ])('refuses %j for --retry-rejects', async (line, message) => {
    const { svc, server } = createShell()
    const { code, err } = await svc(['upload', 'rejects.jsonl', '--retry-rejects'], {
      files: { 'rejects.jsonl': line },
    })
    expect([code, err, server.requests.length]).toEqual([3, expect.stringContaining(message), 0])
  })

  it('names every broken limit at the line of its field, and the flag that splits what is too large', async () => {
    const { svc } = createShell()
    const turns = Array.from({ length: 1_001 }, (_, at) => ({
      role: 'user',
      content: at === 0 ? 'x'.repeat(1_100_000) : 'y',
    }))
    const text = `{\n "modelName": "${'m'.repeat(101)}",\n "language": "too long to be one",\n "turns": ${JSON.stringify(turns)}\n}`
    const { code, err } = await svc(['upload', 'a.json'], { files: { 'a.json': text } })
    expect(code).toBe(3)
    expect(err).toMatch(
      /a\.json:2:\d+ \/modelName .*\n.*a\.json:3:\d+ \/language .*\n.*a\.json:4:11 \/turns .*\n.*a\.json:4:\d+ \/turns\/0\/content/,
    )
    expect(err).toContain('hint: --split splits what is too large\n')
  })

  it('prints JSON lines for a folder, even with one file, and a document for a named file', async () => {
    const { svc } = createShell()
    const files = { 'conversations/a.json': conversation('a'), 'b.json': conversation('b') }
    expect((await svc(['upload', 'conversations', '--json'], { files })).lines().map(({ schema }) => schema)).toEqual([
      'svc/upload@1',
      'svc/upload-summary@1',
    ])
    expect((await svc(['upload', 'b.json', '--json'])).json()).toMatchObject({ schema: 'svc/upload@1' })
  })

  it('counts the files that it skips in directories', async () => {
    const { svc, cwd } = createShell()
    mkdirSync(join(cwd, 'conversations/.git'), { recursive: true })
    writeFileSync(join(cwd, 'conversations/.hidden.json'), '{}')
    symlinkSync(join(cwd, 'nowhere.json'), join(cwd, 'conversations/gone.json'))
    const { err } = await svc(['upload', 'conversations', '-n'], {
      files: { 'conversations/a.json': conversation('a') },
    })
    expect(err).toContain('note: 2 hidden skipped: conversations/.git, conversations/.hidden.json\n')
    expect(err).toContain('note: 1 broken link skipped: conversations/gone.json\n')
  })

  it('refuses a credential with its place, and never with its value', async () => {
    const { svc, server } = createShell()
    const secret = `AKIA${'ABCDEFGH23456723'}`
    const files = {
      'conversations/a.json': conversation('fine'),
      'conversations/b.json': conversation(`my key is ${secret} there`),
    }
    const { code, err, out } = await svc(['upload', 'conversations'], { files })
    expect([code, server.requests.length]).toEqual([3, 0])
    expect(err).toMatch(/conversations\/b\.json:1:\d+ \/turns\/0\/content looks like a credential: aws-access-key-id/)
    expect(err).toContain('--allow-secrets')
    expect(err + out).not.toContain(secret)
    expect((await svc(['upload', 'conversations', '--allow-secrets'])).code).toBe(0)
  })

  it('hides personal data on request, and prints how much', async () => {
    const { svc, server, project } = createShell()
    const files = { 'a.json': conversation('write to ada@example.com and bob@example.com') }
    const { code, err } = await svc(['upload', 'a.json', '--redact=emails'], { files })
    expect([code, err]).toEqual([0, expect.stringContaining('redacted: 2 email')])
    expect(server.world.transcripts(project)[0]?.turns[0]?.content).toBe('write to [email-1] and [email-2]')
  })

  variant('sends more than the buffer holds exactly as it was checked', async () => {
    const { svc, server, project } = createShell()
    const big = (n: number) => JSON.stringify(conversation(`${n} ${'x'.repeat(900_000)}`))
    const lines = Array.from({ length: 45 }, (_, n) => big(n))
    const { code, err } = await svc(['upload', 'conversations.jsonl', '-j', '8'], {
      files: { 'conversations.jsonl': lines.join('\n') },
    })
    expect([code, err]).toEqual([0, `45 transcripts uploaded to ${project}\n`])
    const numbers = server.world.transcripts(project).map(({ record }) => Number.parseInt(record.name, 10))
    expect(numbers.sort((a, b) => a - b)).toEqual(lines.map((_, n) => n))
  })

  it('does not send a transcript that changed after the check, and reports it', async () => {
    const session = createSession()
    let change = () => {}
    const changing = async (request: Request) => {
      change()
      return session.fetch(request)
    }
    const { svc, cwd, server, project } = createShell({ ...session, fetch: changing })
    const big = (n: number) => conversation(`${n} ${'x'.repeat(900_000)}`)
    const files = Object.fromEntries(
      Array.from({ length: 45 }, (_, n) => [`conversations/${String(n).padStart(2, '0')}.json`, big(n)]),
    )
    change = () => {
      writeFileSync(join(cwd, 'conversations/43.json'), JSON.stringify(big(99)))
      writeFileSync(join(cwd, 'conversations/44.json'), 'oops')
    }
    const { code, err } = await svc(['upload', 'conversations', '-j', '2'], { files })
    expect(code).toBe(8)
    expect(err).toContain('conversations/43.json: it changed after it was checked')
    expect(err).toContain('conversations/44.json: it changed after it was checked')
    expect(server.world.transcripts(project)).toHaveLength(43)
  })
})

describe('a shard', () => {
  it('sends its part of the work, and all of them together send all of it once', async () => {
    const { svc, server, project } = createShell()
    const files = { 'conversations.json': Array.from({ length: 60 }, (_, n) => conversation(`conversation ${n % 50}`)) }
    const sent: number[] = []
    for (const shard of ['1/4', '2/4', '3/4', '4/4']) {
      const { code, lines } = await svc(['upload', 'conversations.json', '--shard', shard, '--json'], { files })
      const { uploaded, other_shards } = lines().at(-1) as Record<string, number>
      expect([code, (uploaded ?? 0) + (other_shards ?? 0)]).toEqual([0, 60])
      sent.push(uploaded ?? 0)
    }
    expect(Math.min(...sent)).toBeGreaterThan(0)
    expect(server.world.transcripts(project)).toHaveLength(60)
    expect((await svc(['upload', 'conversations.json', '--json'])).lines().at(-1)).toMatchObject({
      already_uploaded: 60,
    })
  })

  const rows = (...of: string[]) =>
    of.flatMap((id) => [
      { conversation_id: id, role: 'user', content: `Where is order ${id}?` },
      { conversation_id: id, role: 'assistant', content: `Order ${id} is on its way.` },
    ])
  const cells = ({ conversation_id, role, content }: ReturnType<typeof rows>[number]) =>
    `${conversation_id},${role},${content}\n`
  /** Ways in which one record, or all records of a file, hold several conversations. */
  const layouts: Record<string, (ids: string[]) => string> = {
    'rows.jsonl': (ids) =>
      rows(...ids)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    'rows.csv': (ids) =>
      `conversation_id,role,content\n${rows(...ids)
        .map(cells)
        .join('')}`,
    'lists.json': (ids) => JSON.stringify({ conversations: ids.map((id) => ({ id, messages: rows(id) })) }),
  }

  it('sends each conversation of a record that several shards of one ledger share', async () => {
    const files = fc.uniqueArray(fc.constantFrom(...Object.keys(layouts)), { minLength: 1 })
    const given = fc.record({ files, of: fc.integer({ min: 2, max: 4 }), count: fc.integer({ min: 1, max: 12 }) })
    await fc.assert(
      fc.asyncProperty(given, fc.boolean(), async ({ files, of, count }, hasCopy) => {
        const { svc, server, project, cwd } = createShell()
        mkdirSync(join(cwd, 'all'))
        const put = (name: string, prefix: string) =>
          writeFileSync(
            join(cwd, 'all', `${prefix}${name}`),
            layouts[name]?.(Array.from({ length: count }, (_, n) => `${name}-${n}`)) ?? '',
          )
        for (const name of files) put(name, '')
        if (hasCopy) for (const name of files) put(name, 'z-copy-of-')
        const argv = ['upload', 'all', '--ledger', 'shared', '--json']
        const wanted = files.length * count * (hasCopy ? 2 : 1)
        for (const index of Array.from({ length: of }, (_, at) => at + 1)) {
          const { code, lines } = await svc([...argv, '--shard', `${index}/${of}`])
          const { uploaded, other_shards } = lines().at(-1) as Record<string, number>
          expect([code, (uploaded ?? 0) + (other_shards ?? 0)]).toEqual([0, wanted])
        }
        const stored = server.world.transcripts(project).map(({ turns }) => JSON.stringify(turns))
        expect([stored.length, new Set(stored).size]).toEqual([wanted, files.length * count])
        const again = (await svc(argv)).lines().at(-1)
        expect(again).toMatchObject({ already_uploaded: wanted, from_same_record: 0 })
      }),
      { numRuns: runs(10) },
    )
  })

  it('gives no two transcripts one name, though each is alone in its shard', async () => {
    const { svc } = createShell()
    const files = { 'a.json': conversation('a'), 'b.json': conversation('b') }
    for (const shard of ['1/2', '2/2']) {
      expect((await svc(['upload', 'a.json', 'b.json', '--name', 'X', '--shard', shard, '-n'], { files })).code).toBe(2)
    }
  })

  it('a shard is that of a Kubernetes indexed Job where no flag names one', async () => {
    const { svc } = createShell()
    const files = { 'conversations.json': Array.from({ length: 20 }, (_, n) => conversation(`conversation ${n}`)) }
    const env = { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: '4' }
    const { err } = await svc(['upload', 'conversations.json', '-n'], { files, env })
    expect(err).toContain('by shard 3/4')
    expect((await svc(['upload', 'conversations.json', '-n', '--shard', '1/2'], { env })).err).toContain('by shard 1/2')
    expect(
      (await svc(['upload', 'conversations.json', '-n'], { env: { ...env, JOB_COMPLETION_INDEX: '4' } })).code,
    ).toBe(3)
    const alone = { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: undefined }
    expect((await svc(['upload', 'conversations.json', '-n'], { env: alone })).err).toContain('JOB_COMPLETIONS is not')
    expect((await svc(['upload', 'conversations.json', '-n', '--shard', '1/1'], { env: alone })).code).toBe(0)
    expect((await svc(['upload', 'conversations.json', '-n', '--shard', '5/4'])).code).toBe(2)
  })
})
