import type { TranscriptUpload } from '@svc/client'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kinds } from './finders.js'
import { type RedactRules, redact } from './redact.js'

const upload = (...contents: string[]): TranscriptUpload => ({
  name: 'Conversation',
  turns: contents.map((content) => ({ role: 'user', content })),
})
const contentsOf = (given: TranscriptUpload, rules?: RedactRules) =>
  redact(given, rules).value.turns.map(({ content }) => content)
const hidden = (text: string, rules?: RedactRules) => contentsOf(upload(text), rules)[0]

describe('redact', () => {
  it.each([
    ['write to jane.doe+x@mail.example.co.uk.', 'write to [email-1].'],
    ['<Jörg@Bücher.example>', '<[email-1]>'],
    ['a@b.cc,d@e.ff', '[email-1],[email-2]'],
    ['Jane@Example.com, jane@example.com', '[email-1], [email-1]'],
    ['call +49 (0)30 1234-5678 now', 'call [phone-1] now'],
    ['(415) 555-2671, 415.555.2671, +1 415 555 2671', '[phone-1], [phone-1], [phone-2]'],
    ['Phone:030 1234567, 2 x 415-555-2671+49301234567', 'Phone:[phone-1], 2 x [phone-2][phone-3]'],
    ['06 12 34 56 78 or 0171/2345678', '[phone-1] or [phone-2]'],
    ['card 4111 1111 1111 1111, exp 04/27', 'card [card-1], exp 04/27'],
    ['4111-1111-1111-1111 123 and 378282246310005', '[card-1] 123 and [card-2]'],
    ['2 x 5555555555554444', '2 x [card-1]'],
    ['IBAN DE89 3704 0044 0532 0130 00 or GB82WEST12345698765432', 'IBAN [iban-1] or [iban-2]'],
    ['BE68 5390 0754 7034 NEXT', '[iban-1] NEXT'],
    ['iban de89 3704 0044 0532 0130 00, or DE89370400440532013000', 'iban [iban-1], or [iban-1]'],
    ['SSN 078-05-1120, call 415-555-2671', 'SSN [ssn-1], call [phone-1]'],
  ])('hides what %j says of a person', (text, expected) => {
    expect(hidden(text)).toBe(expected)
  })

  it.each([
    'on 2026-01-31 at 10:30:00, 01/02/2026 10:30, 31.01.2026',
    'from 192.168.100.200 or 10.0.0.1, version 1.22.333',
    'the number 4111111111111112, the time 1700000000000, the share 0.4111111111111111',
    'order 12345678, id 123e4567-e89b-12d3-a456-426614174000, model claude-3-5-sonnet-20241022',
    'DE00 3704 0044 0532 0130 00 has the wrong check digits; 0000 0000 0000 0000 too',
    'ssn 000-12-3456, part 123-45-6789-0, batch 987-65-4321',
    'me@localhost, @jane, a @ b.cc, [email-1] and [phone-22]',
  ])('leaves %j as it is', (text) => {
    expect(hidden(text)).toBe(text)
  })

  it('redacts every text of an upload, and numbers equal values equally', () => {
    const { value, counts } = redact<TranscriptUpload>({
      name: 'Call with a@b.cc',
      externalId: 'a@b.cc/1',
      externalUserId: 'a@b.cc',
      modelName: 'a@b.cc',
      sourceTimestamp: '2026-01-31T10:00:00Z',
      metadata: { agent: 'z@b.cc', n: 5, 'a@b.cc': true },
      turns: [
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ name: 'find', args: { who: ['a@b.cc'], card: 4111111111111111 } }],
        },
        {
          role: 'tool',
          content: 'z@b.cc',
          toolResults: [{ name: 'find', result: 'a@b.cc' }],
          metadata: { to: 'z@b.cc' },
        },
      ],
    })
    expect(value).toEqual({
      name: 'Call with [email-1]',
      externalId: '[email-1]/1',
      externalUserId: '[email-1]',
      modelName: 'a@b.cc',
      sourceTimestamp: '2026-01-31T10:00:00Z',
      metadata: { agent: '[email-2]', n: 5, '[email-1]': true },
      turns: [
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ name: 'find', args: { who: ['[email-1]'], card: '[card-1]' } }],
        },
        {
          role: 'tool',
          content: '[email-2]',
          toolResults: [{ name: 'find', result: '[email-1]' }],
          metadata: { to: '[email-2]' },
        },
      ],
    })
    expect(counts).toEqual({ email: 9, card: 1 })
  })

  it('redacts the messages of an annotation request', () => {
    const body = { annotator: 'a@b.cc', transcript: [{ role: 'user', content: 'a@b.cc', is_user_visible: true }] }
    expect(redact(body).value).toEqual({
      annotator: 'a@b.cc',
      transcript: [{ role: 'user', content: '[email-1]', is_user_visible: true }],
    })
  })

  it('hides only the requested kinds', () => {
    const text = 'a@b.cc 4111111111111111'
    expect(hidden(text, { kinds: ['cards'] })).toBe('a@b.cc [card-1]')
    expect(hidden(text, { kinds: [] })).toBe(text)
  })

  it('hides matches of user patterns before all other patterns', () => {
    const rules = { patterns: [{ name: 'order', pattern: /ORD-(\d+)/i }] }
    expect(hidden('ord-7, ORD-7, ORD-8, a@b.cc', rules)).toBe('[order-1], [order-2], [order-3], [email-1]')
  })

  it('refuses a name that no placeholder can bear', () => {
    expect(() => redact(upload('x'), { patterns: [{ name: 'a]b', pattern: /x/ }] })).toThrow(RangeError)
  })

  it('gives new values numbers after those of placeholders that stand there', () => {
    expect(contentsOf(upload('a@b.cc', '[email-7] is not c@d.ee'))).toEqual(['[email-8]', '[email-7] is not [email-9]'])
  })

  it('gives back the very value that has nothing to hide', () => {
    const plain = upload('hi', 'there')
    expect(redact(plain).value).toBe(plain)
  })
})

