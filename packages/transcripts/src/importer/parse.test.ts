import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { formats } from '../formats/registry.js'
import { type FormatId, type Loss, parse, parseStream, type Role, TranscriptFileError, type Turn } from '../index.js'
import { sampledRecords } from './detect.js'

function problemsOf(text: string, format?: FormatId) {
  try {
    parse(text, { format })
  } catch (error) {
    if (error instanceof TranscriptFileError) return error
    throw error
  }
  throw new Error('parsed')
}

describe('problems', () => {
  it('reports all problems at once, in the order of the file, with line, column, record and pointer', () => {
    const good = '{"messages":[{"role":"user","content":"a"}]}'
    const bad = '{"messages":[{"role":"user","content":"a"},{"role":"bot","content":"b"},{"role":"user","content":5}]}'
    const error = problemsOf([good, bad, '', '{"messages":[}', good].join('\n'))
    expect(error.problems).toEqual([
      {
        message: 'expected a role of system, developer, user, assistant, tool, function; found the string "bot"',
        line: 2,
        column: bad.indexOf('"bot"') + 1,
        record: 2,
        pointer: '/messages/1/role',
      },
      {
        message: 'expected content that is text, null or an array of parts; found the number 5',
        line: 2,
        column: bad.indexOf('5}') + 1,
        record: 2,
        pointer: '/messages/2/content',
      },
      { message: 'expected a value, found }', line: 4, column: 14, record: 4 },
    ])
    expect(error.message.split('\n')).toEqual([
      'line 2, column 52 (/messages/1/role): expected a role of system, developer, user, assistant, tool, function; found the string "bot"',
      'line 2, column 98 (/messages/2/content): expected content that is text, null or an array of parts; found the number 5',
      'line 4, column 14: expected a value, found }',
    ])
  })

  it('beyond twenty are counted in the message and kept in the list', () => {
    const error = problemsOf(`{"messages":[]}\n${'{\n'.repeat(30)}`)
    expect(error.problems).toHaveLength(31)
    expect(error.message.split('\n').at(-1)).toBe('and 11 more problems')
  })

  it('name a tool call that hides in the content of another format', () => {
    const text = JSON.stringify({ messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'f' }] }] })
    expect(problemsOf(text, 'openai-chat').problems[0]).toMatchObject({
      pointer: '/messages/0/content/0',
      message: /"tool_use"/,
    })
  })

  it('name lines that are not of the file’s format', () => {
    const good = '{"messages":[{"role":"user","content":"a"}]}'
    expect(problemsOf(`${good}\n${good}\n{"event":1}`).problems).toMatchObject([
      { line: 3, message: /expected \{ "messages".*found an object with keys event/ },
    ])
  })
})

describe('a file without any turn', () => {
  it.each([
    ['', 'the file is empty'],
    ['[]', 'found an empty array'],
    ['{"a":1,"b":2,"c":3}', 'found an object with keys a, b, c'],
    ['"hello"', 'found the string "hello"'],
    ['{"messages":[]}', 'expected at least one turn'],
    ['{"messages":[{"role":"user","content":""}]}', 'expected at least one turn'],
    ['{"name":"n","turns":[]}', 'expected at least one turn'],
  ])('a file without any turn is an error: %j', (text, message) => {
    expect(problemsOf(text).message).toContain(message)
  })

  it('a file without any turn is an error under a forced format too', () => {
    for (const { id } of formats)
      expect(problemsOf('{"a":1}', id).message).toMatch(/expected .*; ?found |expected .*, found /s)
  })
})

it('is read no further after a problem, where that is asked for', async () => {
  const taken: string[] = []
  async function* parts() {
    for (const content of ['a', 'b', undefined, 'c', 'd']) {
      taken.push(content ?? 'broken')
      yield content ? `{"turns":[{"role":"user","content":"${content}"}]}\n` : '{"turns": oops}\n'
    }
  }
  const read: unknown[] = []
  const reading = async () => {
    const options = { format: 'upload', stopAtFirst: true } as const
    for await (const { turns } of parseStream(parts(), options)) read.push(turns[0]?.content)
  }
  await expect(reading()).rejects.toThrow(TranscriptFileError)
  expect([read, taken]).toEqual([
    ['a', 'b'],
    ['a', 'b', 'broken'],
  ])
})

