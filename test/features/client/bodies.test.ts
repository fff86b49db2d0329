import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CallOptions, stampUpload, type TranscriptUpload } from '../../../packages/client/src/index.js'
import { failureOf, json, scripted, upload } from '../../../packages/client/test/fixtures/scripted.js'
import { runs } from '../../helpers/long.js'

const stored = () => json({ data: { id: 'tr_1', name: 'n' }, processing_time_ms: 1 }, 201)

async function sentBodyOf(given: unknown, options?: CallOptions) {
  const { svc, requests } = scripted([stored()])
  await svc.transcripts.upload('hp-1', given as TranscriptUpload, options)
  return JSON.parse(requests[0]?.body ?? '')
}

/** Shows a value and the name under which it is written, and hides its own fields, as a class of an application may. */
class Hiding {
  secret = 'a secret'
  readonly #shown: (name: string) => unknown
  constructor(shown: (name: string) => unknown) {
    this.#shown = shown
  }
  toJSON(name: string): unknown {
    return this.#shown(name)
  }
}

const ways = {
  'as it is': (value: object) => value,
  'by toJSON of a class': (value: object) => new Hiding(() => value),
  'by toJSON of its own': (value: object) => ({ secret: 1, toJSON: () => value }),
  'by toJSON of itself': (value: object) =>
    Object.defineProperty({ ...value }, 'toJSON', { value: () => value, enumerable: false }),
}
const way = fc.constantFrom(...(Object.keys(ways) as (keyof typeof ways)[]))

const { value } = fc.letrec<{ value: unknown; field: unknown }>((tie) => ({
  field: fc.oneof(tie('value'), fc.constant(undefined)),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
    fc.oneof(fc.constant(null), fc.date({ noInvalidDate: true })),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('svc', '__proto__', 'toJSON')), tie('field'), { maxKeys: 3 }),
    tie('value').map((shown) => new Hiding((name) => ({ name, shown }))),
  ),
}))
const metadata = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'at'), value, { maxKeys: 3 })
const uploads = fc
  .tuple(fc.option(fc.tuple(metadata, way)), way, fc.option(fc.date({ noInvalidDate: true })))
  .map(([given, wayOfUpload, at]) =>
    ways[wayOfUpload]({
      ...upload,
      ...(given && { metadata: ways[given[1]](given[0]) }),
      ...(at && at.getUTCFullYear() > 0 && at.getUTCFullYear() < 10_000 && { sourceTimestamp: at }),
    }),
  )

describe('the body of an upload', () => {
  it('the body of an upload is what JSON.stringify writes, and the stamp', async () => {
    await fc.assert(
      fc.asyncProperty(uploads, fc.boolean(), async (given, stamp) => {
        const plain = JSON.parse(JSON.stringify(given))
        const { metadata, ...body } = await sentBodyOf(given, { stamp })
        const { svc, ...others } = metadata ?? {}
        const { metadata: expected = {}, ...fields } = plain
        expect([body, others]).toEqual([fields, expected])
        expect(svc !== undefined).toBe(stamp)
      }),
      { numRuns: runs(100) },
    )
  })

  it('stampUpload() gives an upload whose JSON is that of the given one, and the stamp', () => {
    const stamp = { key: '1'.repeat(32), occurrence: 1, write: '2'.repeat(32) }
    fc.assert(
      fc.property(uploads, (given) => {
        const { metadata, ...plain } = JSON.parse(JSON.stringify(given))
        const stamped = JSON.parse(JSON.stringify(stampUpload(given as TranscriptUpload, stamp)))
        expect(stamped).toEqual({ ...plain, metadata: { ...metadata, svc: stamp } })
      }),
    )
  })

  it('an object with toJSON is asked once for each upload, with the name of its field', async () => {
    const names: string[] = []
    const shown = (value: object) =>
      new Hiding((name) => {
        names.push(name)
        return value
      })
    const given = shown({ ...upload, metadata: shown({ list: [shown({})], of: shown({}) }) })
    expect((await sentBodyOf(given)).metadata).toEqual({ list: [{}], of: {}, svc: expect.anything() })
    expect(names).toEqual(['', 'metadata', '0', 'of'])
  })

  it('a stamp of the caller is kept wherever toJSON shows it, and one that JSON drops is none', async () => {
    const mine = { metadata: new Hiding(() => ({ svc: 'mine' })) }
    expect((await sentBodyOf({ ...upload, ...mine })).metadata).toEqual({ svc: 'mine' })
    const none = { metadata: { svc: undefined } }
    expect((await sentBodyOf({ ...upload, ...none })).metadata).toEqual({ svc: expect.anything() })
  })

  it.each([true, false])('an invalid Date is refused with its place (stamp: %s)', async (stamp) => {
    const { svc, requests } = scripted([])
    const refused = async (more: object) =>
      failureOf(svc.transcripts.upload('hp-1', { ...upload, ...more }, { stamp, validate: false }))
    for (const [more, pointer] of [
      [{ metadata: { list: [{ at: new Date('x') }] } }, '/metadata/list/0/at'],
      [{ sourceTimestamp: new Date(Number.NaN) }, '/sourceTimestamp'],
    ] as const)
      expect((await refused(more)).violations).toEqual([
        { pointer, message: 'expected a JSON value, got an invalid Date', code: 'not_json' },
      ])
    expect(requests).toEqual([])
  })

  it('an object with toJSON is checked by what it shows', async () => {
    const { svc, requests } = scripted([])
    const given = new Hiding(() => ({ ...upload, name: '' })) as unknown as TranscriptUpload
    expect((await failureOf(svc.transcripts.upload('hp-1', given))).violations).toMatchObject([{ pointer: '/name' }])
    expect(requests).toEqual([])
  })
})

it.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'a page number of %s is refused before anything is sent',
  async (page) => {
    const { svc, requests } = scripted([])
    expect((await failureOf(svc.projects.list({ page }))).violations).toMatchObject([{ pointer: '/page' }])
    expect(requests).toEqual([])
  },
)
