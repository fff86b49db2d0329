import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8Length } from './json.js'
import { checkAnnotation, checkProject, checkUpload, limits } from './validation.js'

const turn = { role: 'user', content: 'hi' }
const upload = { name: 'A conversation', turns: [turn] }
const pointers = (input: unknown) => checkUpload(input).violations.map(({ pointer }) => pointer)

describe('an upload', () => {
  it('passes when it keeps every bound, at the bound itself', () => {
    const full = {
      name: 'n'.repeat(500),
      turns: Array.from({ length: 1_000 }, () => turn),
      modelName: 'm'.repeat(100),
      language: 'l'.repeat(10),
      sourceSystem: 's'.repeat(100),
      externalId: 'e'.repeat(500),
      externalUserId: 'u'.repeat(500),
      metadata: {},
      sourceTimestamp: '2026-01-01T00:00:00Z',
      process: false,
    }
    expect(checkUpload(full)).toEqual({ violations: [], warnings: [] })
  })

  it('gets every violation at once, each with its JSON pointer', () => {
    const bad = {
      name: '',
      turns: [turn, { role: 'bot', content: 7 }, { role: 'assistant', content: '', toolCalls: [{ args: {} }] }],
      modelName: 'm'.repeat(101),
      language: 'l'.repeat(11),
      sourceSystem: 's'.repeat(101),
      externalId: 'e'.repeat(501),
      externalUserId: 'u'.repeat(501),
      metadata: [],
      sourceTimestamp: 'yesterday',
      process: 'yes',
    }
    expect(pointers(bad)).toEqual([
      '/name',
      '/modelName',
      '/language',
      '/sourceSystem',
      '/externalId',
      '/externalUserId',
      '/metadata',
      '/process',
      '/sourceTimestamp',
      '/turns/1/role',
      '/turns/1/content',
      '/turns/2/toolCalls/0/name',
    ])
  })

  it('counts characters as code points', () => {
    expect(pointers({ ...upload, name: '🙂'.repeat(500) })).toEqual([])
    expect(pointers({ ...upload, name: '🙂'.repeat(501) })).toEqual(['/name'])
    expect(pointers({ ...upload, language: '🙂'.repeat(11) })).toEqual(['/language'])
  })

  it('counts a turn in UTF-8 bytes', () => {
    const content = 'é'.repeat(limits.turnBytes.max / 2)
    expect(pointers({ ...upload, turns: [{ role: 'user', content }] })).toEqual([])
    expect(pointers({ ...upload, turns: [{ role: 'user', content: `${content}x` }] })).toEqual(['/turns/0/content'])
  })

  it('counts the body as the JSON that is sent, escapes included', () => {
    // Each line feed is one byte of content and two of JSON.
    const turns = Array.from({ length: 6 }, () => ({ role: 'user', content: '\n'.repeat(450_000) }))
    expect(checkUpload({ ...upload, turns }).violations).toEqual([
      {
        pointer: '',
        message: expect.stringContaining('at most 5242880 bytes, got 54'),
        code: 'too_large',
        limit: limits.bodyBytes.max,
        actual: JSON.stringify({ ...upload, turns }).length,
      },
    ])
  })

  it('gets a warning for a size that exceeds MB read as 10^6 bytes', () => {
    const report = checkUpload({ ...upload, turns: [{ role: 'user', content: 'x'.repeat(1_000_001) }] })
    expect(report.violations).toEqual([])
    expect(report.warnings.map(({ pointer }) => pointer)).toEqual(['/turns/0/content'])
  })

  it('an upload needs 1 to 1000 turns', () => {
    expect(pointers({ ...upload, turns: [] })).toEqual(['/turns'])
    expect(pointers({ ...upload, turns: Array.from({ length: 1_001 }, () => turn) })).toEqual(['/turns'])
    expect(pointers({ name: 'x' })).toEqual(['/turns'])
  })

  it('gets a code, the bound of `limits` and the size for each field outside its bound', () => {
    const { bodyBytes: _body, turnBytes: _turn, pageSize: _page, ...bounds } = limits
    const sizes = Object.entries<{ min?: number; max: number }>(bounds).map(([field, { min = 0, max }]) =>
      fc.constantFrom(0, min, max, max + 1, 2 * max + 1).map((size) => ({ field, min, max, size })),
    )
    fc.assert(
      fc.property(fc.tuple(...sizes), fc.constantFrom('a', '🙂'), (fields, character) => {
        const input = fields.map(({ field, size }) => [
          field,
          field === 'turns' ? Array.from({ length: size }, () => turn) : character.repeat(size),
        ])
        const expected = fields.flatMap(({ field, min, max, size }) => {
          const [below, above] = field === 'turns' ? ['too_few', 'too_many'] : ['too_short', 'too_long']
          if (size >= min && size <= max) return []
          return { pointer: `/${field}`, code: size < min ? below : above, limit: size < min ? min : max, actual: size }
        })
        const found = checkUpload(Object.fromEntries(input)).violations.map(({ message: _, ...violation }) => ({
          // A text that is far too long is not counted.
          actual: fields.find(({ field }) => violation.pointer === `/${field}`)?.size,
          ...violation,
        }))
        expect(new Set(found)).toEqual(new Set(expected))
      }),
    )
  })

  it('gets the code of every other violation, without a bound', () => {
    const codes = (input: unknown) => checkUpload(input).violations.map(({ message: _, ...violation }) => violation)
    expect(codes({ turns: {}, sourceTimestamp: 'now', process: 'yes' })).toEqual([
      { pointer: '/name', code: 'missing' },
      { pointer: '/process', code: 'wrong_type' },
      { pointer: '/sourceTimestamp', code: 'malformed' },
      { pointer: '/turns', code: 'wrong_type' },
    ])
    expect(codes({ ...upload, turns: [{ role: 'bot' }] })).toEqual([
      { pointer: '/turns/0/role', code: 'unknown_value' },
      { pointer: '/turns/0/content', code: 'missing' },
    ])
    expect(codes({ ...upload, metadata: { n: 1n } })).toEqual([{ pointer: '', code: 'not_json' }])
  })

  it('never throws and never changes its argument', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        const before = JSON.stringify(input)
        checkUpload(input)
        checkAnnotation(input)
        expect(JSON.stringify(input)).toBe(before)
      }),
    )
  })
})

