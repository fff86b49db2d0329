import { expect, it } from 'vitest'
import { parse } from './parse.js'

const conversation = (content: string) => JSON.stringify({ turns: [{ role: 'user', content }] })
const hash = (text: string) => `${text.length}:${text.slice(-30)}`
const digests = (text: string) => parse(text, { hash }).transcripts.map(({ digest }) => digest)

it('is there where it is asked for', () => {
  expect(parse(conversation('a')).transcripts[0]).not.toHaveProperty('digest')
  expect(digests(conversation('a'))).toEqual([hash(conversation('a'))])
})

it('is that of the record, wherever it stands', () => {
  const [first, second] = digests(`${conversation('a')}\n${conversation('bb')}\n`)
  expect(digests(`${conversation('c')}\n\n${conversation('bb')}\n${conversation('a')}`).slice(1)).toEqual([
    second,
    first,
  ])
})

it('is that of all records of a session', () => {
  const line = (type: string, uuid: string, content: string) =>
    JSON.stringify({ type, uuid, sessionId: 's', timestamp: '2026-01-01T00:00:00Z', message: { role: type, content } })
  const session = [line('user', '1', 'hi'), line('assistant', '2', 'hello')]
  const [whole] = digests(session.join('\n'))
  const [edited] = digests([session[0], line('assistant', '2', 'hello!')].join('\n'))
  expect(whole).not.toBe(edited)
  expect(digests(session.join('\n'))).toEqual([whole])
})

it('is the chain of all hashes of a long session, however many wait', () => {
  const line = (at: number) => {
    const type = at % 2 === 0 ? 'user' : 'assistant'
    return JSON.stringify({
      type,
      uuid: `${at}`,
      parentUuid: at > 0 ? `${at - 1}` : null,
      sessionId: 's',
      timestamp: '2026-01-01T00:00:00Z',
      message: { role: type, content: `turn ${at}` },
    })
  }
  const lines = Array.from({ length: 2_500 }, (_, at) => line(at))
  const chain = lines.reduce((all, text) => hash(all + hash(text)), '')
  expect(digests(lines.join('\n'))).toEqual([chain])
})

it('is that of the cells of a table and of their columns', () => {
  const digestsOf = (text: string, columns?: Record<string, string>) =>
    parse(text, { hash: (each) => each, columns }).transcripts.map(({ digest }) => digest)
  const of = [
    digestsOf('conv_id,role,content\n1,user,a\n2,user,a\n'),
    digestsOf('conv_id,role,content\n1,user,b\n2,user,a\n'),
    digestsOf('conv_id,role,text\n1,user,a\n2,user,a\n'),
    digestsOf('question,answer\na,b\na,c\n', { user: 'question', assistant: 'answer' }),
  ]
  expect(new Set([of[0]?.[0], of[1]?.[0], of[2]?.[0], ...(of[3] ?? [])]).size).toBe(5)
})
