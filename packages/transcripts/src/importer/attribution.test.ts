import { expect, it } from 'vitest'
import { defineFormat, type Format, placeIn, type ReaderContext } from '../contract/index.js'
import { ConversationBuilder } from '../conversation/index.js'
import { type ConversationDraft, TranscriptFileError } from '../model/index.js'
import { Importer } from './importer.js'
import { parse } from './parse.js'

const threads = defineFormat({
  id: 'threads',
  title: 'Threads',
  accepts: '{ "threads": [{ "id", "posts": [{ "by", "text" }] }] }',
  signature: { 'id posts[].by': 0.99 },
  conversations: 'threads',
  messages: 'posts',
  role: 'by',
  roles: { user: 'ann', assistant: 'bot' },
  text: 'text',
  conversation: { externalId: 'id' },
})

/** The ids of what is given, and the problems with what they cost. */
function read(text: string, format: Format) {
  const file = new Importer({ format: format.id, formats: [format] })
  const given = [...file.end(text)].flat().map(({ externalId }) => externalId)
  const problems = file.problems.map(({ message, conversations, hidesMore }) => ({ message, conversations, hidesMore }))
  return { given, problems }
}

const post = (by: unknown) => ({ by, text: 'Hi' })

it('a bad message in a record of several conversations costs the one around it', () => {
  const record = { threads: ['a', 'b', 'c'].map((id) => ({ id, posts: [post('ann'), id === 'b' ? 5 : post('bot')] })) }
  const { given, problems } = read(JSON.stringify(record), threads)
  expect(given).toEqual(['a', 'c'])
  expect(problems).toMatchObject([{ conversations: { count: 1, ids: ['b'], records: [1] } }])
})

it('an element that is no conversation costs none of those beside it', () => {
  const record = { threads: [{ id: 'a', posts: [post('ann'), post('bot')] }, 5, { id: 'c', posts: [post('ann')] }] }
  const { given, problems } = read(JSON.stringify(record), threads)
  expect(given).toEqual(['a', 'c'])
  expect(problems).toMatchObject([{ message: expect.stringContaining('found the number 5'), conversations: undefined }])
})

/** A format of numbered conversations: those that the record names as lost are begun, and never given. */
const leaking: Format = {
  id: 'leaking',
  title: 'Leaking',
  accepts: 'objects',
  fields: [],
  detect: () => 1,
  reader: (context: ReaderContext) => ({
    read(record) {
      const { ids, lost } = record.value as { ids: string[]; lost: string[] }
      const drafts = ids.map((id): [string, ConversationDraft] => {
        const conversation = new ConversationBuilder(context)
        const place = placeIn(record, `/ids/${id}`)
        conversation.addMessage('user', id, { place })
        return [id, conversation.build({ externalId: id, place })]
      })
      return drafts.flatMap(([id, draft]) => (lost.includes(id) ? [] : draft))
    },
    end: () => [],
  }),
}

it('a reader that loses a conversation without a word is a problem of its file', () => {
  expect(read('{"ids":["a","b","c"],"lost":[]}', leaking)).toEqual({ given: ['a', 'b', 'c'], problems: [] })
  const { given, problems } = read('{"ids":["a","b","c"],"lost":["b"]}', leaking)
  expect(given).toEqual(['a', 'c'])
  expect(problems).toMatchObject([
    {
      message: expect.stringMatching(/a bug in the reader of leaking: 3 conversations begun, 2 accounted for/),
      hidesMore: true,
    },
  ])
})

it('a record of an unknown conversation costs all that wait, as one problem', () => {
  const answer = (id: string) =>
    `{"question_id":1,"model_id":"m","answer_id":"${id}","choices":[{"index":0,"turns":["1"]}]}`
  const lines = ['{"question_id":1,"turns":["One?"]}', answer('x'), '{"other":1}', answer('y')]
  expect(() => parse(lines.join('\n'), { format: 'mt-bench' })).toThrow(TranscriptFileError)
  const file = new Importer({ format: 'mt-bench' })
  expect([...file.end(lines.join('\n'))].flat()).toEqual([])
  expect(file.problems).toMatchObject([
    {
      record: 3,
      message: expect.stringContaining(
        'it may belong to conversation "x" or conversation "y", and none of them is read',
      ),
      conversations: { count: 2, ids: ['x', 'y'], records: [1, 2, 3, 4] },
    },
  ])
})
