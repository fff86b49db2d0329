import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { intentOf } from '../../test/fixtures/ledger.js'
import { fold, hasUnknownOutcome, type Item, type LedgerEvent, parseEvent } from './events.js'

const at = '2026-01-01T00:00:00.000Z'
const items = ['a', 'b', 'ü\n\u2028{"'].map((words) => intentOf(words))
const key = fc.constantFrom(...items.map((item) => item.key))
const id = fc.nat({ max: 5 }).map((n) => `tr_${n}`)

const happening: fc.Arbitrary<object> = fc.oneof(
  fc.constantFrom(...items).map((item) => ({ event: 'intent', ...item })),
  fc.record({ event: fc.constant('done'), key, id, status: fc.constantFrom('queued', 'skipped') }),
  fc.record({ event: fc.constant('refused'), key, status: fc.constantFrom(400, 413) }),
  fc.record({ event: fc.constantFrom('unsent', 'absent', 'sent', 'retry', 'forgotten'), key }),
  fc.record({ event: fc.constant('unknown'), key, candidates: fc.array(id, { maxLength: 2 }) }),
)
const events = fc
  .array(fc.tuple(happening, fc.constantFrom('r', 's')), { maxLength: 30 })
  .map((all) => all.map(([each, run], i) => ({ n: i + 1, at, run, ...each }) as LedgerEvent))

const foldAll = (all: readonly LedgerEvent[]): Map<string, Item> => {
  const state = new Map<string, Item>()
  for (const event of all) {
    const item = fold(state.get(event.key), event)
    if (item) state.set(event.key, item)
    else state.delete(event.key)
  }
  return state
}

/** The events since an item was last forgotten. */
const since = (all: readonly LedgerEvent[], of: string): LedgerEvent[] => {
  const itemEvents = all.filter((event) => event.key === of)
  return itemEvents.slice(itemEvents.findLastIndex(({ event }) => event === 'forgotten') + 1)
}

describe('the events of a ledger', () => {
  it('loses no stored upload, at whichever byte the file is cut', () => {
    void fc.assert(
      fc.property(events, fc.nat(), (all, cut) => {
        const bytes = Buffer.from(all.map((event) => `${JSON.stringify(event)}\n`).join(''))
        const kept = bytes.subarray(0, cut % (bytes.length + 1)).toString('utf8')
        const lines = kept
          .slice(0, kept.lastIndexOf('\n') + 1)
          .split('\n')
          .filter(Boolean)
        const read = lines.map((line) => parseEvent(line))
        expect(read).toEqual(all.slice(0, lines.length))
        const state = foldAll(all.slice(0, lines.length))
        for (const { key: of } of items) {
          const itemEvents = since(all.slice(0, lines.length), of)
          const stored = itemEvents.flatMap((event) => (event.event === 'done' ? [event.id] : []))
          expect(new Set(state.get(of)?.ids ?? [])).toEqual(new Set(stored))
        }
      }),
    )
  })

  it.each(['unsent', 'absent'] as const)('keeps an upload stored when a further copy is %s', (event) => {
    const intent = { ...intentOf('a'), at, run: 'r', event: 'intent' } as const
    const { key } = intent
    const closed = [
      { n: 1, ...intent },
      { n: 2, at, run: 'r', event: 'done', key, id: 'tr_1' },
      { n: 3, ...intent },
      { n: 4, at, run: 'r', event, key },
    ] as const
    expect(foldAll(closed).get(key)).toMatchObject({ state: 'done', ids: ['tr_1'] })
    expect(foldAll(closed.toSpliced(1, 1)).get(key)).toMatchObject({ state: 'unsent', ids: [] })
  })

  it('keeps an unknown result until a result or a proof of absence, and an intent also until its own run closes it', () => {
    void fc.assert(
      fc.property(events, (all) => {
        const state = foldAll(all)
        for (const { key: of } of items) {
          const itemEvents = since(all, of)
          const left = itemEvents.slice(
            itemEvents.findLastIndex(({ event }) => ['done', 'absent', 'retry'].includes(event)) + 1,
          )
          const isOpen = left.some(({ event, run }, i) => {
            const later = left.slice(i + 1).filter((each) => each.run === run)
            return event === 'intent' && !later.some((each) => ['unsent', 'refused', 'unknown'].includes(each.event))
          })
          const item = state.get(of)
          const isUnknown = left.some(({ event }) => event === 'unknown')
          expect(item !== undefined && hasUnknownOutcome(item)).toBe(isOpen || isUnknown)
          if (isOpen) expect(item?.intent).toEqual(left.findLast(({ event }) => event === 'intent'))
        }
      }),
    )
  })

  it('keeps the time of the first request with an unknown outcome', () => {
    const [item] = items
    if (!item) throw new Error('no item')
    const later = (minute: number) => ({ n: minute, at: `2026-01-01T00:0${minute}:00.000Z`, run: 'r', key: item.key })
    const reported: LedgerEvent[] = [
      { ...later(1), event: 'intent', ...item },
      { ...later(2), event: 'unknown', candidates: [] },
      { ...later(3), event: 'retry' },
      { ...later(4), event: 'intent', ...item },
    ]
    const { since: first, sentAt } = foldAll(reported).get(item.key) ?? {}
    expect([first, sentAt]).toEqual([reported[0]?.at, reported[3]?.at])
    const settled = foldAll([
      ...reported.slice(0, 2),
      { ...later(3), event: 'absent' },
      { ...later(4), event: 'intent', ...item },
    ])
    expect(settled.get(item.key)?.since).toBe(reported[3]?.at)
  })
})

describe('a line', () => {
  it.each([
    ['no JSON', '{"event":"done"'],
    ['nothing', 'null'],
    ['a made-up event', '{"event":"stored","n":1,"at":"","run":"","key":"k"}'],
    ['no key', '{"event":"unsent","n":1,"at":"","run":""}'],
    ['no id', '{"event":"done","n":1,"at":"","run":"","key":"k"}'],
    ['no count', '{"event":"unsent","at":"","run":"","key":"k"}'],
    ['no status', '{"event":"refused","n":1,"at":"","run":"","key":"k"}'],
    ['candidates that are none', '{"event":"unknown","n":1,"at":"","run":"","key":"k","candidates":[1]}'],
  ])('a line with %s is no event', (_, line) => {
    expect(parseEvent(line)).toBeUndefined()
  })
})