describe('a message to annotate', () => {
  it.each(['toolCalls', 'toolResults'])(
    'is refused with %s, which would not be judged, unless they are empty',
    (field) => {
      const report = (value: unknown) =>
        checkAnnotation({ annotator: 'a', transcript: [turn, { ...turn, [field]: value }] }).violations
      expect(report([{ name: 'find', result: { error: 'timeout' } }])).toMatchObject([
        { pointer: `/transcript/1/${field}`, message: 'expected none, got an array' },
      ])
      for (const empty of [[], null, undefined]) expect(report(empty)).toEqual([])
    },
  )
})

describe('the checked value', () => {
  const role = (given: unknown) =>
    checkUpload({ ...upload, turns: [{ role: given, content: 'x' }] }).violations[0]?.message

  it('the checked value is the value that JSON sends: own fields, the result of toJSON, and nothing of a Map', () => {
    class Getters {
      get role() {
        return 'user'
      }
      get content() {
        return 'hi'
      }
    }
    expect(pointers({ ...upload, turns: [new Getters()] })).toEqual(['/turns/0/role', '/turns/0/content'])
    expect(pointers({ ...upload, turns: [{ toJSON: () => turn }] })).toEqual([])
    expect(pointers({ ...upload, metadata: new Map([['a', 1]]) })).toEqual(['/metadata'])
    expect(pointers({ ...upload, metadata: new Date(0) })).toEqual(['/metadata'])
    expect(pointers({ ...upload, createdAt: new Date(0), sourceTimestamp: new Date(0) })).toEqual([])
    expect(pointers({ ...upload, turns: [{ ...turn, toolCalls: [{ name: 'n', args: undefined }] }] })).toEqual([
      '/turns/0/toolCalls/0/args',
    ])
  })

  it('the checked value is refused without a crash if JSON cannot represent it', () => {
    const throwing = {
      toJSON() {
        throw new TypeError('no')
      },
    }
    for (const value of [1n, throwing]) expect(pointers({ ...upload, metadata: { value } })).toEqual([''])
    expect(checkAnnotation({ annotator: 'a', transcript: [], options: { value: 1n } }).violations).toHaveLength(1)
  })

  it('the checked value is not quoted, except for a short misspelt word', () => {
    expect(role('robot')).toContain('got "robot"')
    expect(role('My card number is 4111')).toMatch(/got a string$/)
    const report = checkUpload({ ...upload, sourceTimestamp: 'private', name: 'n'.repeat(501), process: 'secret' })
    expect(JSON.stringify(report)).not.toMatch(/private|secret|nnn/)
  })

  it('ends at the maximum number of turns', () => {
    expect(pointers({ ...upload, turns: Array(5_000).fill(1) })).toHaveLength(1_001)
    expect(checkUpload({ ...upload, name: 'n'.repeat(2_000_000) }).violations[0]?.message).toContain('more than 500')
  })
})

