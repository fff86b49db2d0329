import { describe, expect, it } from 'vitest'
import { detect, type FormatDeclaration, parse, type TranscriptFileError } from '../index.js'
import { defineFormat } from './define-format.js'

const base = {
  id: 'x-log',
  title: 'X',
  accepts: '{ "x", "log": [{ "role", "content" }] }',
  signature: { 'x log[]': 0.9, 'x=2|3* log[].role': 0.95 },
  messages: 'log',
} satisfies FormatDeclaration

/** The turns and losses of a file, in short. */
function read(declared: Partial<FormatDeclaration>, record: unknown, options = {}) {
  const formats = [defineFormat({ ...base, ...declared })]
  const { transcripts } = parse(JSON.stringify(record), { formats, ...options })
  return transcripts.map(({ turns, losses, externalId, metadata, name, place }) => ({
    said: turns.map(({ role, content, visible, toolCalls, toolResults, metadata: own, place: at }) =>
      [role, content, visible || 'hidden', toolCalls, toolResults, own, at.pointer].filter(
        (each) => each !== undefined && each !== true,
      ),
    ),
    losses: losses.map(({ what, count }) => `${count} ${what}`),
    ...(externalId !== undefined && { externalId }),
    ...(metadata && { metadata }),
    ...(name !== undefined && { name }),
    place: place.pointer,
  }))
}

const user = { role: 'user', content: 'Hi' }
const file = (...log: unknown[]) => ({ x: '1', log })