describe('for any conversation, redact', () => {
  const personal = fc.constantFrom(
    'a@b.cc',
    'jane.doe@mail.example',
    '+49 30 123456',
    '415-555-2671',
    '4111 1111 1111 1111',
    '378282246310005',
    'DE89370400440532013000',
    '[email-1]',
    '[own-2]',
    'ORD-12',
    '[',
    ']',
    '-1',
    '@',
    '+',
    '0',
    '12345678',
    '.',
    ' ',
  )
  const text = fc
    .array(fc.oneof(personal, fc.string({ maxLength: 5, unit: 'binary' })), { maxLength: 12 })
    .map((parts) => parts.join(''))
  const conversation = fc.record({
    name: text,
    turns: fc.array(
      fc.record({
        role: fc.constant('user' as const),
        content: text,
        metadata: fc.dictionary(text, fc.oneof(text, fc.jsonValue() as fc.Arbitrary<unknown>)),
      }),
      { maxLength: 3 },
    ),
  })
  const patterns = [
    { name: 'own', pattern: /ORD-\d+|^x|b.c/ },
    { name: 'end', pattern: /\d+$/ },
  ]

  it('changes nothing a second time', () => {
    fc.assert(
      fc.property(conversation, (given) => {
        const once = redact(given, { patterns })
        const twice = redact(once.value, { patterns })
        expect(twice.value).toBe(once.value)
        expect(twice.counts).toEqual({})
      }),
    )
  })

  it('leaves nothing that matches', () => {
    const textsIn = (value: unknown): string[] => {
      if (typeof value !== 'object' || value === null) return [String(value)]
      const names = Array.isArray(value) ? [] : Object.keys(value)
      return [...names, ...Object.values(value).flatMap(textsIn)]
    }
    fc.assert(
      fc.property(conversation, (given) => {
        const { name, turns } = redact(given, { patterns }).value
        const hiddenTexts = [name, ...turns.flatMap(({ content, metadata }) => [content, ...textsIn(metadata)])]
        const left = hiddenTexts.flatMap((each) => each.split(/\[(?:email|phone|card|iban|own|end)-\d+\]/))
        for (const { find } of Object.values(kinds)) expect(left.flatMap(find)).toEqual([])
        for (const { pattern } of patterns) expect(left.filter((each) => pattern.test(each))).toEqual([])
      }),
    )
  })

  it('keeps everything else in its order', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('x', 'ü', ' ', '\n', '文', '1', '.') }), fc.nat(3), (around, n) => {
        const words = ['a@b.cc', '4111111111111111', '+4930123456', 'ok'].slice(n)
        const given = words.map((word) => `${around} ;${word}; `).join('')
        const back = (hidden(given) ?? '').replace(
          /\[(\w+)-\d+\]/g,
          (_, kind: string) => ({ email: 'a@b.cc', card: '4111111111111111', phone: '+4930123456' })[kind] ?? '?',
        )
        expect(back).toBe(given)
      }),
    )
  })

  it('takes time in proportion to the length of the text', () => {
    const unit = fc.array(
      fc.constantFrom('a', '@', 'a@a.', '0', '1 ', '-1', '+1', '4111', 'DE89', ' ', 'A1B2', '(', '[email-1]'),
      { minLength: 1, maxLength: 3 },
    )
    fc.assert(
      fc.property(unit, (parts) => {
        redact(upload(parts.join('').repeat(20_000)))
      }),
      { numRuns: 20 },
    )
  }, 60_000)
})
