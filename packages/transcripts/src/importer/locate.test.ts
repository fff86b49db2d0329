import fc from 'fast-check'
import { expect, it } from 'vitest'
import { locate } from './locate.js'
import { parse } from './parse.js'

it('finds the line and column of each turn', () => {
  const text = '{"messages": [\r\n  {"role": "user", "content": "a\\n[{"},\r\n  {"role": "user", "content": "b"}\r\n]}'
  const places = parse(text).transcripts[0]?.turns.map((turn) => locate(text, turn.place))
  expect(places).toEqual([
    { line: 2, column: 3 },
    { line: 3, column: 3 },
  ])
})

it('does not count a byte order mark as a column', () => {
  expect(locate('\uFEFF{}', { record: 1, offset: 3, pointer: '' })).toEqual({ line: 1, column: 1 })
})

it('unescapes pointers', () => {
  expect(locate('{"a/b":{"~":1}}', { record: 1, offset: 0, pointer: '/a~1b/~0' })).toEqual({ line: 1, column: 13 })
})

it('takes the last of equal keys, as JSON.parse does', () => {
  expect(locate('{"a":1,"a":2}', { record: 1, offset: 0, pointer: '/a' })).toEqual({ line: 1, column: 12 })
})

it('falls back to the nearest parent, and to the record where the text is not JSON', () => {
  expect(locate('[{"a":1}]', { record: 1, offset: 1, pointer: '/b/c' })).toEqual({ line: 1, column: 2 })
  expect(locate('\n{"a":', { record: 1, offset: 1, pointer: '/a' })).toEqual({ line: 2, column: 1 })
})

it('points at every turn of every layout of a file', () => {
  const conversation = fc.array(
    fc.record({ role: fc.constant('user'), content: fc.string({ minLength: 1 }).map((s) => `x${s}`) }),
    { minLength: 1, maxLength: 4 },
  )
  const conversations = fc.array(conversation, { minLength: 1, maxLength: 4 })
  const layout = fc.constantFrom(
    (all: unknown[]) => JSON.stringify(all),
    (all: unknown[]) => JSON.stringify(all, null, 2),
    (all: unknown[]) => all.map((one) => JSON.stringify(one)).join('\r\n\n'),
  )
  fc.assert(
    fc.property(conversations, layout, (all, write) => {
      const text = write(all)
      const turns = parse(text).transcripts.flatMap((transcript) => transcript.turns)
      expect(turns.length).toBe(all.flat().length)
      for (const { place, content } of turns) {
        const { line, column } = locate(text, place)
        const rest = [text.split('\n')[line - 1]?.slice(column - 1), ...text.split('\n').slice(line)].join('\n')
        const written = JSON.stringify(content)
        expect(rest.replace(/^\{\s*"role":\s*"user",\s*"content":\s*/, '').startsWith(written)).toBe(true)
      }
    }),
  )
})

it('finds documents that share a line', () => {
  const rows = ['a', 'b', 'c', 'd'].map((content) =>
    JSON.stringify({ id: content, turns: [{ role: 'user', content }] }),
  )
  const text = `${rows[0]}\n${rows[1]}\n${rows[2]} ${rows[3]}\n`
  const columns = parse(text).transcripts.map(({ turns }) => turns[0] && locate(text, turns[0].place))
  expect(columns.map((at) => at && text.split('\n')[at.line - 1]?.slice(at.column - 1))).toEqual([
    ...['a', 'b', 'c'].map((content) => expect.stringContaining(`{"role":"user","content":"${content}"}`)),
    '{"role":"user","content":"d"}]}',
  ])
})

it('finds the rows of a table that only the options of the reader split', () => {
  const text = 'who,what\nuser,"a \\"quoted\\"\n\\", second line"\nassistant,b\n'
  const [transcript] = parse(text, { columns: { role: 'who', content: 'what' }, csvEscape: '\\' }).transcripts
  expect(transcript?.turns.map(({ place }) => locate(text, place))).toEqual([
    { line: 2, column: 1 },
    { line: 4, column: 1 },
  ])
})
