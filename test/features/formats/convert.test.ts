import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { claudeSession } from '../../helpers/session-files.js'

const chat = {
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Where is order 7?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'order', arguments: '{"id":7}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '{"status":"sent"}' },
    { role: 'assistant', content: 'On its way.\u202e' },
  ],
}
const env = { SVC_API_KEY: undefined, SVC_BASE_URL: undefined, SVC_PUBLIC_BASE_URL: undefined, SVC_PROJECT: undefined }

describe('svc convert', () => {
  it.each(['upload', 'annotation', 'openai-chat'])(
    'replaces personal data and credentials with --redact in the form %s',
    async (to) => {
      const { svc } = createShell()
      const secret = `postgres://shop:${'hunter2-hunter2'}@db.internal/orders`
      const { code, out, err, lines } = await svc(['convert', 'c.json', '--redact=all', '--to', to], {
        env,
        files: {
          'c.json': { title: 'For a@b.cc', messages: [{ role: 'user', content: `I am a@b.cc, see ${secret}` }] },
        },
      })
      expect(code).toBe(0)
      expect(JSON.stringify(lines())).toContain('I am [email-1], see postgres://shop:[secret-1]@db.internal/orders')
      expect(`${out}${err}`).not.toMatch(/a@b\.cc|hunter2/)
      expect(err).toContain('redacted: 2 emails, 1 secret\n')
    },
  )

  it('leaves a text as it is without --redact, so that a person can compare the two', async () => {
    const { svc } = createShell()
    const files = { 'c.json': { messages: [{ role: 'user', content: 'I am a@b.cc' }] } }
    expect((await svc(['convert', 'c.json'], { env, files })).out).toContain('I am a@b.cc')
    const chosen = await svc(['convert', 'c.json', '--redact-pattern', 'who=I am \\w', '--to', 'markdown-chat'], {
      env,
      files,
    })
    expect(chosen.out).toContain('[who-1]@b.cc')
  })

  it('writes an upload body a line, without a key and without a request', async () => {
    const { svc, server } = createShell()
    const { code, lines, err } = await svc(['convert', 'conversations.jsonl'], {
      env,
      files: { 'conversations.jsonl': `${JSON.stringify(chat)}\n${JSON.stringify(chat)}\n` },
    })
    expect([code, server.requests.length]).toEqual([0, 0])
    expect(lines()).toHaveLength(2)
    expect(lines()[0]).toMatchObject({
      name: 'conversations (1)',
      sourceSystem: 'openai-chat',
      turns: [{ role: 'system' }, { role: 'user' }, { toolCalls: [{ name: 'order', args: { id: 7 } }] }, {}, {}],
    })
    expect(err).toBe('2 transcripts with 10 turns converted to upload bodies\n')
  })

  it.each(['upload', 'annotation', 'openai-chat', 'anthropic-messages', 'atif', 'inspect', 'otlp', 'markdown-chat'])(
    'writes with --to %s a file that it reads back unchanged',
    async (to) => {
      const { svc } = createShell()
      const first = await svc(['convert', 'conversation.json', '--to', to, '--quiet'], {
        env,
        files: { 'conversation.json': chat },
      })
      const again = await svc(['convert', '-', '--to', to, '--quiet'], { env, stdin: first.out })
      expect([first.code, again.code]).toEqual([0, 0])
      expect(first.out).not.toContain('\u202e')
      expect(again.out).toBe(first.out)
    },
  )

  it('writes Markdown under the title that an upload has', async () => {
    const { svc } = createShell()
    const files = { 'order.json': JSON.stringify({ turns: [{ role: 'user', content: 'Hi' }] }) }
    const { out } = await svc(['convert', 'order.json', '--to', 'markdown-chat'], { env, files })
    expect(out).toContain('# order\n\n## User\n\nHi\n')
    const again = await svc(['convert', '-'], { env, stdin: out })
    expect(again.json()).toMatchObject({ name: 'order' })
  })

  it('makes annotation transcripts of the messages that svc annotate would send', async () => {
    const { svc } = createShell()
    const { json } = await svc(['convert', 'conversation.json', '--to', 'annotation'], {
      env,
      files: { 'conversation.json': chat },
    })
    expect(Object.keys(json())).toEqual(['transcript'])
    expect(json()).toMatchObject({
      transcript: [{ is_user_visible: false }, { role: 'user', is_user_visible: true }, {}, {}, {}],
    })
  })

  it('writes with --to another format, with what it has no place for as losses', async () => {
    const { svc } = createShell()
    const files = { 'a.json': JSON.stringify({ turns: [{ role: 'user', content: 'Hi', metadata: { mood: 'calm' } }] }) }
    const { code, lines, err } = await svc(['convert', 'a.json', '--to', 'openai-chat', '--verbose'], { env, files })
    expect([code, lines()]).toEqual([0, [{ messages: [{ role: 'user', content: 'Hi' }] }]])
    expect(err).toContain('metadata of a message: the format has no place for it')
    expect(err).toContain('1 transcript with 1 turn converted to the format openai-chat')
    expect((await svc(['convert', 'a.json', '--to', 'atif', '--name', 'x'], { env, files })).code).toBe(2)
  })

  it('prints with --json each body, its origin and losses, and a summary', async () => {
    const { svc } = createShell()
    const files = { 'conversation.json': { ...chat, temperature: 0 } }
    const { code, lines, err } = await svc(['convert', 'conversation.json', '--json', '--name', 'Order 7'], {
      env,
      files,
    })
    expect(code).toBe(0)
    expect(lines()).toMatchObject([
      {
        schema: 'svc/convert@1',
        path: 'conversation.json',
        record: 1,
        name: 'Order 7',
        format: 'openai-chat',
        turns: 5,
        losses: [{ code: 'dropped', what: 'field "temperature"', count: 1 }],
        body: { name: 'Order 7' },
      },
      { schema: 'svc/convert-summary@1', to: 'upload', transcripts: 1, turns: 5 },
    ])
    expect(err).toContain('note: losses: dropped field "temperature": not recognised\n')
  })

  it('names the most frequent losses on one line, and all of them with --verbose', async () => {
    const { svc } = createShell()
    const fields = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`field${at}`, { at }]))
    const files = { 'a.json': { ...chat, ...fields } }
    const { err } = await svc(['convert', 'a.json'], { env, files })
    expect(err).toMatch(
      /^note: losses: dropped field "\w+", field "\w+", field "\w+" and \d more: [^;]+; --verbose lists all$/m,
    )
    expect((await svc(['convert', 'a.json', '--verbose'], { env })).err.match(/field\d/g)).toHaveLength(9)
  })

  it('takes the flags of an upload’s identity, and refuses them where no body has a place for them', async () => {
    const { svc } = createShell()
    const flags = ['--language', 'de', '--metadata', 'team=a', '--no-process', '--external-id', 'e-1']
    const { json } = await svc(['convert', 'conversation.json', ...flags], {
      env,
      files: { 'conversation.json': chat },
    })
    expect(json()).toMatchObject({ language: 'de', metadata: { team: 'a' }, process: false, externalId: 'e-1' })
    for (const flag of [['--name', 'x'], ['--no-process'], ['--metadata', 'a=b']]) {
      const { code, err } = await svc(['convert', 'conversation.json', '--to', 'annotation', ...flag], { env })
      expect([code, err]).toEqual([2, expect.stringContaining(`svc: ${flag[0]} works with --to upload only`)])
    }
    const shared = await svc(['convert', '-', '--name', 'x'], {
      env,
      stdin: `${JSON.stringify(chat)}\n${JSON.stringify(chat)}`,
    })
    expect(shared).toMatchObject({ code: 2, out: '', err: expect.stringContaining('holds 2 transcripts') })
  })

  it('lists every problem with its place, and writes nothing', async () => {
    const { svc, cwd } = createShell()
    const files = {
      'a.json': '{\n  "turns": [{ "role": "wizard", "content": "hi" }]\n}',
      'b.json': { name: '', turns: [{ role: 'user', content: 'x'.repeat(1_100_000) }] },
      'c.txt': 'hello there',
    }
    const { code, out, err } = await svc(['convert', 'a.json', 'b.json', 'c.txt', '--out', 'out.jsonl'], { env, files })
    expect([code, out, existsSync(join(cwd, 'out.jsonl'))]).toEqual([3, '', false])
    expect(err).toMatch(/^svc: The input has 3 problems; nothing was written\.$/m)
    expect(err).toMatch(/^ {2}a\.json:2:\d+ \/turns\/0\/role /m)
    expect(err).toMatch(/^ {2}c\.txt:1:1 /m)
    expect(err).toMatch(/^ {2}b\.json:1:\d+ \/turns\/0\/content /m)
  })

  it('honours the reading flags', async () => {
    const { svc } = createShell()
    const turns = Array.from({ length: 1500 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i}` }))
    const files = { 'long.json': { turns }, 'conversation.json': { ...chat, temperature: 0 } }
    expect((await svc(['convert', 'long.json'], { env, files })).code).toBe(3)
    expect((await svc(['convert', 'long.json', '--split'], { env })).lines()).toHaveLength(2)
    const strict = await svc(['convert', 'conversation.json', '--strict'], { env })
    expect(strict).toMatchObject({ code: 3, out: '', err: expect.stringContaining('--strict allows no loss') })
  })

  it('reads a CSV dialect with --csv-escape, and refuses its rows without', async () => {
    const { svc } = createShell()
    const files = { 'c.csv': 'role,content\nuser,"He said \\"stop, now\\""\nassistant,"Fine"\n' }
    const escaped = await svc(['convert', 'c.csv', '--csv-escape', '\\'], { env, files })
    expect(escaped.json()).toMatchObject({ turns: [{ content: 'He said "stop, now"' }, { content: 'Fine' }] })
    const { code, out, err } = await svc(['convert', 'c.csv'], { env, files })
    expect([code, out]).toEqual([3, ''])
    expect(err).toMatch(/c\.csv:2:\d+ .*--csv-escape/)
  })

  it('takes with --map the fields that there are, and no others', async () => {
    const { svc } = createShell()
    const files = { 'conversation.csv': 'who,says\nAda,Hello\nBob,Hi\n' }
    const map = (...fields: string[]) => fields.flatMap((field) => ['--map', field])
    const known = map('role=who', 'content=says', 'role:Ada=user', 'role:Bob=assistant')
    expect((await svc(['convert', 'conversation.csv', ...known], { env, files })).json()).toMatchObject({
      turns: [{ role: 'user' }, { role: 'assistant' }],
    })
    const { code, err } = await svc(['convert', 'conversation.csv', ...known, ...map('conversation_id=thread')], {
      env,
    })
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('svc: --map: unknown field "conversation_id".\nhint: give one of id, role'),
    ])
    const wrong = await svc(['convert', 'conversation.csv', ...known, ...map('role:Ann=ROLE')], { env })
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining(
        '--map: "ROLE" (role:Ann) is no role.\nhint: give the role user, assistant, system, tool or human_agent',
      ),
    ])
  })

  it('requires an input', async () => {
    const { svc } = createShell()
    expect(await svc(['convert'], { env })).toMatchObject({
      code: 2,
      err: 'svc: Missing input.\nhint: add files, directories, or - for standard input; or --sessions claude-code, codex, gemini, copilot, cursor, cline, opencode\n',
    })
    expect((await svc(['convert', 'nowhere.json'], { env })).code).toBe(3)
    expect((await svc(['convert', '-', '-'], { env, stdin: JSON.stringify(chat) })).err).toContain('named twice')
    expect((await svc(['convert', 'a.json', '--to', 'yaml'], { env })).code).toBe(2)
  })
})

describe('svc convert --out', () => {
  const files = { 'conversation.json': chat }

  it('writes the file and leaves nothing beside it', async () => {
    const { svc, cwd } = createShell()
    const { code, out, err } = await svc(['convert', 'conversation.json', '--out', 'out.jsonl'], { env, files })
    expect([code, out, err]).toEqual([0, '', '1 transcript with 5 turns converted to upload bodies in out.jsonl\n'])
    expect(readdirSync(cwd).sort()).toEqual(['conversation.json', 'out.jsonl'])
    const plain = await svc(['convert', 'conversation.json'], { env })
    expect(readFileSync(join(cwd, 'out.jsonl'), 'utf8')).toBe(plain.out)
  })

  it('replaces a file only with --force', async () => {
    const { svc, cwd } = createShell()
    const refused = await svc(['convert', 'conversation.json', '-o', 'out.jsonl'], {
      env,
      files: { ...files, 'out.jsonl': 'mine' },
    })
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('hint: add --force to replace it') })
    expect(readFileSync(join(cwd, 'out.jsonl'), 'utf8')).toBe('mine')
    // That is known before anything is read.
    expect((await svc(['convert', 'nowhere.json', '-o', 'out.jsonl'], { env })).code).toBe(2)
    expect((await svc(['convert', 'conversation.json', '-o', 'out.jsonl', '--force'], { env })).code).toBe(0)
    expect(readFileSync(join(cwd, 'out.jsonl'), 'utf8')).toContain('"turns"')
    expect(readdirSync(cwd).sort()).toEqual(['conversation.json', 'out.jsonl'])
  })

  it.skipIf(process.platform === 'win32')('writes to a device without --force', async () => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['convert', 'conversation.json', '-o', '/dev/null'], { env, files })
    expect([code, out, err]).toEqual([0, '', expect.stringContaining(' in /dev/null\n')])
  })

  it.each(['-', '/dev/stdout'])('prints with --out %s what it prints without it', async (place) => {
    const { svc } = createShell()
    const plain = await svc(['convert', 'conversation.json'], { env, files })
    for (const more of [[], ['--force']]) {
      const { code, out, err } = await svc(['convert', 'conversation.json', '--out', place, ...more], { env })
      expect([code, out, err]).toEqual([0, plain.out, plain.err])
    }
  })

  it('keeps the bodies out of the JSON on stdout', async () => {
    const { svc } = createShell()
    const { lines } = await svc(['convert', 'conversation.json', '-o', 'out.jsonl', '--json'], { env, files })
    expect(lines()).toMatchObject([{ schema: 'svc/convert@1' }, { schema: 'svc/convert-summary@1', out: 'out.jsonl' }])
    expect(lines()[0]).not.toHaveProperty('body')
  })

  it('reports why a file cannot be written', async () => {
    const { svc } = createShell()
    const into = (out: string, ...more: string[]) =>
      svc(['convert', 'conversation.json', '-o', out, ...more], { env, files })
    expect(await into('no/such/out.jsonl')).toMatchObject({
      code: 3,
      err: expect.stringContaining('the directory does not exist'),
    })
    expect(await into('.', '--force')).toMatchObject({ code: 2, err: expect.stringContaining('. is a directory') })
    expect((await svc(['convert', 'conversation.json', '--force'], { env })).code).toBe(2)
  })
})

describe('svc convert --detect', () => {
  const files = {
    'in/a.json': chat,
    'in/b.jsonl': claudeSession('s-1', '2025-12-31T10:00:00Z', { said: ['hi', 'hello', 'bye'] }),
    'in/c.json': { ...chat, temperature: 0 },
  }

  it('prints the format of each file on one line', async () => {
    const { svc } = createShell()
    const { code, out } = await svc(['convert', 'in', '--detect'], { env, files })
    expect(code).toBe(0)
    expect(out).toBe(
      [
        'in/a.json\topenai-chat\t1\t5\t\n',
        'in/b.jsonl\tclaude-code\t1\t3\t\n',
        'in/c.json\topenai-chat\t1\t5\tdropped field "temperature"\n',
      ].join(''),
    )
    const shown = await svc(['convert', 'in', '--detect'], { env, tty: true })
    expect(shown.out).toMatch(/^PATH +FORMAT +TRANSCRIPTS +TURNS +LOSSES\nin\/a\.json +openai-chat +1 +5\n/)
    const { lines } = await svc(['convert', 'in/c.json', '--detect', '--json'], { env })
    expect(lines()).toMatchObject([
      {
        schema: 'svc/detect@1',
        path: 'in/c.json',
        format: 'openai-chat',
        transcripts: 1,
        turns: 5,
        losses: [{ count: 1 }],
      },
    ])
  })

  it('detects the other files if some have an unknown format', async () => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['convert', 'in', 'd.json', '--detect'], {
      env,
      files: { ...files, 'd.json': { a: 1 } },
    })
    expect([code, out.split('\n').length]).toEqual([3, 4])
    expect(err).toContain('svc: The input has 1 problem.\n  d.json:1:1 expected a transcript')
  })

  it('refuses --detect with --to, --out or --list-sessions', async () => {
    const { svc } = createShell()
    for (const more of [
      ['--to', 'upload'],
      ['--out', 'x'],
      ['--list-sessions', 'codex'],
    ]) {
      expect((await svc(['convert', 'in', '--detect', ...more], { env, files })).code).toBe(2)
    }
  })
})