describe('a time', () => {
  const refused = (texts: string[]) =>
    texts.filter((sourceTimestamp) => pointers({ ...upload, sourceTimestamp }).length > 0)

  it('a time may be written as any date or date-time of ISO 8601', () => {
    const dates = ['2026-01-31', '2024-02-29', '2000-02-29', '0000-02-29', '2026-01-31T23:59', '2026-01-31 23:59:59']
    const zoned = ['2026-01-31T23:59:59Z', '2026-01-31t23:59:59.123456789z', '2026-01-31T23:59:59,5+05:30']
    expect(refused([...dates, ...zoned, '2026-01-31T23:59:59-0800', '2026-01-31T23:59:59+01'])).toEqual([])
  })

  it.each([
    [
      'a day that the month does not have',
      ['2026-02-30', '2026-04-31T00:00:00Z', '2025-02-29', '1900-02-29', '2026-01-00'],
    ],
    ['a month that is none', ['2026-00-01', '2026-13-01']],
    ['an hour, minute or second that is none', ['2026-01-01T24:00Z', '2026-01-01T00:60Z', '2026-01-01T00:00:60Z']],
    ['an offset that is none', ['2026-01-01T00:00+24:00', '2026-01-01T00:00+1', '2026-01-01Z']],
    ['another way of writing', ['', 'now', '1767225600', '1 Jan 2026', '2026-1-1', ' 2026-01-01', '2026-01-01\n']],
  ])('a time is refused for %s', (_, texts) => {
    expect(refused(texts)).toEqual(texts)
  })
})

describe('a project', () => {
  it('a project needs a name of 1 to 500 characters, and a domain of the interface', () => {
    expect(checkProject({ name: 'P', domain: 'ai_coding' }).violations).toEqual([])
    expect(checkProject({ name: '', domain: 'law' }).violations.map(({ pointer }) => pointer)).toEqual([
      '/name',
      '/domain',
    ])
    expect(checkProject(null).violations).toHaveLength(1)
  })
})

describe('an annotation request', () => {
  it('takes any role and an empty transcript', () => {
    expect(checkAnnotation({ annotator: 'a', transcript: [{ role: 'narrator', content: '' }] }).violations).toEqual([])
    expect(checkAnnotation({ annotator: 'a', transcript: [] }).violations).toEqual([])
  })

  it('gets every violation at once', () => {
    const bad = {
      annotator: 1,
      options: [],
      transcript: [{ role: 'user' }, 'text', { role: 'a', content: 'b', is_user_visible: 1 }],
    }
    expect(checkAnnotation(bad).violations.map(({ pointer }) => pointer)).toEqual([
      '/annotator',
      '/options',
      '/transcript/0/content',
      '/transcript/1',
      '/transcript/2/is_user_visible',
    ])
    expect(checkAnnotation(null).violations).toHaveLength(1)
  })
})

describe('the length of a text in UTF-8', () => {
  it('equals that of TextEncoder, also for surrogate pairs at chunk edges and lone surrogates', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('🙂', '\ud83d', '\ude42', 'é'.repeat(9_000)),
    )
    const long = fc.array(
      fc.tuple(piece, fc.nat(20_000)).map(([text, n]) => text + 'x'.repeat(n)),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(long, (pieces) => {
        const text = pieces.join('')
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
      }),
    )
    expect(utf8Length(`${'x'.repeat(16_383)}🙂`)).toBe(16_387)
  })
})
