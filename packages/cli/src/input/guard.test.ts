import { describe, expect, it } from 'vitest'
import { addCounts, asViolations, guard, ownKeys, redactionLine } from './credentials.js'

const key = ['sk-service', '-api03-', 'a1B2c3D4e5F6g7H8i9J0'].join('')
const body = (content: string) => ({ name: 'Conversation', turns: [{ role: 'user' as const, content }] })

describe('the guard', () => {
  it('reports each credential by name, and never prints it', () => {
    const { hits } = guard(body(`my key is ${key}`), {})
    expect(asViolations(hits)).toEqual([
      {
        pointer: '/turns/0/content',
        message: 'looks like a credential: service-key sk-service-api03-…i9J0',
        code: 'credential',
      },
    ])
  })

  it('passes credentials through if they are allowed', () => {
    const given = body(key)
    expect(guard(given, { allowSecrets: true })).toEqual({ body: given, hits: [], redacted: {} })
  })

  it('hides and counts credentials and personal data on request', () => {
    const guarded = guard(body(`${key} of a@b.cc and ${key}`), { redact: ['emails', 'secrets'] })
    expect(guarded.body.turns[0]?.content).toBe('[secret-1] of [email-1] and [secret-1]')
    expect(guarded).toMatchObject({ hits: [], redacted: { secret: 2, email: 1 } })
  })

  it('hides matches of user patterns, and still refuses credentials', () => {
    const guarded = guard(body(`ORD-7 ${key}`), { redactPattern: [{ name: 'order', pattern: /ORD-\d/u }] })
    expect(guarded.body.turns[0]?.content).toBe(`[order-1] ${key}`)
    expect(guarded.hits).toHaveLength(1)
  })

  it('treats the configured keys as credentials, whatever their form', () => {
    expect(guard(body('it is hunter2!'), {}, ['hunter2']).hits).toMatchObject([{ rule: 'own-key' }])
    expect(guard(body('it is hunter2!'), { redact: ['secrets'] }, ['hunter2']).body.turns[0]?.content).toBe(
      'it is [secret-1]!',
    )
  })

  it('searches texts for a configured key only if it has 16 or more characters', () => {
    const sourced = (value: string) => ({ value })
    const keys = { annotationApiKey: sourced('fifteen-letters'), workspaceApiKey: sourced('sixteen-letters!') }
    expect(ownKeys(keys)).toEqual(['sixteen-letters!'])
    expect(ownKeys({ annotationApiKey: sourced(key), workspaceApiKey: sourced(key) })).toEqual([key])
  })

  it('stops a pattern that does not terminate', () => {
    const flags = { redactPattern: [{ name: 'endless', pattern: /(a+)+$/u }] }
    expect(() => guard(body(`${'a'.repeat(60)}!`), flags, [], 200)).toThrow(/--redact-pattern took longer than 0.2 s/)
  })

  it('sums the hidden values by kind', () => {
    const sum = {}
    addCounts(sum, { email: 2 })
    addCounts(sum, { email: 1, order: 1 })
    expect(redactionLine(sum)).toBe('redacted: 3 emails, 1 order')
    expect(redactionLine({})).toBeUndefined()
  })
})
