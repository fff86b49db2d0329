import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { greeting as chat, question as conversation } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

describe('svc upload', () => {
  it('uploads a file to the project and prints the stored transcript', async () => {
    const { svc, server, project } = createShell()
    const { code, out, err } = await svc(['upload', 'conversation.json', '--project', project], {
      files: { 'conversation.json': conversation },
    })
    const [id, name, turns, status, path, record] = out.trimEnd().split('\t')
    expect([code, name, turns, status, path, record]).toEqual([0, 'Order 7', '1', 'queued', 'conversation.json', '1'])
    expect(server.world.transcript(id ?? '')?.turns).toEqual(conversation.turns)
    expect(err).toBe(`1 transcript uploaded to ${project}\n`)
  })

  it('prints one document for one transcript with --json', async () => {
    const { svc } = createShell()
    const { json } = await svc(['upload', 'conversation.json', '--json'], {
      files: { 'conversation.json': conversation },
    })
    expect(json()).toMatchObject({
      schema: 'svc/upload@1',
      result: 'uploaded',
      path: 'conversation.json',
      record: 1,
      transcript: { name: 'Order 7', processing_status: 'queued' },
    })
  })

  it('prints a line for each of many, and a closing summary, with --json', async () => {
    const { svc, project } = createShell()
    const files = {
      'conversations/a.json': conversation,
      'conversations/deep/b.jsonl': `${JSON.stringify(chat)}\n\n${JSON.stringify(chat)}\n`,
    }
    const { code, lines } = await svc(['upload', 'conversations', '--json'], { files })
    expect(code).toBe(0)
    expect(lines().map(({ schema }) => schema)).toEqual([...Array(3).fill('svc/upload@1'), 'svc/upload-summary@1'])
    expect(lines().at(-1)).toMatchObject({ project, uploaded: 3, failed: 0, not_sent: 0 })
    expect(
      new Set(
        lines()
          .slice(0, 3)
          .map(({ name }) => name),
      ),
    ).toEqual(new Set(['Order 7', 'b (1)', 'b (2)']))
  })

  it('reads only the transcript files of a directory, and skips hidden ones', async () => {
    const { svc } = createShell()
    const files = {
      'conversations/b.json': conversation,
      'conversations/a.ndjson': JSON.stringify(chat),
      'conversations/.hidden.json': conversation,
      'conversations/.git/c.json': conversation,
      'conversations/readme.md': '# no transcript',
    }
    const { lines } = await svc(['upload', 'conversations', '--dry-run', '--json'], { files })
    expect(lines()).toMatchObject([
      { path: 'conversations/a.ndjson' },
      { path: 'conversations/b.json' },
      { planned: 2 },
    ])
  })

  it('reads standard input for -', async () => {
    const { svc } = createShell()
    const { code, json } = await svc(['upload', '-', '--json'], { stdin: JSON.stringify(chat) })
    expect(code).toBe(0)
    expect(json()).toMatchObject({ path: '-', name: 'stdin', transcript: { turn_count: 2 } })
  })

  it('sends every field that a flag sets, instead of the field of the file', async () => {
    const { svc } = createShell()
    const flags = [
      ['--name', 'Renamed'],
      ['--model-name', 'm-2'],
      ['--language', 'de'],
      ['--source-system', 'crm'],
      ['--external-id', 'e-1'],
      ['--external-user-id', 'u-1'],
      ['--metadata', 'team=support'],
      ['--metadata', 'note=a=b'],
      ['--source-timestamp', '2026-01-02T03:04:05Z'],
    ].flat()
    const files = {
      'conversation.json': { ...conversation, modelName: 'm-1', metadata: { team: 'sales', kept: true } },
    }
    const { json } = await svc(['upload', 'conversation.json', '--no-process', '--json', ...flags], { files })
    expect(json().transcript).toMatchObject({
      name: 'Renamed',
      model_name: 'm-2',
      language: 'de',
      source_system: 'crm',
      external_id: 'e-1',
      external_user_id: 'u-1',
      metadata: { team: 'support', note: 'a=b', kept: true },
      source_timestamp: expect.stringContaining('2026-01-02T03:04:05'),
      processing_status: 'skipped',
    })
  })

  it('keeps the fields that a file sets', async () => {
    const { svc } = createShell()
    const files = { 'conversation.json': { ...conversation, process: false, language: 'fr' } }
    const { json } = await svc(['upload', 'conversation.json', '--json'], { files })
    expect(json().transcript).toMatchObject({ processing_status: 'skipped', language: 'fr' })
  })

  it('prints the plan and sends nothing with --dry-run', async () => {
    const { svc, server } = createShell()
    const { code, out, err } = await svc(['upload', 'conversation.json', '-n'], {
      files: { 'conversation.json': conversation },
    })
    expect([code, out]).toEqual([0, 'Order 7\t1\tconversation.json\n'])
    expect(err).toContain('nothing was sent')
    expect(server.requests).toHaveLength(0)
  })

  it('summarizes the losses of a file', async () => {
    const { svc } = createShell()
    const files = {
      'conversations.json': [
        { ...chat, temperature: 0 },
        { ...chat, temperature: 1 },
      ],
    }
    const { code, err, lines } = await svc(['upload', 'conversations.json', '--json'], { files })
    expect(code).toBe(0)
    expect(err).toContain('note: losses: dropped field "temperature" (2 times): not recognised\n')
    expect(lines()[0]).toMatchObject({ losses: [{ code: 'dropped', what: 'field "temperature"', count: 1 }] })
  })

  it('counts a transcript as stored but not analysed if its job could not be submitted', async () => {
    const { svc } = createShell(createSession({ submit: () => false }))
    const { code, err } = await svc(['upload', 'conversation.json'], { files: { 'conversation.json': conversation } })
    expect(code).toBe(0)
    expect(err).toContain('1 of them stored but not analysed')
  })

  it('uploads to SVC_PROJECT where no project is named, and refuses to guess one', async () => {
    const { svc, server } = createShell()
    const { code, err } = await svc(['upload', 'conversation.json'], {
      files: { 'conversation.json': conversation },
      env: { SVC_PROJECT: '' },
    })
    expect(code).toBe(2)
    expect(err).toContain('hint: give --project')
    expect(server.requests).toHaveLength(0)
  })
})

