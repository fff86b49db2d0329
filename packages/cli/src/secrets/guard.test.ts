import { describe, expect, it } from 'vitest'
import { addCounts, asViolations, guard, ownKeys, redactionLine } from './guard.js'

const key = ['sk-service', '-api03-', 'a1B2c3D4e5F6g7H8i9J0'].join('')
const body = (content: string) => ({ name: 'Talk', turns: [{ role: 'user' as const, content }] })

describe('the guard', () => {
  it('names each credential, and never shows it', () => {
    const { hits } = guard(body(`my key is ${key}`), {})
    expect(asViolations(hits)).toEqual([
      { pointer: '/turns/0/content', message: 'looks like a credential: service-key sk-service-api03-…i9J0' },
    ])
  })

  it('lets credentials through where they are allowed', () => {
    const given = body(key)
    expect(guard(given, { allowSecrets: true })).toEqual({ body: given, hits: [], redacted: {} })
  })

  it('hides credentials and personal data where it is asked to, and counts them', () => {
    const guarded = guard(body(`${key} of a@b.cc and ${key}`), { redact: ['emails', 'secrets'] })
    expect(guarded.body.turns[0]?.content).toBe('[secret-1] of [email-1] and [secret-1]')
    expect(guarded).toMatchObject({ hits: [], redacted: { secret: 2, email: 1 } })
  })

  it('hides what own patterns match; that alone lets no credential through', () => {
    const guarded = guard(body(`ORD-7 ${key}`), { redactPattern: [{ name: 'order', pattern: /ORD-\d/u }] })
    expect(guarded.body.turns[0]?.content).toBe(`[order-1] ${key}`)
    expect(guarded.hits).toHaveLength(1)
  })

  it('takes the keys in use for credentials, whatever they look like', () => {
    expect(guard(body('it is hunter2!'), {}, ['hunter2']).hits).toMatchObject([{ rule: 'own-key' }])
    expect(guard(body('it is hunter2!'), { redact: ['secrets'] }, ['hunter2']).body.turns[0]?.content).toBe(
      'it is [secret-1]!',
    )
  })

  it('takes no short key for one that a text gives away', () => {
    const sourced = (value: string) => ({ value, origin: { layer: 'environment', from: 'SVC_API_KEY' } as const })
    const keys = { annotationApiKey: sourced('fifteen-letters'), workspaceApiKey: sourced('sixteen-letters!') }
    expect(ownKeys(keys)).toEqual(['sixteen-letters!'])
    expect(ownKeys({ annotationApiKey: sourced(key), workspaceApiKey: sourced(key) })).toEqual([key])
  })

  it('stops a pattern that comes to no end', { timeout: 30_000 }, () => {
    const flags = { redactPattern: [{ name: 'endless', pattern: /(a+)+$/u }] }
    expect(() => guard(body(`${'a'.repeat(60)}!`), flags)).toThrow(/--redact-pattern took longer/)
  })

  it('sums the hidden values by kind', () => {
    const sum = {}
    addCounts(sum, { email: 2 })
    addCounts(sum, { email: 1, order: 1 })
    expect(redactionLine(sum)).toBe('redacted: 3 emails, 1 order')
    expect(redactionLine({})).toBeUndefined()
  })
})