it('gives the transcripts of a stream that are right, and throws at its end', async () => {
  const read: unknown[] = []
  const line = (content: string) => `{"name":"n","turns":[{"role":"user","content":"${content}"}]}\n`
  const reading = async () => {
    const parts = [line('a') + line('b').slice(0, 9), line('b').slice(9), 'broken\n', line('c')]
    for await (const { turns } of parseStream(parts)) read.push(turns[0]?.content)
  }
  await expect(reading()).rejects.toThrow(TranscriptFileError)
  expect(read).toEqual(['a', 'b', 'c'])
})

it('refuses a format it does not know', () => {
  expect(() => parse('[]', { format: 'csv' as FormatId })).toThrow(
    `unknown format "csv"; known are ${formats.map(({ id }) => id).join(', ')}`,
  )
})

it('reads a small table with a single letter beyond ASCII', () => {
  const said = `${'word '.repeat(100)}é`
  const { transcripts } = parse(Buffer.from(`role,content\nuser,${said}\nassistant,yes\n`))
  expect(transcripts.map(({ turns }) => turns.map(({ content }) => content))).toEqual([[said, 'yes']])
})

it('lists what each format drops, by transcript', () => {
  const { transcripts } = parse(
    '[{"messages":[{"role":"user","content":"a\\u0000"}]},{"messages":[{"role":"user","content":"b"}]}]',
  )
  expect(transcripts.map(({ losses }) => losses)).toEqual([
    [{ code: 'changed', what: 'null character', why: 'many databases refuse it', count: 1 }],
    [],
  ])
})

describe('hostile input', () => {
  it.each([
    ['['.repeat(300_000)],
    ['['.repeat(300_000) + ']'.repeat(300_000)],
    [`${'{"messages":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    [`{"messages":[{"role":"bot","content":"a"}${',{"role":"bot"}'.repeat(20_000)}]}`],
    [`{}\n${'{"a\n'.repeat(20_000)}`],
    [`"${'\\"'.repeat(300_000)}`],
  ])('hostile input is refused with a position and nothing else', (text) => {
    for (const problem of problemsOf(text).problems) {
      expect(problem.line).toBeGreaterThan(0)
      expect(problem.column).toBeGreaterThan(0)
    }
  })

  it('either parses to turns or throws a TranscriptFileError, whatever the text', () => {
    const json = fc.jsonValue({ maxDepth: 1 })
    const role = fc.constantFrom('user', 'tool', 'assistant', 'developer', 'bot', 5)
    const field = fc.constantFrom(
      'role',
      'content',
      'tool_calls',
      'toolCalls',
      'metadata',
      'name',
      'refusal',
      'toolResults',
    )
    const message = fc.oneof(fc.record({ role, content: fc.oneof(fc.string(), json) }), fc.dictionary(field, json))
    const key = fc.constantFrom('messages', 'turns', 'transcript', 'name', 'data')
    const file = fc.oneof(
      fc.array(message),
      fc.dictionary(key, fc.array(message)),
      fc.array(fc.dictionary(key, fc.array(message))),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          file.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        (text) => {
          try {
            const { transcripts } = parse(text)
            expect(
              transcripts.every(({ turns }) => turns.length > 0 && turns.every(({ content }) => content !== '')),
            ).toBe(true)
          } catch (error) {
            expect(error).toBeInstanceOf(TranscriptFileError)
            expect((error as TranscriptFileError).problems.length).toBeGreaterThan(0)
          }
        },
      ),
      { numRuns: runs(100) },
    )
  })
})

