import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

/** Put together here so that nothing which looks for keys in this repository finds one. */
const key = ['sk-service', '-api03-', 'a1B2c3D4e5F6g7H8i9J0'].join('')
const conversation = (...contents: string[]) => JSON.stringify(contents.map((content) => ({ role: 'user', content })))
const conversations = [
  conversation('hi'),
  conversation('hello', `my key is ${key}`),
  conversation(`Authorization: Bearer ${key}`),
]
const files = { 'conversations.jsonl': `${conversations.join('\n')}\n` }

describe.each([
  ['annotate', 0],
  // Conversations without an answer are judged poor.
  ['check', 100],
] as const)('svc %s', (command, done) => {
  const argv = [command, 'conversations.jsonl', '--annotator', 'structural']

  it('refuses to send credentials, names every place, and shows none of them', async () => {
    const { svc, server } = createShell()
    const { code, out, err } = await svc(argv, { files })
    expect([code, out]).toEqual([3, ''])
    expect(err).toBe(`svc: The input has 2 credentials; nothing was sent.
  conversations.jsonl:2:36 /transcript/1/content looks like a credential: service-key sk-service-api03-…i9J0
  conversations.jsonl:3:2 /transcript/0/content looks like a credential: service-key sk-service-api03-…i9J0
hint: --redact=all hides credentials and personal data, --redact=secrets credentials only; --allow-secrets sends them unchanged
`)
    expect(server.requests).toEqual([])
  })

  it('refuses the configured key in any form', async () => {
    const { svc, server } = createShell()
    const env = { SVC_API_KEY: 'correct-horse-battery' }
    const { code, err } = await svc([command, '-', '--annotator', 'structural'], {
      stdin: conversation('it is correct-horse-battery'),
      env,
    })
    expect(code).toBe(3)
    expect(err).toContain('own-key …')
    expect(server.requests).toEqual([])
  })

  it('takes a short key in use for a word like any other', async () => {
    const { svc, server } = createShell()
    server.world.createKey({ key: 'hello' })
    const argv = [command, '-', '--annotator', 'structural']
    expect((await svc(argv, { stdin: conversation('hello'), env: { SVC_API_KEY: 'hello' } })).code).toBe(done)
    expect(server.requests.filter(({ path }) => path === '/v1/annotations')).toHaveLength(1)
  })

  it('sends them as they are where that is allowed', async () => {
    const { svc, server } = createShell()
    expect((await svc([...argv, '--allow-secrets'], { files })).code).toBe(done)
    expect(server.requests.length).toBeGreaterThanOrEqual(3)
  })

  it('hides the requested kinds, and counts them', async () => {
    const { svc } = createShell()
    const stdin = conversation('a@b.cc or +49 30 1234567, order ORD-77', 'a@b.cc')
    const rest = ['--annotator', 'structural', '--redact', '--redact-pattern', 'order=ORD-\\d+']
    const { code, err } = await svc([command, '-', ...rest], { stdin })
    expect(code).toBe(done)
    expect(err).toContain('redacted: 1 order, 2 emails, 1 phone\n')
  })
})

describe('the flags of the guard', () => {
  it.each([
    [['--redact=names'], /Expected some of emails,phones,cards,/],
    [['--redact-pattern', 'order=('], /Invalid regular expression/],
    [['--redact-pattern', 'ORD'], /Expected name=regex/],
  ])('%j is a usage error', async (flags, reported) => {
    const { svc, server } = createShell()
    const { code, err } = await svc(['annotate', '-', '--annotator', 'structural', ...flags], {
      stdin: conversation('hi'),
    })
    expect(code).toBe(2)
    expect(err).toMatch(reported)
    expect(server.requests).toEqual([])
  })
})