describe('bad input of svc upload', () => {
  it('bad input of svc upload is listed all at once, with file, line, column and JSON pointer, and nothing is sent', async () => {
    const { svc, server } = createShell()
    const files = {
      'conversations/broken.json': '{"name": "x",\n "turns": [{"role": "user" "content": ""}]}',
      'conversations/fine.json': conversation,
      'conversations/long.json': JSON.stringify({ ...conversation, language: 'much too long' }, null, 2),
      'conversations/role.json':
        '{"name": "x", "turns": [\n  {"role": "user", "content": "hi"},\n  {"role": "bot", "content": ""}]}',
    }
    const { code, out, err } = await svc(['upload', 'conversations'], { files })
    expect([code, out]).toEqual([3, ''])
    expect(err.split('\n').slice(0, 4)).toEqual([
      'svc: The input has 3 problems; nothing was sent.',
      expect.stringMatching(/^ {2}conversations\/broken\.json:2:28 expected "," or "}"/),
      expect.stringMatching(/^ {2}conversations\/role\.json:3:12 \/turns\/1\/role expected/),
      expect.stringMatching(/^ {2}conversations\/long\.json:9:15 \/language expected at most 10 characters, got 13/),
    ])
    expect(server.requests).toHaveLength(0)
  })

  it('points at the turn that breaks a bound', async () => {
    const { svc } = createShell()
    const turns = [
      '{"role": "user", "content": "hi"}',
      JSON.stringify({ role: 'user', content: 'x'.repeat(2 ** 20 + 1) }),
    ]
    const text = `{"name": "x", "turns": [\n${turns.join(',\n')}]}`
    const { code, err } = await svc(['upload', 'conversation.json'], { files: { 'conversation.json': text } })
    expect(code).toBe(3)
    expect(err).toContain('conversation.json:3:1 /turns/1/content expected the content to be at most 1048576 bytes')
  })

  it.each([
    ['a missing file', ['upload', 'nope.json'], 3, 'nope.json: no such file or directory.'],
    ['a directory without transcripts', ['upload', 'empty'], 3, 'The directory empty contains no transcripts.'],
    ['an empty file', ['upload', 'empty/.nothing.json'], 3, 'The input has 1 problem; nothing was sent.'],
    ['a malformed project id', ['upload', 'a.json', '--project', 'hp-1'], 2, '--project is not a project id: "hp-1".'],
    ['an unknown flag', ['upload', 'a.json', '--projet', 'x'], 2, "unknown option '--projet'."],
    ['a malformed time', ['upload', 'a.json', '--source-timestamp', 'noon'], 2, 'Expected an ISO 8601 time'],
    ['a day that is not', ['upload', 'a.json', '--source-timestamp', '2026-02-30'], 2, 'Expected an ISO 8601 time'],
    ['malformed metadata', ['upload', 'a.json', '--metadata', 'novalue'], 2, 'Expected key=value'],
    ['no path at all', ['upload'], 2, 'Missing input.'],
  ])('bad input of svc upload is refused for %s, in one sentence', async (_, argv, exitCode, sentence) => {
    const { svc, server } = createShell()
    const { code, out, err } = await svc(argv, { files: { 'empty/.nothing.json': '' } })
    expect([code, out]).toEqual([exitCode, ''])
    expect(err.split('\n')[0]).toMatch(/^svc: /)
    expect(err).toContain(sentence)
    expect(server.requests).toHaveLength(0)
  })

  it('bad input of svc upload is refused when it is not UTF-8, and read when it begins with a byte order mark', async () => {
    const { svc, cwd } = createShell()
    writeFileSync(join(cwd, 'latin.json'), Buffer.from('[{"role":"user","content":"caf\u00e9"}]', 'latin1'))
    const { code, err } = await svc(['upload', 'latin.json'])
    expect([code, err]).toEqual([3, expect.stringContaining('latin.json:1:31 expected UTF-8, found invalid bytes')])
    const marked = { 'bom.json': `\ufeff${JSON.stringify(conversation)}` }
    expect((await svc(['upload', 'bom.json'], { files: marked })).code).toBe(0)
  })

  it('refuses a name or an external id for many transcripts', async () => {
    const { svc } = createShell()
    const files = { 'conversations.json': [chat, chat] }
    for (const flag of ['--name', '--external-id']) {
      const { code, err } = await svc(['upload', 'conversations.json', flag, 'x'], { files })
      expect(code).toBe(2)
      expect(err).toContain(`${flag} names one transcript, but the input holds 2 transcripts.`)
    }
  })

  it('bad input of svc upload is a document of its own with --json', async () => {
    const { svc } = createShell()
    const { code, json } = await svc(['upload', 'nope.json', '--json'])
    expect(code).toBe(3)
    expect(json()).toMatchObject({ error: { message: 'nope.json: no such file or directory.', exit: 3 } })
    const usage = await svc(['upload', '--nope', '--json'])
    expect(usage.json()).toMatchObject({ error: { kind: 'usage', exit: 2 } })
  })
})
