import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { checkAnnotation, checkUpload, type InputReport, limits, roles } from '../validation.js'
import { AnnotationRequest, TranscriptUpload, TurnUpload } from './index.js'

const isAccepted = (report: InputReport) => report.violations.length === 0
const turn = { role: 'user', content: 'hi' }

const junk = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', 0, 1.5, true, [], {}, [null], 'text'),
  // zod drops the key `__proto__`.
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
)
/** As it should be, but for one in many: whole inputs are to be right about as often as wrong. */
const mostly = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 50, arbitrary: right }, { weight: 1, arbitrary: junk })
const optional = (right: fc.Arbitrary<unknown>) => mostly(fc.option(right, { nil: undefined, freq: 2 }))

/** Texts around a bound, of characters of one to four bytes and of half a surrogate pair. */
const textOf = ({ min = 0, max }: { min?: number; max: number }) =>
  fc
    .tuple(
      fc.constantFrom('a', 'é', '語', '🙂', '\ud800'),
      fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min, max }) },
        { weight: 1, arbitrary: fc.constantFrom(0, max, max + 1, max * 2 + 1) },
      ),
    )
    .map(([character, length]) => character.repeat(length))

const isoTimes = ['2026-01-01', '2024-02-29T23:59Z', '2026-01-01T00:00:00.123456+05:30', '2026-12-31T00:00:00-0800']
const noTimes = [
  'yesterday',
  '2026-13-01',
  '2026-01-32',
  '2026-01-01T25:00:00Z',
  '1767225600',
  '1 Jan 2026',
  ' 2026-01-01',
]
const time = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom<unknown>(...isoTimes) },
  { weight: 20, arbitrary: fc.date({ noInvalidDate: true }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(...noTimes, new Date(Number.NaN)) },
)

const key = fc.string().filter((name) => name !== '__proto__')
const bag = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })
/** A record, with some fields that the interface does not know. */
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.tuple(bag, fc.record(fields)).map(([unknown, known]) => ({ ...unknown, ...known }))
const tools = (field: string) =>
  fc.array(
    mostly(
      fc.record(
        { name: mostly(fc.string()), [field]: fc.jsonValue({ maxDepth: 1 }), more: junk },
        { requiredKeys: ['name'] },
      ),
    ),
    { maxLength: 1 },
  )

const someTurn = record({
  role: mostly(fc.constantFrom(...roles)),
  content: mostly(fc.string({ unit: 'binary' })),
  toolCalls: optional(tools('args')),
  toolResults: optional(tools('result')),
  metadata: optional(bag),
  createdAt: optional(time),
})
const someUpload = record({
  name: mostly(textOf(limits.name)),
  turns: mostly(fc.array(mostly(someTurn), { maxLength: 3 })),
  modelName: optional(textOf(limits.modelName)),
  language: optional(textOf(limits.language)),
  sourceSystem: optional(textOf(limits.sourceSystem)),
  externalId: optional(textOf(limits.externalId)),
  externalUserId: optional(textOf(limits.externalUserId)),
  metadata: optional(bag),
  sourceTimestamp: optional(time),
  process: optional(fc.boolean()),
})
const someRequest = record({
  annotator: mostly(fc.string()),
  options: optional(bag),
  transcript: mostly(
    fc.array(
      mostly(
        record({
          role: mostly(fc.string()),
          content: mostly(fc.string({ unit: 'binary' })),
          is_user_visible: optional(fc.boolean()),
        }),
      ),
    ),
  ),
})

/** Both refuse the same fields; what is accepted is given back whole. Both answers are seen often enough to mean it. */
function judgeAlike(
  inputs: fc.Arbitrary<unknown>,
  schema: typeof TranscriptUpload | typeof AnnotationRequest,
  check: (input: unknown) => InputReport,
) {
  const seen = { accepted: 0, refused: 0 }
  fc.assert(
    fc.property(inputs, (input) => {
      const parsed = schema.safeParse(input)
      const issues = parsed.error?.issues.map(({ path }) => path.map((step) => `/${String(step)}`).join('')) ?? []
      expect(new Set(issues)).toEqual(new Set(check(input).violations.map(({ pointer }) => pointer)))
      if (parsed.success) expect(parsed.data).toEqual(input)
      seen[parsed.success ? 'accepted' : 'refused']++
    }),
    { numRuns: runs(200) },
  )
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(runs(200) / 10)
}

describe('the schema of an upload', () => {
  it('refuses exactly the fields that checkUpload refuses, and returns what it accepts whole', () => {
    judgeAlike(mostly(someUpload), TranscriptUpload, checkUpload)
  })

  it.each([
    ['x', 1],
    ['é', 2],
    ['語', 3],
    ['🙂', 4],
    ['\n', 1],
  ])('counts the content of a turn in bytes of UTF-8: %j', (character, bytes) => {
    const { max } = limits.turnBytes
    const most = character.repeat(Math.floor(max / bytes)) + 'x'.repeat(max % bytes)
    for (const content of [most, `${most}x`]) {
      const input = { name: 'n', turns: [{ role: 'user', content }] }
      expect(TurnUpload.safeParse(input.turns[0]).success).toBe(content === most)
      expect(isAccepted(checkUpload(input))).toBe(content === most)
    }
  })

  it.each(['x', 'é', '🙂', '\n', '"', '\ud800'])('counts the body in bytes of its JSON: %j', (character) => {
    const size = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length
    const room = limits.bodyBytes.max - size({ name: 'n', turns: [], metadata: { pad: '' } })
    const each = size(character) - 2
    const pad = character.repeat(Math.floor((room - size(turn)) / each))
    const full = { name: 'n', turns: [turn], metadata: { pad } }
    full.metadata.pad += 'x'.repeat(limits.bodyBytes.max - size(full))
    for (const [more, fits] of [
      ['', true],
      ['x', false],
    ] as const) {
      const input = { ...full, metadata: { pad: full.metadata.pad + more } }
      expect(TranscriptUpload.safeParse(input).success).toBe(fits)
      expect(isAccepted(checkUpload(input))).toBe(fits)
    }
  })

  it('takes 1 to 1000 turns', () => {
    for (const count of [0, 1, 1_000, 1_001]) {
      const input = { name: 'n', turns: Array.from({ length: count }, () => turn) }
      expect(TranscriptUpload.safeParse(input).success, `${count} turns`).toBe(isAccepted(checkUpload(input)))
    }
  })

  it('refuses values without JSON, without throwing', () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    for (const metadata of [circular, { big: 1n }]) {
      expect(TranscriptUpload.safeParse({ name: 'n', turns: [turn], metadata }).success).toBe(false)
      expect(AnnotationRequest.safeParse({ annotator: 'a', transcript: [], options: metadata }).success).toBe(false)
    }
    const args = [undefined, () => 1, Symbol('s')]
    for (const value of args) {
      expect(TurnUpload.safeParse({ ...turn, toolCalls: [{ name: 'n', args: value }] }).success).toBe(false)
    }
  })
})

describe('the schema of an annotation request', () => {
  it('refuses exactly the fields that checkAnnotation refuses, and returns what it accepts whole', () => {
    judgeAlike(mostly(someRequest), AnnotationRequest, checkAnnotation)
  })
})
