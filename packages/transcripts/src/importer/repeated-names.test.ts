import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { type Loss, locate, type ParseOptions, parse, parseStream, TranscriptFileError } from '../index.js'

const why = 'its name is repeated in one object, and the last value is read'
const conversation = (more: string) => `{"messages":[{"role":"user","content":"hello"}]${more}}`
const named = (losses: readonly Loss[]) => losses.filter((loss) => loss.why === why)
const lossesOf = (text: string) => named(parse(text).transcripts.flatMap(({ losses }) => losses))

describe('a name that is repeated in one object of JSON', () => {
  it('is a loss of the earlier value, with its place', () => {
    const second = '{"messages":[{"role":"user","content":"first","content":"last"}]}'
    const { transcripts } = parse(`${conversation('')}\n${second}`)
    expect(transcripts[1]?.turns[0]?.content).toBe('last')
    expect(transcripts.map(({ losses }) => named(losses))).toEqual([
      [],
      [
        {
          code: 'dropped',
          what: 'earlier value of field "content"',
          why,
          count: 1,
          places: [{ record: 2, offset: conversation('').length + 1, pointer: '/messages/0/content' }],
        },
      ],
    ])
  })

  it('has the line of the value that is read', () => {
    const text = '[\n{"messages":[\n{"role":"user",\n"content":"first",\n"content":"last"}]}\n]'
    const [loss] = lossesOf(text)
    expect(loss?.places?.map((place) => locate(text, place))).toEqual([{ line: 5, column: 11 }])
  })

  it('is found in a member of an archive', async () => {
    const losses: Loss[] = []
    const chunks = [{ member: 'a.json' }, conversation(''), { member: 'b.json' }, conversation(',"x":"1","x":"2"')]
    for await (const transcript of parseStream(chunks)) losses.push(...named(transcript.losses))
    expect(losses).toMatchObject([{ count: 1, places: [{ member: 'b.json', pointer: '/x' }] }])
  })

  it('is found behind a byte order mark, in UTF-16, and in several documents on one line', () => {
    const twice = conversation(',"x":"1","x":"2"')
    expect(lossesOf(`\uFEFF${twice}`)).toMatchObject([{ count: 1 }])
    const utf16 = new Uint8Array(Uint16Array.from(`\uFEFF${twice}`, (unit) => unit.charCodeAt(0)).buffer)
    expect(named(parse(utf16).transcripts.flatMap(({ losses }) => losses))).toMatchObject([{ count: 1 }])
    expect(lossesOf(`${twice}${twice}\n${conversation('')}`)).toMatchObject([{ count: 1 }, { count: 1 }])
  })

  it('is a problem with strict, at the value that is read', () => {
    const strict: ParseOptions = { strict: true }
    const text = `${conversation('')}\n${conversation(',"x":1,\t"x":2')}`
    expect(() => parse(text, strict)).toThrow(TranscriptFileError)
    expect(() => parse(text, strict)).toThrow(
      'line 2, column 60 (/x): the name "x" is repeated in one object, and only its last value is read',
    )
  })

  it.each([
    ['the name is escaped', ',"text":"1","te\\u0078t":"2"', '/text'],
    ['the name is that of the prototype', ',"__proto__":"1","__proto__":{}', '/__proto__'],
    ['the name is empty', ',"":"1","":"2"', '/'],
    ['the name ends with a backslash', ',"a\\\\":"1","a\\\\" :"2"', '/a\\'],
    ['a number differs in a digit that JavaScript rounds', ',"x":12345678901234567,"x":12345678901234568', '/x'],
    ['the name has a slash, deep inside', ',"x":[0,{"a/b":"1","a/b":"2"}]', '/x/1/a~1b'],
  ])('is a loss if %s', (_, more, pointer) => {
    expect(lossesOf(conversation(more))).toMatchObject([{ count: 1, places: [{ pointer }] }])
  })

  it.each([
    ['the values are written alike', ',"x":"1","x": "1" '],
    ['the earlier values are empty', ',"x":null,"x":"","x":[ ],"x":{},"x":"2"'],
    ['a text looks like names', ',"x":": \\": \\"x\\":1,\\"x\\":2","y":":"'],
    ['equal names are in different objects', ',"x":{"y":"1"},"y":"2","z":[{"y":"3"},{"y":"4"}]'],
  ])('is no loss if %s', (_, more) => {
    expect(lossesOf(conversation(more))).toEqual([])
  })

  it('counts as one loss if the earlier value repeats names itself', () => {
    expect(lossesOf(conversation(',"x":{"y":"1","y":"2"},"x":"3"'))).toMatchObject([{ count: 1 }])
    expect(lossesOf(conversation(',"x":"3","x":{"y":"1","y":"2"}'))).toMatchObject([{ count: 1 }, { count: 1 }])
  })

  it('keeps the arguments and the output of a tool as text', () => {
    const twice = '{"city":"Rome","city":"Oslo"}'
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: twice } }
    const messages = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: twice },
    ]
    const { turns, losses } = parse(JSON.stringify({ messages })).transcripts[0] ?? { turns: [], losses: [] }
    expect(turns[1]?.toolCalls).toEqual([{ name: 'f', args: twice }])
    expect(turns[2]?.toolResults).toEqual([{ name: 'f', result: twice }])
    expect(losses.map(({ what }) => what)).toContain('tool arguments with a repeated name, kept as text')
  })
})

