import { describe, expect, it } from 'vitest'
import { angry, calm } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

describe('svc check', () => {
  const files = { 'conversations/angry.json': angry, 'conversations/calm.json': calm }
  const check = (...argv: string[]) => ['check', 'conversations', '--annotator', 'patterns', ...argv]

  it('passes with 0 when nothing is as bad as the limit', async () => {
    const { svc } = createShell()
    const { code, out } = await svc(['check', 'calm.json', '--annotator', 'patterns'], { files: { 'calm.json': calm } })
    expect([code, out]).toEqual([
      0,
      'judged: 1 transcript from 1 file by patterns 1.0.0; rules: failOn poor\npassed: no transcript is poor or worse (1 judged)\n',
    ])
  })

  it('fails with 100, and points at the turn in the file', async () => {
    const { svc } = createShell()
    const { code, out } = await svc(check('--fail-on', 'mixed'), { files })
    expect(code).toBe(100)
    expect(out).toContain('conversations/angry.json:4:3')
    expect(out.trimEnd().split('\n').at(-1)).toBe('failed: 1 of 2 transcripts is mixed or worse')
  })

  it('prints one JSON document with --json, with the verdict of the exit code', async () => {
    const { svc } = createShell()
    const { code, json } = await svc(check('--fail-on', 'mixed', '--json'), { files })
    expect(json()).toMatchObject({
      schema: 'svc/check@2',
      verdict: 'failed',
      exit: code,
      policy: { failOn: 'mixed' },
      total: 2,
      judged: 2,
      requests: { sent: 2, cached: 0, same: 0 },
      cases: [
        {
          ...{ path: 'conversations/angry.json', record: 1, line: 2, column: 3, result: 'failed' },
          signals: [{ line: 4, column: 3, turn: 3 }, { line: 4 }],
        },
        { path: 'conversations/calm.json', result: 'passed', gap: null },
      ],
    })
  })

  it('ends with 101 if the outcome is indeterminate', async () => {
    const { svc } = createShell()
    const silent = '[{"role": "assistant", "content": "Hello."}]'
    const { code, out } = await svc(['check', 'silent.json', '--annotator', 'structural'], {
      files: { 'silent.json': silent },
    })
    expect(code).toBe(101)
    expect(out).toContain('indeterminate')
    expect(out).toContain('could not judge: 1 of 1 not judged')
  })

  it('ends with 75 if the service could not be reached', async () => {
    const session = createSession()
    const down = async () => new Response('{"error":"unavailable","detail":"down"}', { status: 503 })
    const { svc, clock } = createShell({ ...session, fetch: down })
    const { code, out } = await clock.until(svc(check(), { files }))
    expect(code).toBe(75)
    expect(out).toContain('temporary failures, run it again')
  })

  it('fails although others could not be judged', async () => {
    const { svc } = createShell()
    const more = { ...files, 'conversations/silent.json': '[{"role": "assistant", "content": "x"}]' }
    const { code } = await svc(['check', 'conversations', '--annotator', 'structural', '--fail-on', 'mixed'], {
      files: more,
    })
    expect(code).toBe(100)
  })

  it('svc check is refused without transcripts, without a key, and without such an annotator', async () => {
    const { svc } = createShell()
    expect((await svc(['check', '--annotator', 'patterns'])).code).toBe(2)
    expect((await svc(['check', 'empty', '--annotator', 'patterns'], { files: { 'empty/readme.md': '' } })).code).toBe(
      2,
    )
    expect((await svc(check(), { files, env: { SVC_API_KEY: '' } })).code).toBe(4)
    expect((await svc(['check', 'conversations', '--annotator', 'nope'], { files })).code).toBe(2)
    expect((await svc(check('--fail-on', 'bad'), { files })).code).toBe(2)
  })

  it('judges whatever could be annotated, in whatever order the refusals came', async () => {
    const answers = (statuses: number[]) => (request: Request) =>
      request.url.endsWith('/annotations')
        ? Promise.resolve(new Response('{}', { status: statuses.shift() ?? 200 }))
        : createSession().fetch(request)
    for (const statuses of [
      [422, 503, 503, 503],
      [503, 503, 503, 422],
    ]) {
      const { svc, clock } = createShell({ ...createSession(), fetch: answers(statuses) })
      const { code, json } = await clock.until(svc(check('--json', '-j', '1'), { files }))
      expect(code).toBe(101)
      expect(json()).toMatchObject({
        verdict: 'not judged',
        cases: [{ gap: { why: 'not annotated', detail: expect.any(String) } }, { gap: {} }],
      })
    }
  })

  it('shows the judged transcripts after a stop', async () => {
    const session = createSession()
    const stop = new AbortController()
    const once = async (request: Request) => {
      if (request.url.endsWith('/annotations')) stop.abort('SIGINT')
      return session.fetch(request)
    }
    const { svc } = createShell({ ...session, fetch: once })
    const { code, json } = await svc(check('--json', '-j', '1', '--fail-on', 'mixed'), { files, signal: stop.signal })
    expect(code).toBe(130)
    expect(json()).toMatchObject({ verdict: 'failed', judged: 1, total: 2 })
  })

  it('prints the number of requests with --dry-run', async () => {
    const { svc, server } = createShell()
    const { code, err } = await svc(check('--dry-run'), { files })
    expect([code, err]).toEqual([
      0,
      '2 requests (5 messages, about 96 tokens in) would be made for 2 transcripts with patterns; nothing was sent\n',
    ])
    const { lines } = await svc(check('--dry-run', '--json'), { files })
    expect(lines()).toMatchObject([
      { result: 'planned', path: 'conversations/angry.json' },
      { result: 'planned', path: 'conversations/calm.json' },
      { schema: 'svc/check-plan@1', planned: 2 },
    ])
    expect(server.requests).toHaveLength(0)
  })
})
