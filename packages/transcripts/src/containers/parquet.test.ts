import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type ColumnSource, parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer'
import { afterAll, describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
import { textBytes, zipOf } from '../../test/fixtures/archives.js'
import { type Chunk, parse, parseStream } from '../importer/index.js'
import type { Transcript } from '../transcript.js'
import { ContainerError, type ContainerLimits, openBytes, openFile, openStream } from './index.js'

const folder = mkdtempSync(join(tmpdir(), 'parquet-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Options = Parameters<typeof parquetWriteBuffer>[0]
const bytesOf = (options: Options) => new Uint8Array(parquetWriteBuffer(options))

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
const messageColumn: SchemaElement[] = [
  { name: 'messages', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', repetition_type: 'OPTIONAL', num_children: 3 },
  { name: 'role', ...text },
  { name: 'content', ...text },
  { name: 'name', ...text },
]

interface Row {
  id: string
  messages: { role: string; content: string | null; name: string | null }[]
}

/** Rows with lists of messages, as data sets hold them. */
const chatsOf = (rows: readonly Row[], options: Partial<Options> = {}) =>
  bytesOf({
    columnData: [
      { name: 'id', data: rows.map(({ id }) => id) },
      { name: 'messages', data: rows.map(({ messages }) => messages) },
    ],
    schema: [{ name: 'root', num_children: 2 }, { name: 'id', ...text }, ...messageColumn],
    ...options,
  })

const said = (...contents: string[]) =>
  contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content, name: null }))
const chat = { id: 'a', messages: said('Hi', 'Hello') }

async function chunksOf(bytes: Uint8Array, limits?: ContainerLimits): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for (const file of (await openBytes(bytes, limits)).files) for await (const chunk of file.chunks()) chunks.push(chunk)
  return chunks
}

async function transcriptsIn(chunks: AsyncIterable<Chunk> | Iterable<Chunk>): Promise<Transcript[]> {
  const transcripts: Transcript[] = []
  for await (const each of parseStream(chunks)) transcripts.push(each)
  return transcripts
}

const failure = (bytes: Uint8Array, limits?: ContainerLimits) =>
  chunksOf(bytes, limits).then(
    () => 'read',
    (error: unknown) => (error instanceof ContainerError ? error.message : error),
  )

/** A column of a plain type, as the lines of its rows. */
async function linesOf(columnData: ColumnSource[], types?: Partial<SchemaElement>[]) {
  const schema = types?.map((type, at) => ({ name: columnData[at]?.name ?? '', repetition_type: 'OPTIONAL', ...type }))
  const root = { name: 'root', num_children: columnData.length }
  return chunksOf(bytesOf({ columnData, ...(schema && { schema: [root, ...schema] as SchemaElement[] }) }))
}

