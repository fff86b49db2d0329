import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../run-cli.js'
import { createSession } from '../session.js'

const talk = (content: string, more = {}) => ({
  name: content.slice(0, 20),
  turns: [{ role: 'user', content }],
  ...more,
})

describe('a plan', () => {
  it('skips invalid transcripts with --continue-on-invalid, and writes them to --rejects before anything is sent', async () => {
    const { svc, cwd } = createShell()
    const files = {
      'talks.jsonl': `${JSON.stringify(talk('a'))}\noops\n${JSON.stringify(talk('b', { language: 'x'.repeat(11) }))}\n`,
    }
    const argv = ['upload', 'talks.jsonl', '--json', '--continue-on-invalid', '--rejects', 'rejects.jsonl']
    const { code, lines, err } = await svc(argv, { files })
    expect([code, lines().at(-1)]).toMatchObject([8, { uploaded: 1, invalid: 2, failed: 0 }])
    expect(err).toMatch(/svc: 2 transcripts left out\.\n {2}talks\.jsonl:2:1 .*\n {2}talks\.jsonl:3:1 \/language/)
    expect(readFileSync(join(cwd, 'rejects.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
    expect(statSync(join(cwd, 'rejects.jsonl')).mode & 0o777).toBe(0o600)
  })

  it('is refused for rejects that nothing fills, or that cannot be written', async () => {
    const { svc, server } = createShell()
    const files = { 'talks.jsonl': `${JSON.stringify(talk('a'))}\noops\n` }
    expect((await svc(['upload', 'talks.jsonl', '--rejects', 'r'], { files })).code).toBe(2)
    const argv = ['upload', 'talks.jsonl', '--continue-on-invalid', '--rejects', 'no/such/folder']
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
      'talks.json': [talk('a'), bad, talk('b', { language: 'x'.repeat(11), modelName: 'x'.repeat(101) })],
    }
    const argv = ['upload', 'talks.json', '--json', '--continue-on-invalid', '--rejects', 'rejects.jsonl']
    const rejects = () => readFileSync(join(cwd, 'rejects.jsonl'), 'utf8').split('\n').filter(Boolean)
    const first = await svc(argv, { files })
    expect(first.lines().at(-1)).toMatchObject({ uploaded: 1, invalid: 2 })
    expect(rejects().map((line) => JSON.parse(line))).toMatchObject([
      { path: 'talks.json', record: 2, problems: [{ pointer: '/turns/0/role' }, { pointer: '/turns/1/content' }] },
      { path: 'talks.json', record: 3, problems: [{}, {}], upload: { language: 'x'.repeat(11) } },
    ])
    await svc(argv, { files: { 'talks.json': [talk('a')] } })
    expect(rejects()).toEqual([])
  })

  it('prints JSON lines for a folder, even with one file, and a document for a named file', async () => {
    const { svc } = createShell()
    const files = { 'talks/a.json': talk('a'), 'b.json': talk('b') }
    expect((await svc(['upload', 'talks', '--json'], { files })).lines().map(({ schema }) => schema)).toEqual([
      'svc/upload@1',
      'svc/upload-summary@1',
    ])
    expect((await svc(['upload', 'b.json', '--json'])).json()).toMatchObject({ schema: 'svc/upload@1' })
  })

  it('counts the files that it skips in directories', async () => {
    const { svc, cwd } = createShell()
    mkdirSync(join(cwd, 'talks/.git'), { recursive: true })
    writeFileSync(join(cwd, 'talks/.hidden.json'), '{}')
    symlinkSync(join(cwd, 'nowhere.json'), join(cwd, 'talks/gone.json'))
    const { err } = await svc(['upload', 'talks', '-n'], { files: { 'talks/a.json': talk('a') } })
    expect(err).toContain('note: 2 hidden skipped: talks/.git, talks/.hidden.json\n')
    expect(err).toContain('note: 1 broken link skipped: talks/gone.json\n')
  })

  it('refuses a credential with its place, and never with its value', async () => {
    const { svc, server } = createShell()
    const secret = `AKIA${'ABCDEFGH23456723'}`
    const files = { 'talks/a.json': talk('fine'), 'talks/b.json': talk(`my key is ${secret} there`) }
    const { code, err, out } = await svc(['upload', 'talks'], { files })
    expect([code, server.requests.length]).toEqual([3, 0])
    expect(err).toMatch(/talks\/b\.json:1:\d+ \/turns\/0\/content looks like a credential: aws-access-key-id/)
    expect(err).toContain('--allow-secrets')
    expect(err + out).not.toContain(secret)
    expect((await svc(['upload', 'talks', '--allow-secrets'])).code).toBe(0)
  })

  it('hides personal data on request, and prints how much', async () => {
    const { svc, server, project } = createShell()
    const files = { 'a.json': talk('write to ada@example.com and bob@example.com') }
    const { code, err } = await svc(['upload', 'a.json', '--redact=emails'], { files })
    expect([code, err]).toEqual([0, expect.stringContaining('redacted: 2 email')])
    expect(server.world.transcripts(project)[0]?.turns[0]?.content).toBe('write to [email-1] and [email-2]')
  })

  it('sends more than the buffer holds exactly as it was checked', async () => {
    const { svc, server, project } = createShell()
    const big = (n: number) => JSON.stringify(talk(`${n} ${'x'.repeat(900_000)}`))
    const lines = Array.from({ length: 45 }, (_, n) => big(n))
    const { code, err } = await svc(['upload', 'talks.jsonl', '-j', '8'], {
      files: { 'talks.jsonl': lines.join('\n') },
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
    const big = (n: number) => talk(`${n} ${'x'.repeat(900_000)}`)
    const files = Object.fromEntries(
      Array.from({ length: 45 }, (_, n) => [`talks/${String(n).padStart(2, '0')}.json`, big(n)]),
    )
    change = () => {
      writeFileSync(join(cwd, 'talks/43.json'), JSON.stringify(big(99)))
      writeFileSync(join(cwd, 'talks/44.json'), 'oops')
    }
    const { code, err } = await svc(['upload', 'talks', '-j', '2'], { files })
    expect(code).toBe(8)
    expect(err).toContain('talks/43.json: it changed while uploading')
    expect(err).toContain('talks/44.json: it changed while uploading')
    expect(server.world.transcripts(project)).toHaveLength(43)
  })
})

describe('a shard', () => {
  it('sends its part of the work, and all of them together send all of it once', async () => {
    const { svc, server, project } = createShell()
    const files = { 'talks.json': Array.from({ length: 60 }, (_, n) => talk(`talk ${n % 50}`)) }
    const sent: number[] = []
    for (const shard of ['1/4', '2/4', '3/4', '4/4']) {
      const { code, lines } = await svc(['upload', 'talks.json', '--shard', shard, '--json'], { files })
      const { uploaded, other_shards } = lines().at(-1) as Record<string, number>
      expect([code, (uploaded ?? 0) + (other_shards ?? 0)]).toEqual([0, 60])
      sent.push(uploaded ?? 0)
    }
    expect(Math.min(...sent)).toBeGreaterThan(0)
    expect(server.world.transcripts(project)).toHaveLength(60)
    expect((await svc(['upload', 'talks.json', '--json'])).lines().at(-1)).toMatchObject({ already_uploaded: 60 })
  })

  it('gives no two transcripts one name, though each is alone in its shard', async () => {
    const { svc } = createShell()
    const files = { 'a.json': talk('a'), 'b.json': talk('b') }
    for (const shard of ['1/2', '2/2']) {
      expect((await svc(['upload', 'a.json', 'b.json', '--name', 'X', '--shard', shard, '-n'], { files })).code).toBe(2)
    }
  })

  it('is that of a Kubernetes indexed Job where no flag names one', async () => {
    const { svc } = createShell()
    const files = { 'talks.json': Array.from({ length: 20 }, (_, n) => talk(`talk ${n}`)) }
    const env = { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: '4' }
    const { err } = await svc(['upload', 'talks.json', '-n'], { files, env })
    expect(err).toContain('by shard 3/4')
    expect((await svc(['upload', 'talks.json', '-n', '--shard', '1/2'], { env })).err).toContain('by shard 1/2')
    expect((await svc(['upload', 'talks.json', '-n'], { env: { ...env, JOB_COMPLETION_INDEX: '4' } })).code).toBe(3)
    const alone = { JOB_COMPLETION_INDEX: '2', JOB_COMPLETIONS: undefined }
    expect((await svc(['upload', 'talks.json', '-n'], { env: alone })).err).toContain('JOB_COMPLETIONS is not')
    expect((await svc(['upload', 'talks.json', '-n', '--shard', '1/1'], { env: alone })).code).toBe(0)
    expect((await svc(['upload', 'talks.json', '-n', '--shard', '5/4'])).code).toBe(2)
  })
})
