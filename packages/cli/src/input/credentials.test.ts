import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rules, scanBody, scanText } from './credentials.js'

/** Made up, and put together here so that nothing which looks for keys in this repository finds one. */
const random = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6'
const of = (...parts: string[]) => parts.join('')
const jwt = of('ey', 'JhbGciOiJIUzI1NiJ9', '.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N')

const samples: [rule: string, prefix: string, text: string][] = [
  ['service-key', 'sk-service-api03-', random.slice(0, 24)],
  ['service-key', 'sk-legacy-api03-', random.slice(0, 24)],
  ['anthropic-key', 'sk-ant-', `api03-${random}`],
  ['openai-key', 'sk-proj-', random],
  ['openai-key', 'sk-', random.slice(0, 48)],
  ['aws-access-key-id', 'AKIA', 'Q3R5T7U2V4W6X2Y3'],
  ['google-key', 'AIza', random.slice(0, 35)],
  ['azure-key', 'AccountKey=', `${random}${random.slice(0, 34)}==`],
  ['github-token', 'ghp_', random.slice(0, 36)],
  ['github-token', 'github_pat_', random],
  ['gitlab-token', 'glpat-', random.slice(0, 20)],
  ['slack-token', 'xoxb-', `123456789012-${random.slice(0, 24)}`],
  ['stripe-key', 'sk_live_', random.slice(0, 24)],
  ['sendgrid-key', 'SG.', `${random.slice(0, 22)}.${random.slice(0, 43)}`],
  ['discord-token', 'M', `${random.slice(0, 23)}.G${random.slice(0, 5)}.${random.slice(0, 38)}`],
  ['discord-webhook', 'discord.com/api/webhooks/', `123456789012345678/${random}${random.slice(0, 16)}`],
  ['npm-token', 'npm_', random.slice(0, 36)],
  ['hugging-face-token', 'hf_', random.slice(0, 34)],
  ['jwt', 'eyJ', jwt.slice(3)],
]

/** Secrets that only their context reveals: the text before the secret, the secret, the text after it. */
const namedSamples: [rule: string, before: string, value: string, after: string][] = [
  ['bearer-token', 'Authorization: Bearer ', random.slice(0, 24), ''],
  ['bearer-token', '{"authorization": "basic ', `${random.slice(0, 24)}==`, '"}'],
  ['bearer-token', '{\\"access_token\\": \\"', random.slice(0, 24), '\\"}'],
  ['bearer-token', 'access_token=', random.slice(0, 24), ''],
  ['aws-secret-key', 'AWS_SECRET_ACCESS_KEY=', random.slice(0, 40), ''],
  ['aws-secret-key', '"SecretAccessKey": "', random.slice(0, 40), '"'],
  ['aws-secret-key', 'AWS secret access key: ', random.slice(0, 40), ''],
  ['connection-string', 'postgres://shop:', 'hunter2!hunter2!', '@db.internal:5432/orders'],
  ['connection-string', 'mongodb+srv://u:', 'p@w-9876-p:w-9876', '@cluster0.abc.mongodb.net'],
  ['connection-string', 'redis://:', 'correct-horse', '@cache:6379'],
  ['assigned-secret', 'export STRIPE_SECRET_KEY=', random.slice(0, 12), ''],
  ['assigned-secret', "DB_PASSWORD='", 'hunter2-hunter2', "'"],
  ['assigned-secret', 'api_key=', random.slice(0, 20), ''],
]

const privateKeys = [
  of('-----BEGIN RSA', ' PRIVATE KEY-----\n', random),
  of('-----BEGIN', ' PRIVATE KEY-----\\n', random),
  of('-----BEGIN PGP', ' PRIVATE KEY BLOCK-----\nVersion: 1\n\n', random),
]

const within = (text: string) => [
  text,
  `It is ${text}, he said.`,
  `x\n${text}\ny`,
  `«${text}»`,
  `文字 ${text} 文字`,
  `${text}.`,
]

