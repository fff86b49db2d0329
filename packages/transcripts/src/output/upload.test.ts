import { expect, it } from 'vitest'
import { parse } from '../importer/parse.js'
import type { Transcript } from '../transcript.js'
import { toUpload, uploadLosses } from './upload.js'

const [transcript] = parse('{"model":"m","messages":[{"role":"user","content":"a"}]}').transcripts as [Transcript]

it('returns the body without the internal fields of this package', () => {
  expect(toUpload(transcript, { name: 'n' })).toStrictEqual({
    name: 'n',
    turns: [{ role: 'user', content: 'a' }],
    modelName: 'm',
    sourceSystem: 'openai-chat',
  })
})

it('lets overrides win, and takes undefined for not given', () => {
  const body = toUpload(transcript, { name: 'n', modelName: undefined, sourceSystem: 'mine', process: false })
  expect(body).toMatchObject({ modelName: 'm', sourceSystem: 'mine', process: false })
})

it('lets every override win', () => {
  const given = {
    name: 'n',
    modelName: 'a',
    language: 'b',
    sourceSystem: 'c',
    externalId: 'd',
    externalUserId: 'e',
    metadata: { f: 1 },
    sourceTimestamp: '2025-01-01',
    process: true,
  }
  const own = { modelName: '1', language: '2', externalId: '3', externalUserId: '4', metadata: {}, process: false }
  expect(toUpload({ ...transcript, ...own, sourceTimestamp: '2024-01-01' }, given)).toMatchObject(given)
})

it('prefers a given name, then the transcript’s, then its record', () => {
  expect(toUpload({ ...transcript, name: 'own' }, { name: 'given' }).name).toBe('given')
  expect(toUpload({ ...transcript, name: 'own' }).name).toBe('own')
  expect(toUpload(transcript).name).toBe('Transcript 1')
})

it('does not touch the transcript', () => {
  const before = structuredClone(transcript)
  toUpload(transcript, { name: 'n' })
  expect(transcript).toEqual(before)
})

it('names each result whose call only its id tells', () => {
  const calls = (...ids: string[]) =>
    ids.map((id) => ({ id, type: 'function', function: { name: 'get', arguments: `{"of":"${id}"}` } }))
  const lossesOf = (...results: string[]) => {
    const answers = results.map((id) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` }))
    const messages = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', tool_calls: calls('a', 'b', 'c') },
      ...answers,
    ]
    return parse(JSON.stringify({ messages })).transcripts.flatMap((each) => uploadLosses(each))
  }
  expect(lossesOf('a', 'b', 'c')).toEqual([])
  expect(lossesOf('a', 'b')).toEqual([])
  const why = 'the upload schema has no field for it'
  expect(lossesOf('a', 'c', 'b')).toEqual([{ code: 'dropped', what: 'link of a result to its call', why, count: 2 }])
  expect(lossesOf('b')).toMatchObject([{ count: 1 }])
})