it('distinguishes a file without a conversation from a broken one by a code', () => {
  const line = { type: 'user', sessionId: 's', uuid: 'u', isSidechain: true, message: { role: 'user', content: 'hi' } }
  const codeOf = (value: unknown) => {
    try {
      return parse(JSON.stringify(value)).format
    } catch (error) {
      return (error as TranscriptFileError).problems.map(({ code }) => code)
    }
  }
  expect(codeOf(line)).toEqual(['only_subagents'])
  expect(codeOf({ type: 'summary', summary: 'Tidying up', leafUuid: 'x' })).toEqual(['nothing_said'])
  expect(codeOf({ type: 'session_meta', timestamp: '2026-01-01T10:00:00Z', payload: { id: 's' } })).toEqual([
    'nothing_said',
  ])
  expect(codeOf({ sessionId: 's', projectHash: 'p', startTime: '2026-01-01T10:00:00Z' })).toEqual(['nothing_said'])
  expect(codeOf([{ type: 'message', subtype: 'bot_message', bot_id: 'B', text: '', ts: '1767312000.1' }])).toEqual([
    'nothing_said',
  ])
  expect(codeOf({ id: 'c', title: 't', mapping: {}, current_node: null, create_time: 1 })).toEqual(['nothing_said'])
  // A format that reads the records of many products may not know where their messages are.
  expect(codeOf({ turns: [] })).toEqual([undefined])
  expect(codeOf({ name: 'app', version: '1.0.0' })).toEqual(['unknown_format'])
  expect(codeOf([])).toEqual(['empty_file'])
})

it('skips a session without messages in a log that has others, with its id and line', () => {
  const header = (id: string) => ({ type: 'session', id, timestamp: '2026-01-02T10:00:00Z', cwd: '/app' })
  const message = {
    type: 'message',
    id: '1',
    timestamp: '2026-01-02T10:00:01Z',
    message: { role: 'user', content: 'Hi' },
  }
  const log = [header('empty'), header('full'), message].map((line) => JSON.stringify(line)).join('\n')
  const { transcripts, skipped } = parse(log)
  expect(transcripts.map(({ externalId }) => externalId)).toEqual(['full'])
  expect(skipped).toMatchObject([{ line: 1, code: 'nothing_said', message: expect.stringContaining('(id "empty")') }])
})

it('has the types of the interface', () => {
  expectTypeOf<Role>().toEqualTypeOf<'user' | 'assistant' | 'system' | 'tool' | 'human_agent'>()
  expectTypeOf<'openai-chat'>().toExtend<FormatId>()
  expectTypeOf<string>().not.toExtend<FormatId>()
  expectTypeOf<Turn['createdAt']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Loss['code']>().toEqualTypeOf<'dropped' | 'cut' | 'merged' | 'invented' | 'changed'>()
})

describe('a pause between records', () => {
  const one = '{"messages":[{"role":"user","content":"a"}]}\n'
  const rows = Array.from({ length: 200 }, (_, n) => `c${n},user,a${n}\n`)
  const spans = Array.from({ length: 200 }, (_, n) => ({
    traceId: `t${n}`,
    spanId: 's',
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
      { key: 'gen_ai.prompt.0.content', value: { stringValue: 'a' } },
      { key: 'gen_ai.prompt.0.role', value: { stringValue: 'user' } },
    ],
  }))
  const flat = Array.from({ length: 200 }, (_, n) => `{"conversation_id":"c${n}","role":"user","content":"a"}\n`)
  const files: [what: string, text: string][] = [
    ['lines', one.repeat(200)],
    ['an array', `[${Array.from({ length: 200 }, () => one).join(',')}]`],
    ['a table, which is complete only at its end', ['conversation_id,role,content\n', ...rows].join('')],
    ['traces, which are complete only at their end', JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })],
    ['messages of many conversations', flat.join('')],
  ]

  it.each(files)('is made at the latest after as many records as the format is chosen by: %s', async (_, text) => {
    let read = 0
    let mostAtOnce = 0
    let before = 0
    const pause = async () => {
      mostAtOnce = Math.max(mostAtOnce, read - before)
      before = read
    }
    for await (const _ of parseStream([text], { pause })) read++
    expect(read).toBe(200)
    expect(mostAtOnce).toBeLessThanOrEqual(sampledRecords)
  })

  it.each(files)('ends the reading when it rejects: %s', async (_, text) => {
    let pauses = 0
    const pause = async () => {
      if (++pauses === 3) throw new Error('stop')
    }
    const read = async () => {
      for await (const _ of parseStream([text], { pause }));
    }
    await expect(read()).rejects.toThrow('stop')
    expect(pauses).toBe(3)
  })
})