describe('a declared format', () => {
  it('a declared format is detected by its signature, before all others', () => {
    const formats = [defineFormat(base)]
    const confidence = (record: unknown) => detect(JSON.stringify(record), { formats })
    expect(confidence(file())).toEqual({ format: 'x-log', confidence: 0.9 })
    expect(confidence({ x: '2', log: [user] })?.confidence).toBe(0.95)
    expect(confidence({ x: '31', log: [{}, user] })?.confidence).toBe(0.95)
    expect(confidence({ x: '2', log: [{}] })?.confidence).toBe(0.9)
    expect(confidence({ x: 5, log: {} })).toBeUndefined()
    expect(detect('{"messages":[{"role":"user","content":"Hi"}]}', { formats })?.format).toBe('openai-chat')
  })

  it('joins calls to their results, beside the call, in a list, or in messages of their own', () => {
    const calls = { in: 'calls', id: 'id', name: 'fn.name', args: 'fn.args', output: 'out', error: 'bad' }
    const call = { id: '1', fn: { name: 'look', args: '{"a":1}' } }
    const turn = [
      'assistant',
      '[tool call: look]',
      'hidden',
      [{ name: 'look', args: { a: 1 } }],
      { synthetic_content: true },
      '/log/1',
    ]
    const answered = read({ calls }, file(user, { role: 'assistant', calls: [{ ...call, out: 'ok', bad: true }] }))
    expect(answered[0]?.said.slice(1)).toEqual([
      turn,
      ['tool', 'ok', 'hidden', [{ name: 'look', result: 'ok' }], { is_error: true }, '/log/1'],
    ])
    const inList = read(
      { calls, results: { in: 'seen.all', id: 'of', output: 'text' } },
      file(user, {
        role: 'assistant',
        calls: [call],
        seen: { all: [{ of: '1', text: 'ok' }, { text: 'Compacted.' }] },
      }),
    )
    expect(inList[0]?.said.slice(1)).toEqual([
      turn,
      ['tool', 'ok', 'hidden', [{ name: 'look', result: 'ok' }], '/log/1'],
      ['system', 'Compacted.', 'hidden', { kind: 'observation' }, '/log/1'],
    ])
    const alone = read(
      { calls, results: { id: 'of', output: ['result', 'content'] } },
      file(user, { role: 'assistant', calls: call }, { role: 'tool', of: '1', content: 'ok' }),
    )
    expect(alone[0]?.said.slice(1)).toEqual([
      turn,
      ['tool', 'ok', 'hidden', [{ name: 'look', result: 'ok' }], '/log/2'],
    ])
    expect([...inList, ...alone].flatMap(({ losses }) => losses)).toEqual([])
  })

  it('reads text, HTML, files, thinking and notes', () => {
    const log = [
      {
        by: 'me',
        html: '<p>Hi <b>you</b></p>',
        files: [
          { name: 'a.png', type: 'image/png' },
          { name: 'b.txt', url: 'https://a.test/b' },
        ],
      },
      { by: 'bot', text: 'Hm.', thoughts: 'Let me see.', private: true, mood: 'calm' },
      { by: 'ghost', text: 'Boo' },
      { by: 'me', text: 'Hi', copy: true },
    ]
    const declared: Partial<FormatDeclaration> = {
      role: 'by',
      roles: { user: 'me', assistant: 'bot', omitted: '*' },
      text: 'text',
      html: 'html',
      files: 'files',
      thinking: 'thoughts',
      note: 'private',
      repeats: 'copy',
      metadata: { mood: 'mood' },
    }
    const [transcript] = read(declared, file(...log))
    expect(transcript?.said.map(([role, content, ...more]) => [role, content, more.includes('hidden')])).toEqual([
      ['user', 'Hi you\n[image: a.png, image/png]\n[file: b.txt, https://a.test/b]', false],
      ['assistant', 'Hm.', true],
    ])
    expect(transcript?.said[1]).toContainEqual({ kind: 'note', mood: 'calm' })
    expect(transcript?.losses).toEqual([
      '1 image part',
      '1 file part',
      '1 thinking',
      '1 message with the role the string "ghost"',
      '1 copied message',
    ])
  })

  it('reads branches, sub-agents, and other lists of the same messages', () => {
    const tree = { id: 'id', parent: 'after' }
    const branched = {
      ...file(
        { ...user, id: 'a' },
        { ...user, content: 'Old', id: 'b', after: 'a' },
        { ...user, content: 'New', id: 'c', after: 'a' },
      ),
      key: 'k',
    }
    const declared = { tree, conversation: { externalId: 'key' }, subagents: { in: 'agents', id: 'key' } }
    const texts = (all: ReturnType<typeof read>) =>
      all.map(({ said, externalId }) => [externalId, ...said.map(([, text]) => text)])
    const [main] = read(declared, branched)
    expect([main?.said.map(([, text]) => text), main?.losses]).toEqual([['Hi', 'New'], ['1 message of another branch']])
    expect(texts(read(declared, branched, { branches: true }))).toEqual([
      ['k', 'Hi', 'New'],
      ['k/b', 'Hi', 'Old'],
    ])
    const nested = { ...file(user), key: 'k', agents: [{ ...file({ ...user, content: 'Sub' }), key: 's' }] }
    expect(read(declared, nested)[0]?.losses).toEqual(['1 conversation of a sub-agent'])
    expect(texts(read(declared, nested, { subagents: true }))).toEqual([
      ['k', 'Hi'],
      ['k/s', 'Sub'],
    ])
    const twice = { messages: ['log', 'more.log'], order: 'at' }
    expect(
      read(twice, {
        ...file({ ...user, content: 'B', at: 2 }, { ...user, content: 'A', at: 1 }),
        more: { log: [user] },
      }),
    ).toMatchObject([
      {
        said: [
          ['user', 'A', '/log/1'],
          ['user', 'B', '/log/0'],
        ],
        losses: ['1 field "more.log"'],
      },
    ])
  })

  it('reads the conversations of a record, and records that are messages by the id of their conversation', () => {
    const wrapped = { all: [{ ...file(user), name: 'N' }, file({ ...user, content: 'Ho' })] }
    expect(read({ conversations: 'all', conversation: { name: 'name' } }, wrapped)).toMatchObject([
      { name: 'N', place: '/all/0', said: [['user', 'Hi', '/all/0/log/0']] },
      { place: '/all/1' },
    ])
    const { messages: _, ...rows } = base
    const row = (of: string, content: string) => ({ kind: 'row', of, role: 'user', content })
    const declared = defineFormat({ ...rows, signature: { 'kind=row': 1 }, conversation: { externalId: 'of' } })
    const text = [row('a', '1'), row('b', '2'), row('a', '3')].map((each) => JSON.stringify(each)).join('\n')
    expect(
      parse(text, { formats: [declared] }).transcripts.map(({ externalId, turns, losses }) => [
        externalId,
        turns.length,
        losses,
      ]),
    ).toEqual([
      ['a', 2, []],
      ['b', 1, []],
    ])
  })

  it('reads the message beside the list first, or in the order of the times', () => {
    const record = { ...file({ ...user, at: 2 }), ask: { role: 'user', content: 'Where?', at: 3 } }
    const [first] = read({ opening: 'ask' }, record)
    expect(first).toMatchObject({
      said: [
        ['user', 'Where?', '/ask'],
        ['user', 'Hi', '/log/0'],
      ],
      losses: [],
    })
    const opening = ({ ask }: Record<string, unknown>) => ask
    expect(read({ opening, order: 'at' }, record)[0]?.said.map(([, content]) => content)).toEqual(['Hi', 'Where?'])
    expect(read({ opening: 'none' }, record)[0]?.said).toHaveLength(1)
  })

  it('gives functions of a message the conversation that it is in', () => {
    const declared: Partial<FormatDeclaration> = {
      role: ({ by }, _, { owner }) => (by === owner ? 'user' : 'assistant'),
      metadata: { desk: (_message, _note, { desk }) => desk },
    }
    const record = { ...file({ by: 1, content: 'Hi' }, { by: 2, content: 'Hello' }), owner: 1, desk: 'north' }
    expect(read(declared, record)[0]?.said).toEqual([
      ['user', 'Hi', { desk: 'north' }, '/log/0'],
      ['assistant', 'Hello', { desk: 'north' }, '/log/1'],
    ])
  })

  it('reads the HTML of a message without text, and names HTML that says something else than the text', () => {
    const declared = { html: 'html' }
    const message = (content: string, html: string) => ({ role: 'user', content, html })
    expect(read(declared, file(message('', '<p>Where <b>is</b><br>it?</p>')))[0]).toMatchObject({
      said: [['user', 'Where is\nit?', '/log/0']],
      losses: [],
    })
    expect(read(declared, file(message('Where is it?', '<p>Where is</p><p>it?</p>')))[0]?.losses).toEqual([])
    expect(read(declared, file(message('Where is it?', '<p>Where is the box?</p>')))[0]?.losses).toEqual([
      '1 HTML that differs from the text',
    ])
  })

  it('says nothing of a second list whose messages are all in the first', () => {
    const declared = { messages: ['log', 'short'] }
    const hello = { role: 'assistant', content: 'Hello there' }
    expect(read(declared, { ...file(user, hello), short: [hello] })[0]?.losses).toEqual([])
    expect(read(declared, { ...file(user, hello), short: [{ ...hello, content: 'Bye now' }] })[0]?.losses).toEqual([
      '1 field "short"',
    ])
  })

  it('counts what it does not read, what is too long for metadata, and what the upload has no field for', () => {
    const conversation = { metadata: { long: 'long', list: 'list', sums: 'sums', odd: 'odd' } }
    const record = {
      ...file({ ...user, mystery: 'some words' }),
      long: 'w '.repeat(800),
      list: ['a', 'b'],
      sums: { n: 1 },
      odd: [{ a: 'b' }],
      setup: { prompt: 'Be brief.' },
    }
    expect(read({ conversation, lost: ['setup'] }, record)).toMatchObject([
      {
        metadata: { long: 'w '.repeat(500), list: ['a', 'b'], sums: { n: 1 } },
        losses: ['1 field "setup"', '1 metadata "long"', '1 metadata "odd"', '1 field "mystery"'],
      },
    ])
  })

  it('refuses a wrong role, a message that is no object, and a record without messages, at their places', () => {
    const problems = (record: unknown, more: Partial<FormatDeclaration> = {}) => {
      try {
        return read(more, record, { format: 'x-log' })
      } catch (error) {
        return (error as TranscriptFileError).problems.map(({ pointer = '', message }) => `${pointer} ${message}`)
      }
    }
    expect(problems(file({ role: 'bishop' }, 5))).toEqual([
      '/log/0/role expected a role of user, assistant, system, tool, human_agent; found the string "bishop"',
      '/log/1 expected a message; found the number 5',
    ])
    expect(problems({ x: 1 })).toEqual([` expected ${base.accepts}; found an object with keys x`])
    expect(problems({ x: '1' }, { empty: 'x' })).toEqual([' expected at least one turn, found none with any content'])
  })

  it.each([
    [{ ...base, id: 'X_log' }, 'the id "X_log" is not lower-case'],
    [{ ...base, mesages: 'log' }, 'unknown option "mesages"; known are id,'],
    [{ id: 'x' }, 'missing option "title"'],
    [undefined, 'missing option "id"'],
  ])('a declaration with a mistake is refused: %#', (declaration, message) => {
    expect(() => defineFormat(declaration as FormatDeclaration)).toThrow(message)
  })
})