describe('the rows of a Parquet file', () => {
  const messages = fc.array(
    fc.record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc.string({ unit: 'grapheme' }).map((each) => `x${each}`),
      name: fc.option(fc.constantFrom('Ann', '"')),
    }),
    { minLength: 1, maxLength: 6 },
  )
  const rows = fc.array(fc.record({ id: fc.uuid(), messages }), { minLength: 1, maxLength: 60 })

  it('are read as the same transcripts as lines of JSON, in row groups of any size', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 20 }), async (all, rowGroupSize) => {
        const lines = all.map((row) => `${JSON.stringify(row)}\n`)
        const chunks = await chunksOf(chatsOf(all, { rowGroupSize }))
        expect(chunks).toEqual(lines)
        const known = [chat, ...all]
        const ofLines = parse(known.map((row) => `${JSON.stringify(row)}\n`).join('')).transcripts
        expect(await transcriptsIn(await chunksOf(chatsOf(known, { rowGroupSize })))).toEqual(ofLines)
      }),
    )
  })

  it('give each turn the number of its row and the pointer in its columns', async () => {
    const [, second] = await transcriptsIn(await chunksOf(chatsOf([chat, { id: 'b', messages: said('A', 'B') }])))
    expect(second?.turns.map(({ place }) => [place.record, place.pointer])).toEqual([
      [2, '/messages/0'],
      [2, '/messages/1'],
    ])
  })

  it.each(['UNCOMPRESSED', 'SNAPPY'] as const)('may be packed with %s', async (codec) => {
    expect(await chunksOf(chatsOf([chat], { codec }))).toEqual([`${JSON.stringify(chat)}\n`])
  })

  it('keep whole numbers, times and dates exactly, and numbers that JSON does not have as null', async () => {
    const lines = await linesOf(
      [
        { name: 'id', data: [2n ** 60n + 1n, null] },
        { name: 'at', data: [new Date(5), null] },
        { name: 'day', data: [new Date('2026-01-31'), null] },
        { name: 'x', data: [Number.NaN, 0.5] },
        { name: 'price', data: [1.1, null] },
      ],
      [
        { type: 'INT64' },
        { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
        { type: 'INT32', converted_type: 'DATE' },
        { type: 'DOUBLE' },
        { type: 'INT32', converted_type: 'DECIMAL', scale: 2, precision: 9 },
      ],
    )
    expect(lines).toEqual([
      '{"id":1152921504606846977,"at":"1970-01-01T00:00:00.005Z","day":"2026-01-31","x":null,"price":1.1}\n',
      '{"id":null,"at":null,"day":null,"x":0.5,"price":null}\n',
    ])
  })

  it('keep JSON as its text, and repeated texts of a dictionary', async () => {
    const same = Array.from({ length: 500 }, () => '{"a":1}')
    const lines = await linesOf([{ name: 'j', data: same }], [{ type: 'BYTE_ARRAY', converted_type: 'UTF8' }])
    expect(lines).toEqual(same.map((each) => `${JSON.stringify({ j: each })}\n`))
    const bytes = textBytes('{"b":2}')
    expect(await linesOf([{ name: 'j', data: [bytes] }], [{ type: 'BYTE_ARRAY' }])).toEqual(['{"j":"{\\"b\\":2}"}\n'])
  })

  it('have bytes that are no text as a loss of the transcript', async () => {
    const picture = Uint8Array.of(0xff, 0xd8, 0xff)
    const bytes = bytesOf({
      columnData: [
        { name: 'picture', data: [picture] },
        { name: 'messages', data: [chat.messages] },
      ],
      schema: [
        { name: 'root', num_children: 2 },
        { name: 'picture', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
        ...messageColumn,
      ],
    })
    const [transcript] = await transcriptsIn(await chunksOf(bytes))
    expect(transcript?.losses).toContainEqual(
      expect.objectContaining({
        code: 'dropped',
        what: 'bytes of column "picture"',
        why: 'they are not text',
        count: 1,
      }),
    )
  })

  describe('with decimals', () => {
    const decimal = (precision: number, scale: number, type: SchemaElement['type'] = 'FIXED_LEN_BYTE_ARRAY') =>
      ({
        type,
        ...(type === 'FIXED_LEN_BYTE_ARRAY' && { type_length: 32 }),
        converted_type: 'DECIMAL',
        scale,
        precision,
      }) as const

    it('have each digit: beyond 15 of them as a text, and as a whole number without a scale', async () => {
      const lines = await linesOf(
        [
          { name: 'price', data: [123456789012345678n, -5n, 100n, null] },
          { name: 'large', data: [-(10n ** 75n) - 1n, 12n, 123456789012345n, null] },
          { name: 'id', data: [10n ** 37n + 1n, 7n, 0n, null] },
        ],
        [decimal(18, 2, 'INT64'), decimal(76, 4), decimal(38, 0)],
      )
      expect(lines).toEqual([
        `{"price":"1234567890123456.78","large":"-1${'0'.repeat(71)}.0001","id":1${'0'.repeat(36)}1}\n`,
        '{"price":-0.05,"large":0.0012,"id":7}\n',
        '{"price":1,"large":12345678901.2345,"id":0}\n',
        '{"price":null,"large":null,"id":null}\n',
      ])
    })

    it('keep them in structs, lists and dictionaries', async () => {
      const exact = '90071992547409.931'
      const schema = [
        { name: 'root', num_children: 1 },
        { name: 'items', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'OPTIONAL', num_children: 2 },
        { name: 'name', ...text },
        { name: 'price', repetition_type: 'OPTIONAL', ...decimal(20, 3) },
      ] as SchemaElement[]
      const items = Array.from({ length: 3 }, () => ({ name: 'a', price: 90071992547409931n }))
      const bytes = bytesOf({ columnData: [{ name: 'items', data: Array.from({ length: 9 }, () => items) }], schema })
      const written = items.map(({ name }) => ({ name, price: exact }))
      expect(await chunksOf(bytes)).toEqual(Array.from({ length: 9 }, () => `${JSON.stringify({ items: written })}\n`))
    })

    it('are read as the same transcript as lines of JSON with the decimals as texts', async () => {
      const bytes = bytesOf({
        columnData: [
          { name: 'id', data: [10n ** 37n + 1n] },
          { name: 'messages', data: [chat.messages] },
        ],
        schema: [
          { name: 'root', num_children: 2 },
          { name: 'id', repetition_type: 'OPTIONAL', ...decimal(38, 0) } as SchemaElement,
          ...messageColumn,
        ],
      })
      const [transcript] = await transcriptsIn(await chunksOf(bytes))
      expect(transcript).toMatchObject({ externalId: `${10n ** 37n + 1n}`, losses: [] })
    })

    it('are refused if a decimal has more digits than are read', async () => {
      const bytes = bytesOf({
        columnData: [{ name: 'price', data: [1n] }],
        schema: [
          { name: 'root', num_children: 1 },
          { name: 'price', repetition_type: 'OPTIONAL', ...decimal(77, 2) },
        ] as SchemaElement[],
      })
      expect(await failure(bytes)).toBe(
        'the Parquet file has decimals of more than 76 digits in the column "price"; write them as texts',
      )
    })
  })

  it('have the decimals of a variant column as a loss', async () => {
    const schema = [
      { name: 'root', num_children: 1 },
      { name: 'any', repetition_type: 'OPTIONAL', logical_type: { type: 'VARIANT' }, num_children: 2 },
      { name: 'metadata', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
      { name: 'value', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
    ] as SchemaElement[]
    const [loss, line] = await chunksOf(bytesOf({ columnData: [{ name: 'any', data: [{ a: 'x' }] }], schema }))
    expect(loss).toMatchObject({ loss: { code: 'changed', what: 'decimals in the variant column "any"' } })
    expect(line).toBe('{"any":{"a":"x"}}\n')
  })

  it('keep each digit of times, and of those before 1970', async () => {
    const timestamp = (unit: 'MICROS' | 'NANOS') =>
      ({ type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit } }) as const
    const lines = await linesOf(
      [
        { name: 'a', data: [1767348000123456n, -1n, 1767348000120000n, null] },
        { name: 'b', data: [1767348000123456789n, -1n, 1767348000123456000n, null] },
        { name: 'c', data: [1n, 1767348000000000n, 10n ** 18n, null] },
      ],
      [timestamp('MICROS'), timestamp('NANOS'), { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }],
    )
    expect(lines.map((line) => JSON.parse(line as string) as unknown)).toEqual([
      { a: '2026-01-02T10:00:00.123456Z', b: '2026-01-02T10:00:00.123456789Z', c: '1970-01-01T00:00:00.000001Z' },
      { a: '1969-12-31T23:59:59.999999Z', b: '1969-12-31T23:59:59.999999999Z', c: '2026-01-02T10:00:00.000Z' },
      { a: '2026-01-02T10:00:00.120Z', b: '2026-01-02T10:00:00.123456Z', c: '+033658-09-27T01:46:40.000Z' },
      { a: null, b: null, c: null },
    ])
  })
})

describe('a Parquet file', () => {
  const bytes = chatsOf([chat])
  const line = `${JSON.stringify(chat)}\n`

  it('is opened from a disk, from a stream and in a zip archive, and read again', async () => {
    const path = join(folder, 'a.parquet')
    writeFileSync(path, bytes)
    async function* stream() {
      yield bytes.subarray(0, 100)
      yield bytes.subarray(100)
    }
    const zip = zipOf({ name: 'data/a.parquet', content: bytes }, { name: 'b.jsonl', content: line })
    for (const { files } of [await openFile(path), await openStream(stream()), await openBytes(zip)]) {
      for (const { chunks } of files) {
        expect((await transcriptsIn(chunks())).map(({ externalId }) => externalId)).toEqual(['a'])
        expect((await transcriptsIn(chunks())).length).toBe(1)
      }
    }
    expect((await openBytes(zip)).files.map(({ member }) => member)).toEqual(['data/a.parquet', 'b.jsonl'])
  })

  const withFooter = (length: number) => {
    const changed = bytes.slice()
    new DataView(changed.buffer).setUint32(changed.length - 8, length, true)
    return changed
  }
  const withEnd = (end: string) => new Uint8Array([...bytes.subarray(0, -4), ...textBytes(end)])

  it.each<[string, Uint8Array, RegExp]>([
    [
      'cut',
      bytes.subarray(0, bytes.length - 9),
      /^the Parquet file is damaged: it ends without "PAR1", as a file that was/,
    ],
    [
      'short',
      bytes.subarray(0, 6),
      /^the Parquet file is damaged: it has 6 bytes; get it again, or convert it to JSONL/,
    ],
    ['without its end', withEnd('PAR2'), /it ends without "PAR1"/],
    [
      'with a long footer',
      withFooter(2 ** 31),
      /^the Parquet file is damaged: its footer claims 2147483648 bytes, the file/,
    ],
    ['with a short footer', withFooter(3), /^the Parquet file is damaged: /],
    ['with a footer of data', withFooter(bytes.length - 20), /^the Parquet file is damaged: /],
    ['encrypted', withEnd('PARE'), /^the Parquet file is encrypted; decrypt it first, and convert it to JSONL/],
  ])('a Parquet file that is %s is refused', async (_, damaged, message) => {
    expect(await failure(damaged)).toMatch(message)
  })

  it('refuses a codec that it cannot unpack', async () => {
    // Thrift writes the codec SNAPPY as 2, in zigzag, and LZO as 6; the file is not read any further.
    const codecs = chatsOf([chat], { codec: 'LZO', compressors: { LZO: (input: Uint8Array) => input } })
    expect(await failure(codecs)).toBe('the Parquet file packs the column "id" with LZO; write it with zstd or snappy')
  })

  it('refuses a row group that is larger than a limit, and rows that unpack to more than one', async () => {
    const long = chatsOf(Array.from({ length: 50 }, () => ({ id: 'a', messages: said('x'.repeat(999), 'y') })))
    expect(await failure(long, { maxInnerBytes: 1000 })).toMatch(
      /^row group 1 of the Parquet file has more than 1000 bytes \(maxInnerBytes\); write it with smaller row groups/,
    )
    expect(await failure(long, { maxUnpackedBytes: 1000 })).toMatch(
      /unpacks to more than 1000 bytes \(maxUnpackedBytes\)/,
    )
  })

  it('is refused with a clear error, or read, whatever bytes are changed', async () => {
    const whole = chatsOf(Array.from({ length: 40 }, (_, at) => ({ id: `${at}`, messages: said('Hi', `Hello ${at}`) })))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 13), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const changed = whole.slice()
          for (const [at, byte] of changes) changed[at + 4] = byte
          expect(typeof (await failure(changed))).toBe('string')
        },
      ),
      { numRuns: runs(100) },
    )
  })
})
