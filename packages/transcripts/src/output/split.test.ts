import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Turn } from '../model/turn.js'
import type { Transcript } from '../transcript.js'
import { split } from './split.js'
import { toUpload } from './upload.js'

const place = { record: 1, offset: 0, pointer: '' }
const said = (role: Turn['role'], content = 'x', more: Partial<Turn> = {}): Turn => ({
  role,
  content,
  visible: true,
  place,
  ...more,
})
const calls = (...names: string[]) => said('assistant', 'c', { toolCalls: names.map((name) => ({ name, args: {} })) })
const answers = (name: string) => said('tool', 'r', { toolResults: [{ name, result: 'r' }] })
const conversation = (turns: Turn[], more: Partial<Transcript> = {}): Transcript => ({
  format: 'turns',
  turns,
  losses: [],
  place,
  ...more,
})
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

it('leaves a transcript that fits as it is', () => {
  const transcript = conversation([said('user')])
  expect(split(transcript)).toEqual([transcript])
  expect(split(transcript)[0]).toBe(transcript)
})

it('links the parts by name, id and metadata', () => {
  const turns = Array.from({ length: 5 }, (_, at) => said(at % 2 ? 'assistant' : 'user', `${at}`))
  const whole = conversation(turns, { name: 'A conversation', externalId: 'e', metadata: { k: 1 } })
  const parts = split(whole, { turns: 2 })
  expect(parts.map(({ name, externalId, metadata }) => ({ name, externalId, metadata }))).toEqual([
    {
      name: 'A conversation (part 1/3)',
      externalId: 'e#1/3',
      metadata: { k: 1, part: { index: 1, count: 3, first_turn: 1, last_turn: 2 }, source_total_turns: 5 },
    },
    {
      name: 'A conversation (part 2/3)',
      externalId: 'e#2/3',
      metadata: { k: 1, part: { index: 2, count: 3, first_turn: 3, last_turn: 4 }, source_total_turns: 5 },
    },
    {
      name: 'A conversation (part 3/3)',
      externalId: 'e#3/3',
      metadata: { k: 1, part: { index: 3, count: 3, first_turn: 5, last_turn: 5 }, source_total_turns: 5 },
    },
  ])
})

it('splits before a user turn if one is near', () => {
  const turns = [said('user'), said('assistant'), said('user'), said('assistant'), said('assistant')]
  expect(split(conversation(turns), { turns: 4 }).map((part) => part.turns.length)).toEqual([2, 3])
})

it('never parts a call from its result, even when something stands between them', () => {
  const turns = [said('user'), calls('a', 'b'), said('system'), answers('b'), said('user'), answers('a'), said('user')]
  expect(split(conversation(turns), { turns: 5 }).map((part) => part.turns.length)).toEqual([1, 5, 1])
})

it('cuts where the fewest are parted, when a pair lies too far apart to be kept', () => {
  const pairs = Array.from({ length: 20 }, () => [calls('f'), answers('f')]).flat()
  const parts = split(conversation([said('user'), calls('bg'), ...pairs, answers('bg')]), { turns: 10 })
  expect(parts.map((part) => part.turns.length)).toEqual([10, 10, 10, 10, 3])
  expect(parts[0]?.losses).toMatchObject([{ code: 'cut', what: 'call from its result', count: 1 }])
})

it('shortens the result of a tool, so that it stays with its call', () => {
  const huge = { a: 'x'.repeat(6_000_000) }
  const turns = [said('user'), calls('f'), said('tool', 'r', { toolResults: [{ name: 'f', result: huge }] })]
  const parts = split(conversation(turns))
  expect(parts.map((part) => part.turns.length)).toEqual([3])
  expect(bytes(toUpload({ ...(parts[0] as Transcript), name: 'n' }))).toBeLessThan(1_100_000)
})

it('separates a call and its result only if they alone are too large, and reports it', () => {
  const turns = [calls('a', 'b', 'c'), answers('a'), answers('b'), answers('c')]
  const parts = split(conversation(turns), { turns: 3 })
  expect(parts.map((part) => part.turns.length)).toEqual([3, 1])
  expect(parts[0]?.losses).toMatchObject([{ code: 'cut', what: 'call from its result', count: 1 }])
})

describe('a turn that is too long', () => {
  const cut = (turn: Turn, turnBytes: number) => {
    const [part] = split(conversation([turn]), { turnBytes })
    return { ...part?.turns[0], lost: part?.losses }
  }

  it('keeps its beginning and end in whole characters, and states how much was removed', () => {
    const { content, metadata, lost } = cut(
      said('user', `${'a'.repeat(300)}${'é😀'.repeat(200)}${'z'.repeat(300)}`),
      500,
    )
    expect(content).toMatch(/^a{200}\n\[… 1400 bytes removed …\]\nz{200}$/)
    expect(metadata).toEqual({ content_cut: { bytes: 1800, removed: 1400 } })
    expect(lost).toMatchObject([{ code: 'cut', what: 'turn content over 500 bytes', count: 1 }])
  })

  it('a turn that is too long has its arguments and results cut too, as the text of their JSON where they are none', () => {
    const long = 'x'.repeat(3000)
    const toolCalls = [{ name: 'f', args: { patch: long } }]
    const toolResults = [
      { name: 'f', result: long },
      { name: 'g', result: { a: 1 } },
    ]
    const turn = cut(said('user', 'Hi', { toolCalls, toolResults }), 1000)
    expect(turn.toolCalls?.[0]?.args).toMatch(/^\{"patch":"x+\n\[… \d+ bytes removed …\]\nx+"\}$/)
    expect(turn.toolResults).toEqual([
      { name: 'f', result: expect.stringMatching(/^x+\n\[… 2600 bytes removed …\]\nx+$/) },
      { name: 'g', result: { a: 1 } },
    ])
    expect(turn.lost).toMatchObject([
      { what: 'tool arguments over 1000 bytes' },
      { what: 'tool result over 1000 bytes' },
    ])
  })

  it('never has a character divided and never more bytes than it may', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 400, maxLength: 900 })
    fc.assert(
      fc.property(text, fc.integer({ min: 200 }), (whole, most) => {
        fc.pre(!whole.includes('\uFFFD'))
        const { content = '' } = cut(said('user', whole), most)
        expect(new TextEncoder().encode(content).length).toBeLessThanOrEqual(most)
        expect(content).not.toContain('\uFFFD')
        const [head = '', tail = ''] = content.split(/\n\[… \d+ bytes removed …\]\n/)
        expect(whole.startsWith(head)).toBe(true)
        expect(whole.endsWith(tail)).toBe(true)
      }),
    )
  })
})

it('keeps every turn once and in order, within all limits, for any conversation', () => {
  const name = fc.constantFrom('a', 'b')
  const turn = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => said('user', `u${text}`)),
    fc.string({ maxLength: 60 }).map((text) => said('assistant', `a${text}`)),
    fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => calls(...names)),
    name.map(answers),
  )
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (turns, most) => {
      const parts = split(conversation(turns, { name: 'n' }), { turns: most, bodyBytes: 16_384 + 600 })
      expect(parts.flatMap((part) => part.turns)).toEqual(turns)
      for (const part of parts) {
        expect(part.turns.length).toBeLessThanOrEqual(most)
        if (part.turns.length > 1) expect(bytes(toUpload(part))).toBeLessThanOrEqual(16_384 + 600)
      }
    }),
  )
})