describe('a scan of a text', () => {
  it.each(samples)(
    'finds a %s that begins %s, and shows no more of it than that and its last four',
    (rule, prefix, rest) => {
      for (const text of within(prefix + rest)) {
        const masked = `${prefix}…${rest.replace(/=+$/, '').slice(-4)}`
        expect(scanText(text).map((hit) => [hit.rule, hit.masked])).toEqual([[rule, masked]])
      }
    },
  )

  it.each(namedSamples)('finds a %s after %j, and shows its last four', (rule, before, value, after) => {
    for (const text of within(before + value + after)) {
      const masked = `…${value.replace(/=+$/, '').slice(-4)}`
      expect(scanText(text).map((hit) => [hit.rule, hit.masked])).toEqual([[rule, masked]])
    }
  })

  it.each(privateKeys.map((key) => [key.split('-----')[1], key] as const))(
    'finds the key after "%s", and shows its header',
    (_, key) => {
      for (const text of within(key)) {
        expect(scanText(text)).toMatchObject([
          { rule: 'private-key', masked: expect.stringMatching(/^-----BEGIN .*-----…$/) },
        ])
      }
    },
  )

  it('matches a private key up to its footer, or to the end of the text without one', () => {
    const [first = '', second = ''] = privateKeys
    const whole = `${first}\n-----END RSA PRIVATE KEY-----`
    const text = `a ${whole} and ${second} b`
    expect(scanText(text).map(({ start, end }) => text.slice(start, end))).toEqual([whole, `${second} b`])
  })

  it('returns the start and the end of each secret', () => {
    const first = of('sk-service', '-api03-', random)
    const second = of('gh', 'p_', random)
    const text = `a ${first} and ${second}.`
    expect(scanText(text).map(({ start, end }) => text.slice(start, end))).toEqual([first, second])
  })

  it.each([
    'My task-service-api03-is-a-long-name-for-it 1234567890',
    of('sk-service', '-api03-xxxxxxxxxxxxxxxxxxxx'),
    of('sk-service', '-api03-YOUR-KEY-HERE-1234'),
    of('AK', 'IA', 'IOSFODNN7EXAMPLE'),
    'Bearer authentication-with-a-token-is-described-below',
    'Authorization: Bearer $SVC_API_KEY',
    of('The file begins with -----BEGIN', ' PRIVATE KEY-----, and that is all.'),
    'https://example.com/a/very/long/path/with/20260131/numbers-1234567890.html?x=1',
    'commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
    'eyJ is how a token begins',
    'postgres://user:password@localhost/db, and https://example.com:8080/@ann',
    'amqp://queue.internal:kT9vQ2xLp7 and ftp://ann:k9@files.internal',
    'API_KEY=process.env.API_KEY2 or API_KEY=$API_KEY2, MAX_TOKENS=12345678, TOKEN=<your-token-1>',
    'The password = something that you know, say 12345',
    'SG.1 and M.2.3 are numbers of shelves',
  ])('finds nothing in %j', (text) => {
    expect(scanText(text)).toEqual([])
  })

  it('finds configured keys, whatever their form', () => {
    expect(scanText('my key is hunter2 ok', ['hunter2'])).toEqual([
      { rule: 'own-key', start: 10, end: 17, masked: '…' },
    ])
  })

  it('never prints the content of a key', () => {
    const secret = fc.string({ unit: fc.constantFrom(...random), minLength: 36, maxLength: 60 })
    fc.assert(
      fc.property(secret, fc.constantFrom('sk-service-api03-', 'ghp_', 'Bearer ', 'npm_'), (value, prefix) => {
        for (const { masked } of scanText(`${prefix}${value}`)) expect(masked).not.toContain(value.slice(0, -4))
      }),
    )
  })

  it('takes time linear in the length of any text', () => {
    // A quadratic pattern would take hours for these.
    const seeds = [
      'eyJ',
      '-eyJ',
      'eyJaaaaaaaa.',
      'sk-',
      'sk-ant-',
      'a',
      '=',
      'a=',
      'Bearer ',
      'token=',
      'A_',
      'SECRET_KEY=',
      'M12345678901234567890123.',
      'a://',
      'a://b:',
      '-----BEGIN ',
      'A',
    ] as const
    const more = [
      ...seeds,
      '-----BEGIN PRIVATE KEY-----',
      'hooks.slack.com/services/T1234567/',
      '1Q~',
      'AccountKey=',
      'xoxb-',
    ] as const
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...more), { minLength: 1, maxLength: 3 }), (unit) => {
        const piece = unit.join('')
        scanText(piece.repeat(Math.ceil(500_000 / piece.length)))
      }),
      { numRuns: 20 },
    )
  }, 60_000)

  it('a scan of a text has a sample for every rule except those of rare vendors', () => {
    const shown = new Set([...samples, ...namedSamples].map(([rule]) => rule))
    const ids = rules.map(({ id }) => id)
    expect(ids.filter((id) => !shown.has(id))).toEqual(['azure-client-secret', 'slack-webhook'])
  })
})

describe('a scan of a body', () => {
  const key = of('sk-service', '-api03-', random)
  const hitsIn = (body: unknown) => scanBody(body).map(({ rule, pointer }) => `${rule} ${pointer}`)

  it('reports each place as a JSON pointer', () => {
    const body = {
      name: key,
      turns: [
        { role: 'user', content: `hi ${key}` },
        { role: 'assistant', content: '', toolCalls: [{ name: 'get', args: { headers: { 'a/b': [key] } } }] },
        { role: 'tool', content: '', toolResults: [{ name: 'get', result: key }], metadata: { note: key } },
      ],
    }
    expect(hitsIn(body)).toEqual([
      'service-key /name',
      'service-key /turns/0/content',
      'service-key /turns/1/toolCalls/0/args/headers/a~1b/0',
      'service-key /turns/2/toolResults/0/result',
      'service-key /turns/2/metadata/note',
    ])
  })

  it('uses the name of a field as the text before its value', () => {
    const args = { aws_secret_access_key: random.slice(0, 40), access_token: random, n: random }
    expect(hitsIn({ args })).toEqual(['aws-secret-key /args/aws_secret_access_key', 'bearer-token /args/access_token'])
  })

  it('never puts a name that is a credential into a pointer', () => {
    const all = scanBody({ metadata: { [key]: { deep: key } } })
    expect(all.map(({ pointer }) => pointer)).toEqual(['/metadata', '/metadata/sk-service-api03-…y5Z6/deep'])
    expect(JSON.stringify(all)).not.toContain(random.slice(0, 10))
  })
})
