import { describe, expect, it } from 'vitest'
import { angry, calm } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const oneLine = (json: string) => JSON.stringify(JSON.parse(json))

describe('svc annotate', () => {
  it('links each signal to the line of its turn in the file', async () => {
    const { svc } = createShell()
    const argv = ['annotate', 'angry.json', '--annotator', 'patterns', '--json']
    const { code, json } = await svc(argv, { files: { 'angry.json': angry } })
    const { schema, path, annotation, places } = json() as {
      schema: string
      path: string
      annotation: { signals: Record<string, { turn: number; evidence: string }> }
      places: Record<string, { line: number; column: number }>
    }
    expect([code, schema, path]).toEqual([0, 'svc/annotation@1', 'angry.json'])
    expect(Object.keys(annotation.signals).length).toBeGreaterThan(0)
    for (const [key, { turn, evidence }] of Object.entries(annotation.signals)) {
      const { line } = places[key] ?? { line: 0 }
      // The first turn stands on line 2.
      expect(line).toBe(turn + 1)
      expect(angry.split('\n')[line - 1]).toContain(evidence)
    }
  })

  it('shows the outcome, the evidence and its place on a terminal', async () => {
    const { svc } = createShell()
    const files = { 'angry.json': angry }
    const { out } = await svc(['annotate', 'angry.json', '--annotator', 'patterns'], {
      files,
      tty: true,
      env: { NO_COLOR: '1' },
    })
    expect(out).toMatch(/^(mixed|poor|critical) {2}angry {2}angry\.json\n {2}Cancel order 7\./)
    expect(out).toContain('turn 3  angry.json:4:3')
    expect(out).toContain('“')
  })

  it('annotates every transcript of a file, in its order, one line each', async () => {
    const { svc } = createShell()
    const files = { 'conversations.jsonl': `${oneLine(calm)}\n${oneLine(angry)}\n${oneLine(calm)}\n` }
    const { code, out } = await svc(['annotate', 'conversations.jsonl', '--annotator', 'structural'], { files })
    expect(code).toBe(0)
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').at(-1)),
    ).toEqual(['1', '2', '3'])
  })

  it('sends options from a file and from flags, flags above', async () => {
    let options: unknown
    const echo = {
      id: 'echo',
      annotator_version: '1',
      taxonomy_version: '1',
      description: 'd',
      annotate: (request: { options?: unknown }) => {
        options = request.options
        const summary = { title: 't', keywords: [], summary: 's', quality_concerns: 'n', user_intent: 'u', domain: 'd' }
        return { summary, outcome: 'strong' as const, outcome_notes: 'n', signals: {} }
      },
    }
    const { svc } = createShell(createSession({ annotators: [echo] }))
    const files = { 'conversation.json': calm, 'options.json': { depth: 1, kept: [true] } }
    const flags = [
      '--options',
      'options.json',
      ...['depth=3', 'tone=warm', 'none=null'].flatMap((each) => ['--option', each]),
    ]
    expect((await svc(['annotate', 'conversation.json', '--annotator', 'echo', ...flags], { files })).code).toBe(0)
    expect(options).toEqual({ depth: 3, kept: [true], tone: 'warm', none: null })
  })

  it('stops after a failure that all transcripts share, and counts the unsent ones', async () => {
    const { svc, server } = createShell()
    const lines = Array.from({ length: 9 }, (_, at) => JSON.stringify([{ role: 'user', content: `Order ${at}` }]))
    const files = { 'conversations.jsonl': lines.join('\n') }
    const argv = ['annotate', 'conversations.jsonl', '--annotator', 'structural', '-j', '2']
    const { code, err } = await svc(argv, { files, env: { SVC_API_KEY: 'wrong' } })
    expect(code).toBe(4)
    expect(err).toContain('0 transcripts annotated, 2 failed, 7 not sent')
    expect(server.requests).toHaveLength(2)
  })

  it('sends transcripts of equal content once, and prints the annotation for each', async () => {
    const { svc, server } = createShell()
    const files = { 'conversations.jsonl': `${oneLine(calm)}\n${oneLine(angry)}\n${oneLine(calm)}\n` }
    const { code, lines } = await svc(['annotate', 'conversations.jsonl', '--annotator', 'structural', '--json'], {
      files,
    })
    const printed = lines()
    expect([code, printed.map(({ record }) => record), server.requests.length]).toEqual([0, [1, 2, 3], 2])
    expect(printed[2]?.annotation).toEqual(printed[0]?.annotation)
  })

  it('reads the registry before it reports an unknown annotator', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['annotate', 'conversation.json', '--annotator', 'nope'], {
      files: { 'conversation.json': calm },
    })
    expect(code).toBe(5)
    expect(err).toBe('svc: There is no annotator "nope".\nhint: the registry has structural, patterns\n')
  })

  it.each([
    ['no annotator', ['annotate', 'conversation.json'], 2, '--annotator'],
    [
      'an unreadable options file',
      ['annotate', 'conversation.json', '--annotator', 'a', '--options', 'no.json'],
      3,
      'no.json',
    ],
    [
      'options that are no object',
      ['annotate', 'conversation.json', '--annotator', 'a', '--options', 'list.json'],
      3,
      'one JSON object',
    ],
    ['broken JSON', ['annotate', 'broken.json', '--annotator', 'a'], 3, 'broken.json:1:9'],
  ])('svc annotate is refused for %s', async (_, argv, exitCode, words) => {
    const { svc, server } = createShell()
    const { code, err } = await svc(argv, {
      files: { 'conversation.json': calm, 'list.json': [], 'broken.json': '{"turns"' },
    })
    expect(code).toBe(exitCode)
    expect(err).toContain(words)
    expect(server.requests).toHaveLength(0)
  })
})

it('svc annotate takes many files, and prints a failure that several share once, at the end', async () => {
  const { svc } = createShell()
  const files = {
    'a.json': [{ role: 'user', content: 'a' }],
    'b/1.json': [{ role: 'user', content: 'b' }],
    'b/2.json': [{ role: 'user', content: 'c' }],
  }
  const done = await svc(['annotate', 'a.json', 'b', '--annotator', 'structural'], { files })
  expect([done.code, done.err, done.out.split('\n').length]).toEqual([0, '', 4])
  const failed = await svc(['annotate', 'a.json', 'b', '--annotator', 'structral', '-j', '1'])
  expect(failed.code).toBe(5)
  expect(failed.err).toMatch(
    /^svc: .*There is no annotator "structral"\.\nhint: did you mean structural\?.*\n0 transcripts annotated, 1 failed, 2 not sent\n$/,
  )
})