/** JSON with repeated names: its text, and the number of values that nothing reads. */
interface Written {
  text: string
  lost: number
}

const blank = fc.constantFrom('', '', '', ' ', '\t', '\r')
const strings = [': x', '":', '\\":', 'a":"b', '{"a":1,"a":2}', 'ü😀', '\ud800', '', 'text']
const names = ['text', 'content', '__proto__', 'a":', '\\', '', ':', '\ud800', '😀', '0', 'constructor']
const escaped = (text: string) => `"${[...text].map((char) => `\\u${unit(char)}`).join('')}"`
const unit = (char: string) =>
  Array.from({ length: char.length }, (_, at) => char.charCodeAt(at).toString(16).padStart(4, '0')).join('\\u')
const string = (from: readonly string[]) =>
  fc.tuple(fc.constantFrom(...from), fc.boolean()).map(([text, isPlain]) => ({
    text,
    json: isPlain ? JSON.stringify(text) : escaped(text),
  }))

const isEmpty = (text: string) => ['null', '""', '[]', '{}'].includes(text.replace(/\s/g, ''))

const { tree } = fc.letrec<{ tree: Written }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .oneof(
        fc.constantFrom('null', 'true', '0', '-1.5e3', '12345678901234567', '12345678901234568', '{ }', '[]'),
        string(strings).map(({ json }) => json),
      )
      .map((text) => ({ text, lost: 0 })),
    fc.array(fc.tuple(blank, tie('tree')), { minLength: 1, maxLength: 3 }).map((items) => ({
      text: `[${items.map(([space, { text }]) => `${space}${text}${space}`)}]`,
      lost: items.reduce((sum, [, { lost }]) => sum + lost, 0),
    })),
    fc.array(fc.tuple(string(names), blank, tie('tree')), { minLength: 1, maxLength: 5 }).map((fields) => {
      const last = new Map(fields.map(([name, , value]) => [name.text, value]))
      const lost = fields.map(([name, , value]) => {
        const kept = last.get(name.text)
        if (value === kept) return value.lost
        return value.text === kept?.text || isEmpty(value.text) ? 0 : 1
      })
      return {
        text: `{${fields.map(([name, space, { text }]) => `${space}${name.json}${space}:${space}${text}${space}`)}}`,
        lost: lost.reduce((sum, count) => sum + count, 0),
      }
    }),
  ),
}))

it('names as many lost values as a drawn file with repeated names has, however it arrives', async () => {
  const files = fc.array(tree, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(files, fc.boolean(), fc.integer({ min: 1, max: 64 }), async (trees, isArray, size) => {
      const records = trees.map(({ text }) => conversation(`,"extra":${text}`))
      const bytes = new TextEncoder().encode(isArray ? `[${records.join(',\n')}]` : records.join('\n'))
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      const counts: number[] = []
      for await (const { losses } of parseStream(chunks, { format: 'openai-chat' }))
        counts.push(named(losses).reduce((sum, { count }) => sum + count, 0))
      expect(counts).toEqual(trees.map(({ lost }) => lost))
    }),
    { numRuns: runs(100) },
  )
})
