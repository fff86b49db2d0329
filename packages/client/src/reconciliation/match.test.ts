import { describe, expect, it } from 'vitest'
import { contentMatch, matchOf, type WriteQuery } from './match.js'

const wanted: WriteQuery = {
  fingerprint: { name: 'T', turn_count: 2, external_id: null, source_timestamp: '2026-01-01T01:00:00+01:00' },
  stamp: undefined,
  notBefore: Date.parse('2026-02-01T00:00:00Z'),
  ownRecordIds: new Set(['tr_other']),
}
/** 32 hexadecimal digits. */
const hex = (digit: string) => digit.repeat(32)
const stamp = { key: hex('1'), occurrence: 1, write: hex('a') }
const record = {
  id: 'tr_1',
  name: 'T',
  turn_count: 2,
  external_id: null,
  source_timestamp: '2026-01-01T00:00:00.000Z',
  created_at: '2026-02-01T00:00:00Z',
}

describe('a record', () => {
  it('matches a write with equal fields and a later creation time', () => {
    expect(matchOf(record, wanted)).toBe('yes')
  })

  it.each([
    ['older by more than ten minutes', { created_at: '2026-01-31T23:49:59Z' }],
    ['of another name', { name: 'U' }],
    ['of other turns', { turn_count: 3 }],
    ['of another external id', { external_id: 'e' }],
    ['of another time', { source_timestamp: '2026-01-02T00:00:00Z' }],
    ['the work of another call', { id: 'tr_other' }],
  ])('a record is no match when it is %s', (_, change) => {
    expect(matchOf({ ...record, ...change }, wanted)).toBe('no')
  })

  it.each([
    ['a name that was trimmed', { name: ' T ' }, {}],
    ['a name that was cut off', { name: 'Conversation' }, { name: 'Conv' }],
    ['a time in another zone', {}, { source_timestamp: '2026-01-01T09:00:00' }],
    ['a name that is hidden', {}, { name: '' }],
    ['a name that is masked', {}, { name: 'C***' }],
    ['an external id that is hidden', { external_id: 'order-7' }, { external_id: null }],
    ['an external id that is replaced', { external_id: 'order-7' }, { external_id: '[REDACTED]' }],
  ])('a record may match with %s', (_, sent, change) => {
    const fingerprint = { ...wanted.fingerprint, ...sent }
    const made = { ...record, name: wanted.fingerprint.name, ...change }
    expect(matchOf(made, { ...wanted, fingerprint })).toBe('not shown')
  })

  it('matches with empty text for a missing value, and with times without fraction or zone', () => {
    const fingerprint = { ...wanted.fingerprint, external_id: '', source_timestamp: '2026-01-01T00:00:00.123Z' }
    const kept = { ...record, external_id: null, source_timestamp: '2026-01-01T00:00:00' }
    expect(matchOf(kept, { ...wanted, fingerprint })).toBe('yes')
  })

  it('matches with a time that lost less than a second, and may match with one that lost more', () => {
    const at = (time: unknown) => matchOf({ ...record, source_timestamp: time }, wanted)
    expect([at('2026-01-01T00:00:00.999Z'), at('2026-01-01T00:00:01.000Z')]).toEqual(['yes', 'not shown'])
    expect([at('on 2026-01-01T00:00:00Z'), at('2026-01-01T00:00:00 or so')]).toEqual(['no', 'no'])
  })

  it('a record is no match if only one of two different fields may have been changed by the service', () => {
    expect(matchOf({ ...record, name: ' T ', turn_count: 3 }, wanted)).toBe('no')
    expect(matchOf({ ...record, name: 'Other', source_timestamp: '2026-01-01T09:00:00' }, wanted)).toBe('no')
  })

  it("a record is inconclusive if it lacks a deciding field or the service's time is unknown", () => {
    const { turn_count: _, ...without } = record
    expect(matchOf(without, wanted)).toBe('not shown')
    expect(matchOf({ ...record, created_at: 'yesterday' }, wanted)).toBe('not shown')
    expect(matchOf(record, { ...wanted, notBefore: Number.NaN })).toBe('not shown')
  })

  it.each([{ name: 7 }, { turn_count: '2' }, { external_id: 7 }, { source_timestamp: [1] }])(
    'does not tell when it shows a field as a value of another kind: %j',
    (change) => expect(matchOf({ ...record, ...change }, wanted)).toBe('not shown'),
  )

  it('a record is identified by the write of its stamp', () => {
    const stamped = { ...wanted, stamp }
    const bearing = (svc: object) => ({ ...record, name: 'changed', metadata: { svc } })
    expect(matchOf(bearing(stamp), { ...stamped, isOwnStamp: true })).toBe('yes')
    expect(matchOf(bearing({ ...stamp, key: 'cut' }), { ...stamped, isOwnStamp: true })).toBe('yes')
    expect(matchOf(bearing({ ...stamp, write: hex('b') }), stamped)).toBe('no')
    expect(matchOf(bearing({ key: hex('2') }), stamped)).toBe('no')
    expect(matchOf({ ...record, metadata: {} }, stamped)).toBe('not shown')
    expect(matchOf(record, stamped)).toBe('not shown')
  })

  it('a record with the stamp of a write is that write whatever its age, unless the caller gave the stamp', () => {
    const older = { ...record, metadata: { svc: stamp }, created_at: '2026-01-01T00:00:00Z' }
    expect(matchOf(older, { ...wanted, stamp, isOwnStamp: true })).toBe('yes')
    expect(matchOf(older, { ...wanted, stamp })).toBe('not shown')
    const copy = { ...record, metadata: { svc: stamp } }
    expect(matchOf(copy, { ...wanted, stamp })).toBe('yes')
    expect(matchOf(copy, { ...wanted, stamp, matchContent: () => 'altered' })).toBe('not shown')
  })

  it('a stamp in capital letters is the same stamp, and says another write if it is one', () => {
    const shown = (digit: string) => ({ ...record, metadata: { svc: { write: hex(digit).toUpperCase() } } })
    expect(matchOf(shown('a'), { ...wanted, stamp, isOwnStamp: true })).toBe('yes')
    expect(matchOf(shown('b'), { ...wanted, stamp, isOwnStamp: true })).toBe('no')
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'text'],
    ['no field', {}],
    ['no write', { key: stamp.key }],
    ['null', { key: stamp.key, write: null }],
    ['a word', { key: 'REDACTED', write: 'REDACTED' }],
    ['a mask', { key: '***', write: '[redacted]' }],
    ['a part of the write', { key: stamp.key, write: stamp.write.slice(0, 16) }],
    ['parts of both', { key: stamp.key.slice(0, 16), write: `${stamp.write.slice(0, 8)}…` }],
    ['a named hash', { key: stamp.key, write: `sha256:${hex('a')}` }],
    ['a UUID', { key: stamp.key, write: '6b8d6ffc-98b4-4e8c-9d0a-0d2d6f7e1c11' }],
  ])('a record that shows %s in place of its write shows no stamp', (_, svc) => {
    expect(matchOf({ ...record, metadata: { svc } }, { ...wanted, stamp })).toBe('not shown')
    expect(matchOf({ ...record, name: 'U', metadata: { svc } }, { ...wanted, stamp })).toBe('unlikely')
    const old = { ...record, created_at: '2020-01-01T00:00:00Z', metadata: { svc } }
    expect(matchOf(old, { ...wanted, stamp })).toBe('older')
    expect(matchOf({ ...old, name: 'U' }, { ...wanted, stamp })).toBe('unlikely')
  })

  it('a record may be a write that looks at most ten minutes younger, because clocks differ', () => {
    const at = (created_at: string, change = {}) => matchOf({ ...record, created_at, ...change }, wanted)
    expect(at('2026-01-31T23:50:00Z')).toBe('altered')
    expect(at('2026-01-31T23:49:59Z')).toBe('no')
    expect(at('2026-01-31T23:50:00Z', { name: ' T ' })).toBe('no')
  })

  it('does not match a write without a stamp if it has one', () => {
    expect(matchOf({ ...record, metadata: { svc: stamp } }, wanted)).toBe('no')
    expect(matchOf({ ...record, metadata: { svc: { key: stamp.key } } }, wanted)).toBe('no')
    expect(matchOf({ ...record, metadata: { svc: stamp } }, { ...wanted, stamp: null })).toBe('yes')
  })

  const same = [{ role: 'user', content: 'a' }]
  it.each<[string, object, string]>([
    ['the same turns', { turns: [{ id: 't', role: 'user', content: 'a' }] }, 'yes'],
    ['no turns', {}, 'not shown'],
    ['turns without content', { turns: [{ role: 'user' }] }, 'not shown'],
    ['other content', { turns: [{ role: 'user', content: 'b' }] }, 'altered'],
    [
      'one turn more',
      {
        turns: [
          { role: 'user', content: 'a' },
          { role: 'user', content: 'a' },
        ],
      },
      'altered',
    ],
    ['a field of metadata more', { turns: same, metadata: { mine: 1, too: 1, more: 1 } }, 'altered'],
    ['metadata that is a text', { turns: same, metadata: 'mine' }, 'altered'],
    ['a tool call more', { turns: [{ role: 'user', content: 'a', toolCalls: [{ name: 'n' }] }] }, 'altered'],
    ['other metadata', { turns: [{ role: 'user', content: 'a' }], metadata: { mine: 2 } }, 'altered'],
    ['metadata in another order', { turns: [{ role: 'user', content: 'a' }], metadata: { too: 1, mine: 1 } }, 'yes'],
  ])('a record is compared by its content: %s', (_, shown, match) => {
    const turns = [{ role: 'user', content: 'a', toolCalls: null }]
    const metadata = { mine: 1, too: 1 }
    expect(
      matchOf(
        { ...record, metadata, ...shown },
        { ...wanted, matchContent: (each) => contentMatch(each, { turns, metadata }) },
      ),
    ).toBe(match)
  })
})
