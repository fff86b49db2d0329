import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Importer } from './importer.js'
import { parse } from './parse.js'

const names = [
  'conv_id',
  'Case ID',
  'session',
  'sessionId',
  'thread',
  'room_id',
  'CHANNEL_ID',
  'callId',
  'ticket-id',
  'dialogId',
]
const id = fc.oneof(
  fc.string({ minLength: 1, maxLength: 4 }).filter((text) => text.trim() !== ''),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 8n }).map(String),
)
const rowsOf = fc
  .uniqueArray(id, { minLength: 2, maxLength: 6 })
  .chain((ids) =>
    fc.array(fc.record({ id: fc.constantFrom(...ids), text: fc.integer({ min: 0 }).map(String) }), { minLength: 1 }),
  )

const expectedOf = (rows: readonly { id: string; text: string }[]) =>
  [...grouped(rows)].map(([, own]) => own.map(({ text }) => text))

function grouped(rows: readonly { id: string; text: string }[]): Map<string, { text: string }[]> {
  const groups = new Map<string, { text: string }[]>()
  for (const row of rows) groups.set(row.id, [...(groups.get(row.id) ?? []), row])
  return groups
}

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
const asCsv = (name: string, rows: readonly { id: string; text: string }[]) =>
  [`${name},role,content`, ...rows.map((row) => `${cell(row.id)},user,${row.text}`)].join('\n')
/** Ids of digits are numbers, which JavaScript would round. */
const asLines = (name: string, rows: readonly { id: string; text: string }[]) =>
  rows
    .map((row) => {
      const written = /^[1-9]\d*$/.test(row.id) ? row.id : JSON.stringify(row.id)
      return `{${JSON.stringify(name)}:${written},"role":"user","content":"${row.text}"}`
    })
    .join('\n')

it.each([
  ['a table', asCsv],
  ['lines of JSON', asLines],
  [
    'an array',
    (name: string, rows: readonly { id: string; text: string }[]) => `[${asLines(name, rows).replaceAll('\n', ',\n')}]`,
  ],
])('rows of %s are conversations by their ids, and no two ids are merged', (_, write) => {
  fc.assert(
    fc.property(fc.constantFrom(...names), rowsOf, (name, rows) => {
      const { transcripts } = parse(write(name, rows))
      expect(transcripts.map(({ turns }) => turns.map(({ content }) => content))).toEqual(expectedOf(rows))
    }),
  )
})

it('reports a row that comes after its conversation is complete, and gives the others in bounded memory', () => {
  const rows = Array.from({ length: 50 }, (_, at) => ({ id: `c${Math.floor(at / 2)}`, text: String(at) }))
  const importer = new Importer({}, 100)
  const text = asCsv('conv_id', [...rows, { id: 'c0', text: 'late' }])
  const transcripts = [...importer.push(text), ...importer.end()].flat()
  expect(transcripts.map(({ turns }) => turns.length)).toContain(2)
  expect(importer.problems).toMatchObject([
    { line: 52, message: expect.stringMatching(/conversation "c0".*sort the file by "conv_id"/) },
  ])
})

it.each([
  ['rows', (id: string) => `{"conversation_id":${id},"role":"user","content":"a"}`],
  ['rows with the id in an object', (id: string) => `{"thread":{"id":${id}},"role":"user","content":"a"}`],
  ['objects with messages', (id: string) => `{"chatId":${id},"messages":[{"role":"user","content":"a"}]}`],
])('reads each digit of the ids of %s, and counts no loss', (_, write) => {
  const ids = ['9007199254740992', '9007199254740993', '-1001234567890123457', '12345678901234567890']
  const { transcripts } = parse(ids.map(write).join('\n'))
  expect(transcripts.map(({ externalId }) => externalId)).toEqual(ids)
  expect(transcripts.flatMap(({ losses }) => losses)).toEqual([])
})

const backwards = [
  { role: 'assistant', content: 'b', created_at: '2025-01-01T10:01:00Z' },
  { role: 'user', content: 'a', created_at: '2025-01-01T10:00:00Z' },
]

it.each([
  ['a list', backwards],
  ['an object', { messages: backwards }],
  ['a conversation in turns', { turns: backwards }],
])('messages of %s whose times run backwards are a loss, or sorted by the field that is mapped', (_, value) => {
  const [kept] = parse(JSON.stringify(value)).transcripts
  expect(kept?.losses).toMatchObject([{ what: 'time earlier than the one before it' }])
  const [sorted] = parse(JSON.stringify(value), { columns: { order: 'created_at' } }).transcripts
  expect(sorted?.losses).toEqual([])
  expect(sorted?.turns.map(({ content }) => content)).toEqual(['a', 'b'])
  expect(sorted?.sourceTimestamp ?? sorted?.turns[0]?.createdAt).toBe(sorted?.turns[0]?.createdAt)
})
